import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { NO_CUSTOMER } from '#lib/platform/outbox/store.ts'
import { findPerson } from '../people/find-person.ts'
import { newSecret } from './store.ts'

// The answer to a recovery request does not depend on whether the address is known (user enumeration): a job looks it
// up and mails a link.

/**
 * Lifetime of a mailed recovery link, in seconds. A new request leaves former links valid, because anyone can make one:
 * the use of one withdraws the others. The longest wait between two mails is half of the lifetime, so a member whose
 * requests are used up by a stranger has a valid link in a mail.
 */
export const RECOVERY_SECONDS = 30 * 60

/** Enqueues a recovery mail to this address, whether it is known or not. */
export async function requestRecovery(email: string): Promise<void> {
  // Processes of the previous release look for recoveries that are due: this one never is.
  await enqueueRecoveries("INSERT INTO recoveries (email, not_before) VALUES ($1, 'infinity') RETURNING id", [
    email,
  ])
}

/** Moves recoveries that the previous release has queued into the outbox, each once. @returns how many */
export function adoptRecoveries(): Promise<number> {
  return enqueueRecoveries(
    `UPDATE recoveries SET not_before = 'infinity' WHERE id IN (
       SELECT id FROM recoveries WHERE state IN ('WAITING', 'SENDING') AND withdrawn_at IS NULL
         AND not_before <= statement_timestamp() FOR UPDATE SKIP LOCKED)
     RETURNING id`,
  )
}

/** Enqueues the mails of the recoveries that a query writes, in its transaction. @returns how many */
async function enqueueRecoveries(query: string, values: string[] = []): Promise<number> {
  const client = await database().signIn.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ id: string }>(query, values)
    for (const { id } of rows)
      await client.query('INSERT INTO outbox (customer_id, kind, recipient) VALUES ($1, $2, $3)', [
        NO_CUSTOMER,
        'recovery',
        id,
      ])
    await client.query('COMMIT')
    client.release()
    return rows.length
  } catch (error) {
    // Destroys the connection, and its transaction with it.
    client.release(true)
    throw error
  }
}

const MAKE = `
  UPDATE recoveries SET person_id = $1, digest = $3, expires_at = now() + interval '${RECOVERY_SECONDS} seconds' WHERE id = $2`

/**
 * Makes the link of a recovery. A mail that is repeated gets a new secret.
 * @returns the address as stored with the member; undefined for an unknown address, and a withdrawn recovery
 */
export async function startRecovery(
  id: string,
): Promise<{ email: string; secret: string; customer: string } | undefined> {
  const { signIn } = database()
  const { rows } = await signIn.query<{ email: string }>(
    `SELECT email FROM recoveries WHERE id = $1 AND withdrawn_at IS NULL
       AND created_at > now() - interval '${RECOVERY_SECONDS} seconds'`,
    [id],
  )
  const person = rows[0] && (await findPerson(rows[0].email))
  const memberships = person?.memberships.filter(
    ({ isDisabled, isInvited, isSignOnOnly }) => !isDisabled && !isInvited && !isSignOnOnly,
  )
  const [membership] = memberships ?? []
  if (!person?.personId || !membership) return undefined
  const secret = newSecret()
  await signIn.query(MAKE, [person.personId, id, digestOf(secret)])
  const customer = memberships?.map(({ customerName }) => customerName).join(', ') ?? ''
  return { email: membership.email, secret, customer }
}

/**
 * Consumes a recovery, in the scope of one of its person's customers, and withdraws the person's others.
 * @returns false where it is not valid any more: only one of two concurrent requests succeeds, also with two links
 */
export async function recoverBy(tx: Transaction, id: string): Promise<boolean> {
  const isOpen = sql`used_at IS NULL AND withdrawn_at IS NULL AND expires_at > now()`
  // Locks in one order, so that two links of a person can't withdraw each other.
  await tx.execute(sql`
    SELECT id FROM recoveries
    WHERE person_id = (SELECT person_id FROM recoveries WHERE id = ${id}) AND ${isOpen} ORDER BY id FOR NO KEY UPDATE`)
  const used = await tx.execute<{ personId: string }>(sql`
    UPDATE recoveries SET used_at = now() WHERE id = ${id} AND ${isOpen} RETURNING person_id AS "personId"`)
  const [row] = used.rows
  if (!row) return false
  await tx.execute(sql`
    UPDATE recoveries SET withdrawn_at = now() WHERE person_id = ${row.personId} AND id <> ${id} AND ${isOpen}`)
  return true
}

/** Removes recoveries that are more than a day old. @returns how many */
export async function pruneRecoveries(): Promise<number> {
  const old = "DELETE FROM recoveries WHERE created_at < now() - interval '1 day'"
  return (await database().signIn.query(old)).rowCount ?? 0
}
