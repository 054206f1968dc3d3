import 'server-only'
import { z } from 'zod'
import type { NextTerm, Observed } from '../vendor.ts'

// Microsoft's own data of a subscription: the fields that a write needs again, and the number of returnable licenses.

/** Product of a subscription, as an order for the next term names it. */
const Product = z.object({
  productId: z.string(),
  skuId: z.string(),
  availabilityId: z.string(),
  billingCycle: z.string(),
  termDuration: z.string(),
})

const Bought = z.object({ offerId: z.string(), billingCycle: z.string(), termDuration: z.string() })

/**
 * Returns the product of a new commerce subscription; undefined for others. Only new commerce names its offers
 * product:SKU:availability, and takes orders for the next term.
 */
function productOf(raw: unknown): z.output<typeof Product> | undefined {
  const bought = Bought.safeParse(raw).data
  const [productId, skuId, availabilityId, ...more] = bought?.offerId.split(':') ?? []
  if (!bought || !productId || !skuId || !availabilityId || more.length > 0) return undefined
  const { billingCycle, termDuration } = bought
  return { productId, skuId, availabilityId, billingCycle, termDuration }
}

const Window = z.object({ quantity: z.int().min(0), allowedUntilDateTime: z.string() })

const Limits = z.object({
  attributes: z
    .object({ etag: z.string().min(1).nullish() })
    .nullish()
    .catch(undefined),
  refundableQuantity: z
    .object({ totalQuantity: z.int().min(0), details: z.array(Window).nullish() })
    .nullish()
    .catch(undefined),
})

/** Partner Center's data of a subscription, as plain JSON. */
const RawSubscription = z.object({
  /** Whole object, as received. */
  json: z.string(),
  etag: z.string().optional(),
  /** End of the term, also of a monthly one. */
  termEnd: z.string().optional(),
  /** Renewed product, as an order for the next term names it. */
  product: Product.optional(),
  refundable: z.object({ total: z.int(), until: z.array(z.tuple([z.int(), z.string()])) }).optional(),
})

export type RawSubscription = z.output<typeof RawSubscription>

/**
 * Returns Microsoft's data of a subscription.
 * @param etag ETag of the answer, if the object has none
 */
export function rawSubscriptionOf(
  raw: unknown,
  { json, etag, termEnd }: { json: string; etag: string | undefined; termEnd: Date | null },
): RawSubscription {
  const { attributes, refundableQuantity } = Limits.safeParse(raw).data ?? {}
  const windows = (refundableQuantity?.details ?? []).filter(({ quantity }) => quantity > 0)
  return {
    json,
    etag: attributes?.etag ?? etag,
    termEnd: termEnd?.toISOString(),
    product: productOf(raw),
    refundable: refundableQuantity
      ? {
          total: refundableQuantity.totalQuantity,
          until: windows.map(({ quantity, allowedUntilDateTime }) => [quantity, allowedUntilDateTime]),
        }
      : undefined,
  }
}

/** Returns a stored subscription's data; undefined if it was stored without. */
export function storedRawSubscription(observed: Observed): RawSubscription | undefined {
  return RawSubscription.safeParse(observed.own).data
}

/**
 * Returns the body and condition of a write: the whole object as it was read, with another quantity, because Microsoft
 * silently resets omitted fields; and the ETag of that version (optimistic locking). Numbers keep their digits.
 * @returns undefined if the object or its ETag is unknown
 */
export function replacementOf(observed: Observed, quantity: number): Replacement | undefined {
  return replaced(observed, ({ json }) => withQuantity(json, quantity))
}

/** Actions at the end of a term, by the renewal types of `subscription.ts`. */
const END_ACTIONS: Record<string, string | null> = {
  CANCEL: 'Cancel',
  EXTENDED_SERVICE_TERM: 'RenewToExtendedServiceTerm',
  EXTENDED_SERVICE_TERM_UNLESS_CANCELLED: null,
}

/**
 * Returns body and condition like `replacementOf`, with an order for the next term: for the same product, billing and
 * term; or with an action instead of a next term.
 * @returns undefined if the object, its ETag, the renewed product or the action is unknown
 */
export function orderOf(observed: Observed, next: NextTerm): Replacement | undefined {
  return replaced(observed, ({ json, product }) => {
    if ('renewalType' in next) {
      const actionType = END_ACTIONS[next.renewalType]
      return actionType === undefined ? undefined : withEnd(json, { renews: false, actionType })
    }
    if (next.total === undefined) return withEnd(json, { renews: true })
    return product && withEnd(json, { renews: true, order: { product, quantity: next.total } })
  })
}

/** Body of a PATCH and its If-Match. */
type Replacement = { body: string; ifMatch: string }

function replaced(
  observed: Observed,
  write: (rawSubscription: RawSubscription) => string | undefined,
): Replacement | undefined {
  const rawSubscription = storedRawSubscription(observed)
  const body = rawSubscription?.etag && write(rawSubscription)
  if (!rawSubscription?.etag || !body) return undefined
  const ifMatch = /^(W\/)?".*"$/.test(rawSubscription.etag)
    ? rawSubscription.etag
    : `"${rawSubscription.etag}"`
  return { body, ifMatch }
}

// JSON that keeps the digits of numbers, because a write sends Microsoft's whole object back.

/** Returns an object's JSON with another quantity, otherwise unchanged. The JSON was parsed before, so it is valid. */
function withQuantity(json: string, quantity: number): string {
  return JSON.stringify({ ...(exactly(json) as object), quantity })
}

/** End of a term: renewal, with an order of product and total, or an action; null: no action is scheduled. */
type TermEnd =
  | { renews: true; order?: { product: object; quantity: number } }
  | { renews: false; actionType: string | null }

/**
 * Returns an object's JSON with this end of its term. It replaces all that is scheduled for the end: a Cancel must not
 * remain next to a renewal.
 */
function withEnd(json: string, end: TermEnd): string {
  const subscription = exactly(json) as { scheduledActions?: unknown }
  const actions = Array.isArray(subscription.scheduledActions) ? subscription.scheduledActions : undefined
  const others = actions?.filter((action) => !/^termend$/i.test(String(action?.scheduleType)))
  const action = end.renews || end.actionType === null ? undefined : end.actionType
  const scheduledActions = action
    ? [...(others ?? []), { scheduleType: 'TermEnd', actionType: action }]
    : others
  return JSON.stringify({
    ...subscription,
    ...(scheduledActions && { scheduledActions }),
    autoRenewEnabled: end.renews,
    scheduledNextTermInstructions: (end.renews && end.order) || null,
  })
}

/** Returns the JSON of each item of a list. The list was parsed before, so it is valid. */
export function itemsOf(json: string): string[] {
  const { items } = exactly(json) as { items?: unknown }
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : []
}

/**
 * JSON with source text access, which TypeScript's library lacks: a reviver gets the source of each number, and rawJSON
 * writes it unchanged.
 */
const exact = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(source: string): unknown
}

/** Parses JSON into objects that keep the digits of numbers when stringified. */
function exactly(json: string): unknown {
  return exact.parse(json, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  )
}
