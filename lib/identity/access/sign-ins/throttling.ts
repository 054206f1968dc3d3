import 'server-only'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { networkOf } from '#lib/platform/caller/limits/addresses.ts'
import { database } from '#lib/platform/db/client.ts'
import { type Budget, FORGOTTEN_AFTER, waitTable } from './rules.ts'

/** Attempt, counted before the comparison, so that concurrent attempts are counted as well. */
export type Attempt =
  | { kind: 'throttled'; seconds: number }
  /**
   * `refund` takes the attempt back after a success, together with the source's former failures, at most once an hour.
   */
  | { kind: 'counted'; refund(): Promise<void> }

/**
 * Source of an attempt at an account. A known browser is named by its digest, with the customers whose accounts know
 * it.
 */
export type AttemptSource = {
  address: string
  recognizedBrowser: { digest: string; at: readonly string[] } | undefined
}

/**
 * Counts an attempt to sign in, or rejects it. Its first budget is that of its source: an address at this account, or a
 * browser that the account knows. Its second budget is shared by all such sources. Unknown sources use nothing of the
 * budget of known browsers, browsers known at one customer nothing of those known at another, and attempts at one
 * account nothing of other accounts. Stored in the database, for all processes.
 * @param email as typed; letter case is ignored, and an unknown address is counted alike (user enumeration)
 */
export async function countAttempt(
  email: string,
  { address, recognizedBrowser }: AttemptSource,
): Promise<Attempt> {
  const account = email.toLowerCase()
  const [source, whole] = recognizedBrowser
    ? [
        `browser ${recognizedBrowser.digest} ${account}`,
        `known at ${recognizedBrowser.at.toSorted().join()} ${account}`,
      ]
    : [`address ${networkOf(address)} ${account}`, `account ${account}`]
  const attempt = await countAt(digestOf(source))
  if (attempt.kind === 'throttled') return attempt
  const wait = await consume(digestOf(whole), 'account')
  if (wait > 0) {
    await database().signIn.query(GIVE_BACK, [digestOf(source)])
    return { kind: 'throttled', seconds: wait }
  }
  const refundBudget = digestOf(`forgiveness ${account}`)
  return { kind: 'counted', refund: () => refundAttempt(digestOf(source), digestOf(whole), refundBudget) }
}

/** Counts an attempt to enter the present password within a session, which has a budget of its own. */
export function countPasswordAttempt(session: string): Promise<Attempt> {
  return countAt(digestOf(`session ${session}`))
}

/**
 * Counts an attempt to enter a code of a second factor, over all sources: the attacker has the password already. They
 * may also have one of the person's factors, and guess another one between successes.
 */
export function countFactorAttempt(personId: string): Promise<Attempt> {
  return countAt(digestOf(`factor ${personId}`), digestOf(`factor forgiveness ${personId}`))
}

/**
 * Counts a requested recovery mail, or rejects it: by the sender's address, by that address at this account, and by the
 * account, in any letter case and whether it exists or not. One sender can't use up the requests of others.
 * @returns 0 where it was counted, else the wait in seconds
 */
export async function countRecovery(email: string, address: string): Promise<number> {
  const [account, network] = [email.toLowerCase(), networkOf(address)]
  const budgets: [string, Budget][] = [
    [digestOf(`recovery from ${network}`), 'asker'],
    [digestOf(`recovery of ${account} from ${network}`), 'asked'],
    [digestOf(`recovery of ${account}`), 'asked-by-all'],
  ]
  for (const [at, [subject, budget]] of budgets.entries()) {
    const wait = await consume(subject, budget)
    if (wait === 0) continue
    for (const [counted] of budgets.slice(0, at)) await database().signIn.query(GIVE_BACK, [counted])
    return wait
  }
  return 0
}

/**
 * Counts a change of a membership's own password, or rejects it.
 * @returns 0 where it was counted, else the wait in seconds
 */
export function countSetting(customerId: string, email: string): Promise<number> {
  return consume(digestOf(`setting ${customerId} ${email.toLowerCase()}`), 'setter')
}

/** Removes expired budgets, and attempts stored by the former release. @returns how many budgets */
export async function pruneBudgets(): Promise<number> {
  const { signIn } = database()
  const { rowCount } = await signIn.query(`DELETE FROM sign_in_budgets WHERE ${IS_FORGOTTEN}`)
  await signIn.query("DELETE FROM sign_in_attempts WHERE at < now() - interval '1 day'")
  return rowCount ?? 0
}

const IS_FORGOTTEN = `last_at < statement_timestamp() - interval '${FORGOTTEN_AFTER} seconds'`
/** Wait of the row `b`, by the table in $2. */
const WAIT = "($2::int[])[least(b.failures, cardinality($2::int[]) - 1) + 1] * interval '1 second'"

// One statement decides and counts, so concurrent attempts see each other. It uses the time when it arrived, which
// precedes that of an attempt whose row lock it waited for; hence `greatest` and `least`.
const CONSUME = `
  INSERT INTO sign_in_budgets AS b (subject, failures) VALUES ($1, 1)
  ON CONFLICT (subject) DO UPDATE SET last_at = greatest(b.last_at, statement_timestamp()),
    failures = CASE WHEN b.${IS_FORGOTTEN} THEN 1 ELSE b.failures + 1 END
  WHERE least(b.last_at, statement_timestamp()) + ${WAIT} <= statement_timestamp()`
const LEFT = `
  SELECT greatest(1, ceil(extract(epoch FROM b.last_at + ${WAIT} - statement_timestamp())))::int AS seconds
  FROM sign_in_budgets b WHERE b.subject = $1`
const FAILURES = 'SELECT failures FROM sign_in_budgets WHERE subject = $1'
const GIVE_BACK = 'UPDATE sign_in_budgets SET failures = failures - 1 WHERE subject = $1 AND failures > 0'
const REFUND = `
  WITH gone AS (DELETE FROM sign_in_budgets WHERE subject = $1 RETURNING failures)
  UPDATE sign_in_budgets b SET failures = greatest(0, b.failures - gone.failures) FROM gone WHERE b.subject = $2`

async function countAt(subject: string, refundBudget?: string): Promise<Attempt> {
  const seconds = await consume(subject, 'place')
  return seconds > 0
    ? { kind: 'throttled', seconds }
    : { kind: 'counted', refund: () => refundAttempt(subject, null, refundBudget) }
}

/** @returns 0 where the attempt was counted, else the wait in seconds */
async function consume(subject: string, budget: Budget): Promise<number> {
  const { signIn } = database()
  const values = [subject, waitTable(budget)]
  const { rowCount } = await signIn.query(CONSUME, values)
  if (rowCount === 1) return 0
  const { rows } = await signIn.query<{ seconds: number }>(LEFT, values)
  return rows[0]?.seconds ?? 1
}

/** @param refundBudget budget of refunds; without it refunds are unlimited */
async function refundAttempt(source: string, account: string | null, refundBudget?: string): Promise<void> {
  const { signIn } = database()
  const { rows } = await signIn.query<{ failures: number }>(FAILURES, [source])
  const isMerciful =
    refundBudget === undefined ||
    (rows[0]?.failures ?? 0) <= 1 ||
    (await consume(refundBudget, 'forgiveness')) === 0
  if (isMerciful) await signIn.query(REFUND, [source, account])
  else for (const subject of [source, account]) await signIn.query(GIVE_BACK, [subject])
}
