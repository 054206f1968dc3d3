import 'server-only'
import { z } from 'zod'
import type { Foreseen, Observed, ObservedSeats } from '../vendor.ts'
import { withQuantity } from './json.ts'

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

type Own = z.output<typeof Own>

/** @param header the ETag of the answer, where the object itself has none */
export function ownOf(raw: unknown, json: string, header: string | null, end: Date | null): Own {
  const { attributes, refundableQuantity } = Limits.safeParse(raw).data ?? {}
  const windows = (refundableQuantity?.details ?? []).filter(({ quantity }) => quantity > 0)
  return {
    json,
    etag: attributes?.etag ?? header ?? undefined,
    termEnd: end?.toISOString(),
    refundable: refundableQuantity
      ? {
          total: refundableQuantity.totalQuantity,
          until: windows.map(({ quantity, allowedUntilDateTime }) => [quantity, allowedUntilDateTime]),
        }
      : undefined,
  }
}

/**
 * What a write sends: the whole object as it was read, with another quantity, because whatever is left out is reset
 * without a word; and the ETag that makes it hold for that object alone. Numbers keep their digits.
 * @returns undefined where the object or its ETag is not known
 */
export function changed(observed: Observed, quantity: number): { body: string; ifMatch: string } | undefined {
  const own = Own.safeParse(observed.own).data
  if (!own?.etag) return undefined
  const ifMatch = /^(W\/)?".*"$/.test(own.etag) ? own.etag : `"${own.etag}"`
  return { body: withQuantity(own.json, quantity), ifMatch }
}

/**
 * Of a decrease, what Microsoft says of the licenses that can still be returned: how many, and until when. Nothing is
 * computed here: where it says nothing, it is asked.
 */
export function foresee(observed: Observed, total: number): Foreseen<ObservedSeats> {
  const { purchased, assigned } = observed.seats
  const own = Own.safeParse(observed.own).data
  const drop = purchased - total
  if (own?.refundable && drop > own.refundable.total) {
    return {
      kind: 'rejected',
      code: 'vendor_rejected',
      reason: notRefundable(purchased, own, own.refundable),
    }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned } }
}

function notRefundable(
  purchased: number,
  { termEnd }: Own,
  { total, until }: NonNullable<Own['refundable']>,
): string {
  if (total === 0) {
    const end = termEnd ? ` on ${termEnd.slice(0, 10)}` : ''
    return `Microsoft takes none of these licenses back before the term ends${end}. Choose ${purchased} or more.`
  }
  const windows = until.map(([quantity, day]) => `${quantity} until ${minute(day)}`).join(', ')
  const which = windows ? `: ${windows}` : ''
  return `Microsoft takes back at most ${total} of these licenses${which}. Choose ${purchased - total} or more.`
}

/** `2026-11-27 08:15 UTC`; a text that is no time as it stands. */
function minute(text: string): string {
  const date = new Date(text)
  if (!Number.isFinite(date.getTime())) return text.slice(0, 40)
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
