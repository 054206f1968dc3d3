import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { findPerson } from '../people/find-person.ts'
import { newSecret } from './store.ts'

// The answer to a recovery request does not depend on whether the address is known (user enumeration): a job looks it
// up and mails a link.

/**
 * Lifetime of a mailed recovery link, in seconds. A new request leaves former links valid, because anyone can make one:
 * the use of one withdraws the others. The longest wait between two mails is half of the lifetime, so a member whose
 * requests are used up by a stranger has a valid link in a mail.
 */
const RECOVERY_SECONDS = 30 * 60

/** Enqueues a recovery mail to this address, whether it is known or not. */
export async function requestRecovery(email: string): Promise<void> {
  await database().signIn.query('INSERT INTO recoveries (email) VALUES ($1)', [email])
}

/**
 * Recovery link for this process to mail; `email`: as stored with the member. `mail` is undefined for an unknown
 * address.
 */
export type DueRecovery = { id: string; mail: { email: string; secret: string } | undefined }

const CLAIM = `
  UPDATE recoveries SET state = 'SENDING', not_before = statement_timestamp() + interval '10 minutes'
  WHERE id = (SELECT id FROM recoveries
    WHERE state IN ('WAITING', 'SENDING') AND withdrawn_at IS NULL AND not_before <= statement_timestamp()
    ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, email, created_at < now() - interval '${RECOVERY_SECONDS} seconds' AS "isLate"`
const MAKE = `
  UPDATE recoveries SET person_id = $1, digest = $3, expires_at = now() + interval '${RECOVERY_SECONDS} seconds' WHERE id = $2`

/**
 * Claims the oldest due recovery and makes its link; undefined where none is due. A recovery that is claimed again,
 * after its mail failed, gets a new secret.
 */
export async function claimRecovery(): Promise<DueRecovery | undefined> {
  const { signIn } = database()
  const { rows } = await signIn.query<{ id: string; email: string; isLate: boolean }>(CLAIM)
  const [due] = rows
  if (!due) return undefined
  const person = due.isLate ? undefined : await findPerson(due.email)
  const membership = person?.memberships.find(
    ({ isDisabled, isInvited, isSignOnOnly }) => !isDisabled && !isInvited && !isSignOnOnly,
  )
  if (!person?.personId || !membership) return { id: due.id, mail: undefined }
  const secret = newSecret()
  await signIn.query(MAKE, [person.personId, due.id, digestOf(secret)])
  return { id: due.id, mail: { email: membership.email, secret } }
}

/** Stores the outcome of the mail; `WAITING`: it certainly was not sent, and is retried later. */
export async function finishRecovery(
  id: string,
  state: 'WAITING' | 'SENT' | 'REFUSED' | 'UNKNOWN',
  reason: string | null = null,
): Promise<void> {
  await database().signIn.query(
    "UPDATE recoveries SET state = $2, reason = $3, not_before = now() + interval '1 minute' WHERE id = $1",
    [id, state, reason],
  )
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
