// The arithmetic of shares. A limit is one number in the database, of which processes take shares: so most requests are
// counted without asking it. What a process holds and does not use is lost to the others until the window ends, so that
// shares are small at first, grow with use, and shrink to single requests as the window's budget runs out.

/** Of the whole budget, what a process is given that has asked for nothing yet. */
const FIRST = 1 / 100
/** Of what is left of it, the most that a share may be. */
const MOST = 1 / 10

/** How much a process asks for: at first a hundredth of the quota, then twice as much as before. */
export function wanted(quota: number, before: number | undefined): number {
  return before === undefined ? Math.max(1, Math.floor(quota * FIRST)) : Math.max(1, before * 2)
}

/**
 * How much it is given. Store.ts asks the same in SQL; share.test.ts holds the two together.
 * @param left of the window's budget
 * @param want what `wanted` said
 * @param waiting requests that wait for it now: they use what they get, so that nothing of it is lost
 */
export function given(left: number, want: number, waiting: number): number {
  return Math.min(left, Math.max(waiting, Math.min(want, Math.floor(left * MOST))))
}
