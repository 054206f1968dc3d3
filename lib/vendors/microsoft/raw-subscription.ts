import 'server-only'
import { z } from 'zod'
import type { Observed } from '../vendor.ts'

// Microsoft's own part of what was read: what a write needs again, and how many licenses can be returned.

/** What a subscription renews, as an order for the next term names it. */
const Product = z.object({
  productId: z.string(),
  skuId: z.string(),
  availabilityId: z.string(),
  billingCycle: z.string(),
  termDuration: z.string(),
})

const Bought = z.object({ offerId: z.string(), billingCycle: z.string(), termDuration: z.string() })

/** New commerce alone names its offers product:SKU:availability, and takes orders for the next term. */
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

/** Partner Center's own side of what was read, as plain data. */
const RawSubscription = z.object({
  /** The whole object, as it came. */
  json: z.string(),
  etag: z.string().optional(),
  /** When the term ends, of a monthly one too. */
  termEnd: z.string().optional(),
  /** What is renewed, as an order for the next term names it. */
  product: Product.optional(),
  refundable: z.object({ total: z.int(), until: z.array(z.tuple([z.int(), z.string()])) }).optional(),
})

export type RawSubscription = z.output<typeof RawSubscription>

/** @param etag of the answer, where the object itself has none */
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

/** Undefined where it is not known, as of a subscription that was kept without it. */
export function storedRawSubscription(observed: Observed): RawSubscription | undefined {
  return RawSubscription.safeParse(observed.own).data
}

/**
 * What a write sends: the whole object as it was read, with another quantity, because whatever is left out is reset
 * without a word; and the ETag that makes it hold for that object alone. Numbers keep their digits.
 * @returns undefined where the object or its ETag is not known
 */
export function replacementOf(observed: Observed, quantity: number): Replacement | undefined {
  return replaced(observed, ({ json }) => withQuantity(json, quantity))
}

/**
 * The same, with the order for the next term: of this product and payment, for as long as this term.
 * @param total undefined: without one
 * @returns undefined where the object, its ETag or what is to be renewed is not known
 */
export function orderOf(observed: Observed, total: number | undefined): Replacement | undefined {
  return replaced(observed, ({ json, product }) => {
    if (total === undefined) return withNextTerm(json, undefined)
    return product && withNextTerm(json, { product, quantity: total })
  })
}

/** The body of a PATCH and its condition. */
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

// JSON that keeps the digits of its numbers, because a write sends Microsoft's whole object back.

/** An object's JSON with another quantity, and all else as it was. The JSON is one that has been read before. */
function withQuantity(json: string, quantity: number): string {
  return JSON.stringify({ ...(exactly(json) as object), quantity })
}

/**
 * An object's JSON that is to be renewed, with an order for the next term, or with none. What is scheduled for the term's
 * end goes with an order: a Cancel must not stand beside a renewal.
 * @param order its product by the names of the API, and the total
 */
function withNextTerm(json: string, order: { product: object; quantity: number } | undefined): string {
  const given = exactly(json) as { scheduledActions?: unknown }
  if (!order) return JSON.stringify({ ...given, scheduledNextTermInstructions: null })
  const actions = Array.isArray(given.scheduledActions) ? given.scheduledActions : undefined
  const remaining = actions?.filter((action) => !/^termend$/i.test(String(action?.scheduleType)))
  const scheduledActions = remaining && { scheduledActions: remaining }
  return JSON.stringify({
    ...given,
    ...scheduledActions,
    autoRenewEnabled: true,
    scheduledNextTermInstructions: order,
  })
}

/** The JSON of each item of a list. The list is one that has been read before. */
export function itemsOf(json: string): string[] {
  const { items } = exactly(json) as { items?: unknown }
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : []
}

/** Not yet in TypeScript's library: a reviver gets the source of each number, and rawJSON writes it as it was. */
const exact = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(source: string): unknown
}

/** Objects that keep the digits of their numbers, to be written again. */
function exactly(json: string): unknown {
  return exact.parse(json, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  )
}
