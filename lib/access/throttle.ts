import 'server-only'
import { randomUUID } from 'node:crypto'
import { database } from '#lib/db/client.ts'
import { digestOf } from './api-key.ts'
import { networkOf } from './limits/addresses.ts'

/** Failed attempts in 15 minutes that one address may make at one account, and at all accounts. */
export const ATTEMPTS_AT_ACCOUNT = 10
export const ATTEMPTS_OF_ADDRESS = 100

const WINDOW = "interval '15 minutes'"

/** One attempt to sign in; `forgive` takes it and the account's failures back when it succeeds. */
export type Attempt = { isThrottled: boolean; forgive(): Promise<void> }

/**
 * Counts an attempt before its password is looked at, so that a thousand at once are counted too. An account is
 * throttled for one address alone: a stranger can't lock its owner out. Kept in the database, for all processes.
 * @param email as given; any case is the same account
 * @param address of the client, in the one form that the front door gives it: a /64 of IPv6 counts as one
 */
export async function countAttempt(email: string, address: string): Promise<Attempt> {
  const { signIn } = database()
  const attempt = randomUUID()
  const network = networkOf(address)
  const account = digestOf(`${email.toLowerCase()} ${network}`)
  const subjects = [account, digestOf(network)]
  await signIn.query(`DELETE FROM sign_in_attempts WHERE at < now() - ${WINDOW}`)
  await signIn.query('INSERT INTO sign_in_attempts (attempt, subject) SELECT $1, unnest($2::text[])', [
    attempt,
    subjects,
  ])
  const { rows } = await signIn.query<{ account: number; address: number }>(
    `SELECT count(*) FILTER (WHERE subject = $1)::int AS account, count(*) FILTER (WHERE subject = $2)::int AS address
     FROM sign_in_attempts WHERE subject IN ($1, $2) AND at > now() - ${WINDOW}`,
    subjects,
  )
  const counted = rows[0] ?? { account: 0, address: 0 }
  return {
    isThrottled: counted.account > ATTEMPTS_AT_ACCOUNT || counted.address > ATTEMPTS_OF_ADDRESS,
    async forgive() {
      await signIn.query('DELETE FROM sign_in_attempts WHERE attempt = $1 OR subject = $2', [
        attempt,
        account,
      ])
    },
  }
}
