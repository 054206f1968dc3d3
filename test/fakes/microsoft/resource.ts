import { createHash } from 'node:crypto'
import type { NewSubscription } from '../vendors/routes.ts'
import type { Subscription } from '../vendors/store.ts'

/** Fields of a subscription that only Partner Center has. */
export type VendorFields = {
  /** All fields that a PATCH sets, and resets if it leaves them out; undocumented fields, too. */
  fields: Record<string, unknown>
  /** Number of writes. */
  version: number
  /** Licenses that can still be returned. */
  refundable: { quantity: number; allowedUntilDateTime: string }[]
  /** Whether the resource shows the refundable quantity; the rule is the same if it does not. */
  showsRefundable: boolean
  minimum: number
  maximum: number
  /** An accepted change is not done yet. */
  isPending: boolean
  endsAt: string
}

export type StoredSubscription = Subscription<VendorFields>

/** Returns Entra's id of a SKU, which differs from the offer's. */
export function entraSku(skuId: string): string {
  const hex = createHash('sha256').update(skuId).digest('hex')
  return [8, 4, 4, 4, 12].map((size, at) => hex.slice(at * 4, at * 4 + size)).join('-')
}

/** @param given `plan` is term and billing cycle, such as `P1Y annual` */
export function fill({ vendorFields, ...input }: NewSubscription<VendorFields>): StoredSubscription {
  return {
    customerId: '6b1cf1a1-7c0f-4d6d-8f1e-0a4f4f6f0001',
    skuId: 'CFQ7TTC0LH18:0001',
    total: 25,
    assigned: 0,
    status: 'active',
    plan: 'P1Y monthly',
    createdAt: Date.UTC(2026, 2, 1),
    ...input,
    vendorFields: {
      version: 1,
      refundable: [],
      showsRefundable: true,
      minimum: 1,
      maximum: 300,
      isPending: false,
      endsAt: '2027-02-28T23:59:59Z',
      ...vendorFields,
      fields: { friendlyName: 'Office', autoRenewEnabled: true, ...vendorFields?.fields },
    },
  }
}

export function etagOf({
  total,
  status,
  vendorFields: { fields, version, refundable },
}: StoredSubscription): string {
  const state = JSON.stringify([total, status, fields, version, refundable])
  return Buffer.from(createHash('sha256').update(state).digest('hex').slice(0, 40)).toString('base64')
}

/** Returns the resource of a GET and a PATCH. */
export function resourceOf(subscription: StoredSubscription) {
  const { id, customerId, skuId, total, status, plan, createdAt, vendorFields } = subscription
  const [termDuration, billingCycle] = plan.split(' ')
  const start = new Date(createdAt).toISOString()
  const totalQuantity = vendorFields.refundable.reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    id,
    offerId: `${skuId}:CFQ7TTC0KXYZ`,
    offerName: 'Office for business',
    quantity: total,
    unitType: 'Licenses',
    parentSubscriptionId: null,
    creationDate: start,
    effectiveStartDate: start,
    commitmentEndDate: vendorFields.endsAt,
    status,
    isTrial: false,
    billingType: 'license',
    billingCycle,
    termDuration,
    contractType: 'subscription',
    ...(vendorFields.showsRefundable
      ? { refundableQuantity: { totalQuantity, details: vendorFields.refundable } }
      : {}),
    ...vendorFields.fields,
    links: { self: { uri: `/customers/${customerId}/subscriptions/${id}`, method: 'GET' } },
    attributes: { etag: etagOf(subscription), objectType: 'Subscription' },
  }
}

/** Members that a PATCH can't change: they come from the resource, and the request's values are ignored. */
export const READ_ONLY = new Set(
  Object.keys(resourceOf(fill({ id: '', vendorFields: { fields: {} } }))).filter(
    (name) => !['friendlyName', 'autoRenewEnabled'].includes(name),
  ),
)
