import 'server-only'
import { z } from 'zod'
import type { Observed } from '../vendor.ts'
import { withQuantity } from './exact-json.ts'

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
export function replacementOf(
  observed: Observed,
  quantity: number,
): { body: string; ifMatch: string } | undefined {
  const own = ownIn(observed)
  if (!own?.etag) return undefined
  const ifMatch = /^(W\/)?".*"$/.test(own.etag) ? own.etag : `"${own.etag}"`
  return { body: withQuantity(own.json, quantity), ifMatch }
}
