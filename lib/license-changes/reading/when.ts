// When a subscription is read by itself. Nothing here asks anybody: times come in, and a time goes out.

/** What makes a subscription worth a call of its own, before the list comes to it. */
export type Occasion =
  /** A change of ours was settled: a read before the vendor's stale time is over may show what was before. */
  | { kind: 'changed'; at: Date }
  /** A read shows another total than the vendor confirmed to us a moment ago, and nobody can tell which is older. */
  | { kind: 'disputed'; confirmedAt: Date }
  /** Somebody looks at it, and sees what was read long ago. */
  | { kind: 'looked'; at: Date; observedAt: Date | null }
  /** An operator's file wrote its totals, which its vendor has not confirmed. */
  | { kind: 'imported'; at: Date }
  /** A pass through the vendor's list came to its end without it: its id may have changed, or it is gone. */
  | { kind: 'missed'; at: Date }
  /** The read for which it was due told nothing. `observedAt`: of the latest one that did. */
  | { kind: 'unread'; at: Date; observedAt: Date | null }

const MINUTE = 60_000
/** What was read within this time is news to nobody who looks. */
export const FRESH_MS = 5 * MINUTE
/** Between two tries to read one that can't be read. */
const SOONEST_TRY = MINUTE
const LATEST_TRY = 60 * MINUTE

/**
 * When a subscription is due for that; null where it isn't, and the next pass through the list is soon enough.
 * @param staleMs how old the state may be that a read shows, in milliseconds
 */
export function dueFor(occasion: Occasion, staleMs: number): Date | null {
  switch (occasion.kind) {
    case 'changed':
      return after(occasion.at, staleMs)
    case 'disputed':
      return after(occasion.confirmedAt, staleMs)
    case 'imported':
    case 'missed':
      return occasion.at
    case 'looked':
      return ageOf(occasion) > FRESH_MS ? occasion.at : null
    case 'unread':
      // The longer nothing is heard of it, the longer the wait: a broken one costs a call an hour.
      return after(occasion.at, Math.min(Math.max(ageOf(occasion) / 2, SOONEST_TRY), LATEST_TRY))
  }
}

/** The earlier of two times; null is never. */
export function sooner(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other
  return one <= other ? one : other
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms)
}

/** Milliseconds; without end where it was never read. */
function ageOf({ at, observedAt }: { at: Date; observedAt: Date | null }): number {
  return observedAt ? at.getTime() - observedAt.getTime() : Number.POSITIVE_INFINITY
}
