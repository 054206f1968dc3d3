import 'server-only'
import { z } from 'zod'
import type { Observed } from '../../vendor.ts'
import { withNextTerm, withQuantity } from './exact-json.ts'
import { Product, productOf } from './product.ts'

// Microsoft's own part of what was read: what a write needs again, and how many licenses can be returned.

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
const Own = z.object({
  /** The whole object, as it came. */
  json: z.string(),
  etag: z.string().optional(),
  /** When the term ends, of a monthly one too. */
  termEnd: z.string().optional(),
  /** What is renewed, as an order for the next term names it. */
  product: Product.optional(),
  refundable: z.object({ total: z.int(), until: z.array(z.tuple([z.int(), z.string()])) }).optional(),
})

export type Own = z.output<typeof Own>

/** @param etag of the answer, where the object itself has none */
export function ownOf(
  raw: unknown,
  { json, etag, termEnd }: { json: string; etag: string | undefined; termEnd: Date | null },
): Own {
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
export function ownIn(observed: Observed): Own | undefined {
  return Own.safeParse(observed.own).data
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

function replaced(observed: Observed, write: (own: Own) => string | undefined): Replacement | undefined {
  const own = ownIn(observed)
  const body = own?.etag && write(own)
  if (!own?.etag || !body) return undefined
  const ifMatch = /^(W\/)?".*"$/.test(own.etag) ? own.etag : `"${own.etag}"`
  return { body, ifMatch }
}
