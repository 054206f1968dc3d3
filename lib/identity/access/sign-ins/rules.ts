/** Wait in seconds between attempts, from this number of consecutive failures on. */
type Step = readonly [failures: number, seconds: number]

/**
 * Budget of one source at one account: an address, a browser known to the account, or a session that changes its
 * password. Allows about a hundred guesses a day.
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

/** Shared budget of all sources at one account, except for its known browsers: about two hundred guesses a day. */
const OF_ACCOUNT: readonly Step[] = [
  [20, 30],
  [30, 60],
  [40, 120],
  [60, 300],
  [100, 900],
]

/** Budget of recovery mails requested from one address. */
const OF_ASKER: readonly Step[] = [
  [10, 30],
  [20, 60],
  [40, 300],
  [60, 900],
]

/** Budget of recovery mails that one address requests for one account. */
const OF_RECIPIENT: readonly Step[] = [
  [3, 60],
  [4, 300],
  [5, 900],
]

/**
 * Budget of recovery mails for one account from all addresses, so that its owner does not get hundreds. Its longest
 * wait is shorter than the lifetime of a link.
 */
const OF_RECIPIENT_BY_ALL: readonly Step[] = [
  [12, 60],
  [16, 300],
  [20, 900],
]

/**
 * Budget for setting a membership's own password: setting one shows, without a failure, whether it also opens other
 * memberships of the person.
 */
const OF_SETTER: readonly Step[] = [
  [5, 60],
  [8, 300],
  [12, 900],
]

/**
 * Budget of refunds after a success: an attacker who has one of a person's passwords could reset the failures between
 * guesses.
 */
const OF_FORGIVENESS: readonly Step[] = [[1, 3600]]

export type Budget = 'place' | 'account' | 'asker' | 'asked' | 'asked-by-all' | 'setter' | 'forgiveness'

const STEPS: Record<Budget, readonly Step[]> = {
  place: OF_SOURCE,
  account: OF_ACCOUNT,
  asker: OF_ASKER,
  asked: OF_RECIPIENT,
  'asked-by-all': OF_RECIPIENT_BY_ALL,
  setter: OF_SETTER,
  forgiveness: OF_FORGIVENESS,
}

/** Seconds without a failure after which former failures are forgotten. */
export const FORGOTTEN_AFTER = 24 * 60 * 60

/**
 * Returns the wait for the next attempt, in seconds from the former one: a quarter of an hour at most, so that no
 * account is locked out for good.
 * @param failures consecutive failures, none of them expired
 */
export function waitAfter(failures: number, budget: Budget): number {
  return STEPS[budget].findLast(([from]) => failures >= from)?.[1] ?? 0
}

/**
 * Returns the waits of `waitAfter` by the number of failures, for the SQL statement that decides and counts; its last
 * value applies to all higher numbers.
 */
export function waitTable(budget: Budget): number[] {
  const last = STEPS[budget].at(-1)?.[0] ?? 0
  return Array.from({ length: last + 1 }, (_, failures) => waitAfter(failures, budget))
}
