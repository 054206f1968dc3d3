/** What is known of a change that was sent, when the vendor's count has been asked for. Times in milliseconds. */
export type Evidence = {
  /** The total that was decided on, and the one that was asked for. */
  from: number
  to: number
  /** What the vendor says that is purchased; `hidden`: it shows us no such subscription. */
  read: number | 'hidden' | 'unanswered'
  /** Whether a read since the call has shown a third total: somebody else has moved it. */
  wasMoved: boolean
  /** Since the call. */
  age: number
  /** How late the vendor may still do what it was asked. */
  settleMs: number
  /** Whether the vendor took an order, which it may be at still: that it is not done only its own word says. */
  isOrdered: boolean
  /** Whether the subscription had the asked total so lately that the read may be of that time. */
  hadBefore: boolean
}

/**
 * For how long after its time a change waits for a vendor that does not answer, or that took an order: what it says
 * later may prove it.
 */
export const LONGER_MS = 24 * 60 * 60 * 1000

/**
 * The state that a read proves, of a change whose answer was lost. A read that shows the asked total proves that it was
 * applied, unless it may be an older one of the same total. That it was not applied, only the total from before proves:
 * once no write can still be on its way, and where nobody was seen to move it. Whatever else is shown then proves
 * nothing, and never will.
 */
export function provenState({
  from,
  to,
  read,
  wasMoved,
  age,
  settleMs,
  isOrdered,
  hadBefore,
}: Evidence): 'APPLIED' | 'FAILED' | 'UNCLEAR' | 'UNKNOWN' {
  if (read === to) return hadBefore ? 'UNKNOWN' : 'APPLIED'
  if (age <= settleMs + (read === 'unanswered' || isOrdered ? LONGER_MS : 0)) return 'UNKNOWN'
  return read === from && !wasMoved && !isOrdered ? 'FAILED' : 'UNCLEAR'
}
