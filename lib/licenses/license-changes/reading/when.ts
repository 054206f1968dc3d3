// When a subscription is read by itself, before the list comes to it. Nothing here asks anybody: times come in, in
// milliseconds, and a wait goes out.

/** What makes a subscription worth a call of its own. */
export type Occasion =
  /** A change of ours was done: a read before the vendor's stale time is over may show what was before. */
  | { kind: 'changed' }
  /** A read shows another total than the vendor confirmed so long ago, and nobody can tell which is older. */
  | { kind: 'disputed'; since: number }
  /** Somebody looks at it, and sees what was told so long ago. */
  | { kind: 'looked'; age: number }
  /** It was asked for and told nothing; the last time that it did is so long ago. */
  | { kind: 'unread'; age: number }

const MINUTE = 60_000
/** What was told within this time is news to nobody who looks. */
export const FRESH_MS = 5 * MINUTE
/** Between two tries to read one that can't be read. */
const SOONEST_TRY = MINUTE
const LATEST_TRY = 60 * MINUTE

/**
 * How long until it is read for that; null where the next pass through the list is soon enough.
 * @param staleMs how old the state may be that a read shows
 */
export function waitFor(occasion: Occasion, staleMs: number): number | null {
  switch (occasion.kind) {
    case 'changed':
      return staleMs
    case 'disputed':
      return Math.max(0, staleMs - occasion.since)
    case 'looked':
      return occasion.age > FRESH_MS ? 0 : null
    case 'unread':
      // The longer nothing is heard of it, the longer the wait: a broken one costs a call an hour.
      return Math.min(Math.max(occasion.age / 2, SOONEST_TRY), LATEST_TRY)
  }
}
