import type { Answer, Call } from '../vendors/routes.ts'
import type { Store } from '../vendors/store.ts'
import { errorAnswer } from './errors.ts'
import { etagOf, READ_ONLY, resourceOf, type StoredSubscription, type VendorFields } from './resource.ts'

const SCHEDULED = ['scheduledNextTermInstructions', 'scheduledActions']
const WEEK = 7 * 24 * 60 * 60 * 1000

/** Returns the reason why a PATCH is refused; undefined if it is allowed. */
export function whyNot(
  call: Call,
  subscription: StoredSubscription,
  body: Record<string, unknown> | undefined,
): Answer | undefined {
  const { vendorFields, status, total } = subscription
  const quantity = body?.quantity
  if (typeof quantity !== 'number' || !Number.isInteger(quantity)) return errorAnswer(2000)
  if (vendorFields.isPending) return errorAnswer(900278)
  const condition = call.headers['if-match']
  if (condition !== undefined && condition !== `"${etagOf(subscription)}"`) return errorAnswer(2055)
  if (status === 'suspended') return errorAnswer(2001)
  if (status === 'deleted') return errorAnswer(800091)
  if (status !== 'active') return errorAnswer(2011)
  if (quantity < vendorFields.minimum || quantity > vendorFields.maximum) return errorAnswer(2002)
  const refundable = vendorFields.refundable.reduce((sum, window) => sum + window.quantity, 0)
  return total - quantity > refundable ? errorAnswer(800090) : undefined
}

/** Applies a PATCH to all members that it may set: a member that it omits is removed. */
export function apply(
  store: Store<VendorFields>,
  subscription: StoredSubscription,
  body: Record<string, unknown>,
): Answer {
  const quantity = Number(body.quantity)
  const { id, total, vendorFields } = subscription
  const fields: Record<string, unknown> = { friendlyName: '', autoRenewEnabled: false }
  for (const [name, value] of Object.entries(body)) if (!READ_ONLY.has(name)) fields[name] = value
  // A mid-term change deletes a scheduled change, even one in the same request.
  if (quantity !== total) for (const name of SCHEDULED) delete fields[name]
  const refundable = windowsAfter(vendorFields, quantity - total)
  const after = { fields, refundable, version: vendorFields.version + 1, isPending: false }
  if (quantity === total) store.change(id, {}, after)
  else store.setTotal(id, quantity, 'client', after)
  const now = store.find(id)
  return now ? { status: 200, body: resourceOf(now) } : errorAnswer(20002)
}

function windowsAfter({ refundable }: VendorFields, change: number): VendorFields['refundable'] {
  if (change > 0) {
    const allowedUntilDateTime = new Date(Date.now() + WEEK).toISOString()
    return [...refundable, { quantity: change, allowedUntilDateTime }]
  }
  let left = -change
  const rest = refundable.map((window) => {
    const returned = Math.min(left, window.quantity)
    left -= returned
    return { ...window, quantity: window.quantity - returned }
  })
  return rest.filter(({ quantity }) => quantity > 0)
}

/** Parses the body of a PATCH; undefined if it is invalid. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
