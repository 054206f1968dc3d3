/** From so many failures in a row on, an attempt has to wait for so many seconds after the one before it. */
type Step = readonly [failures: number, seconds: number]

/**
 * What one place may try at one account: an address, a browser that is known to the account, or a session that changes
 * its password. A day's guesses are a hundred.
 */
const OF_SOURCE: readonly Step[] = [
  [5, 5],
  [6, 15],
  [7, 30],
  [8, 60],
  [9, 120],
  [10, 240],
  [11, 480],
  [12, 900],
]

/** What all places together may try at one account, but for the browsers that it knows: two hundred in a day. */
const OF_ACCOUNT: readonly Step[] = [
  [20, 30],
  [30, 60],
  [40, 120],
  [60, 300],
  [100, 900],
]

/** How many mails for forgotten passwords one address may ask for. */
const OF_ASKER: readonly Step[] = [
  [10, 30],
  [20, 60],
  [40, 300],
  [60, 900],
]

/** How many may be asked for with one account's name: its owner gets no hundreds of them. */
const OF_RECIPIENT: readonly Step[] = [
  [3, 60],
  [4, 300],
  [5, 900],
]

/**
 * How often a membership's own password may be set. Whoever can set one could try with it what opens other memberships of
 * the same person, without a failure.
 */
const OF_SETTER: readonly Step[] = [
  [5, 60],
  [8, 300],
  [12, 900],
]

/** How often a success takes failures back: whoever has one of somebody's passwords could try others in between. */
const OF_FORGIVENESS: readonly Step[] = [[1, 3600]]

export type Budget = 'place' | 'account' | 'asker' | 'asked' | 'setter' | 'forgiveness'

const STEPS: Record<Budget, readonly Step[]> = {
  place: OF_SOURCE,
  account: OF_ACCOUNT,
  asker: OF_ASKER,
  asked: OF_RECIPIENT,
  setter: OF_SETTER,
  forgiveness: OF_FORGIVENESS,
}

/** Failures are forgotten after so many seconds without a new one. */
export const FORGOTTEN_AFTER = 24 * 60 * 60

/**
 * The one rule of guessing: how long the next attempt has to wait, in seconds from the one before. No attempt waits
 * for longer than a quarter of an hour: nobody is shut out for good.
 * @param failures in a row, with none of them forgotten
 */
export function waitAfter(failures: number, budget: Budget): number {
  return STEPS[budget].findLast(([from]) => failures >= from)?.[1] ?? 0
}

/** The same as a table by the number of failures, for the statement that decides and counts in one; its last row goes on. */
export function waitTable(budget: Budget): number[] {
  const last = STEPS[budget].at(-1)?.[0] ?? 0
  return Array.from({ length: last + 1 }, (_, failures) => waitAfter(failures, budget))
}
