import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { AccountEvent } from '#lib/access/sign-ins/account-mail.ts'
import type { Transaction } from '#lib/db/client.ts'
import { accountMails } from '#lib/db/schema/access/sign-ins.ts'

/** A mail that this process is to send, with whom it goes to and what it tells. */
export type DueMail = {
  id: string
  event: AccountEvent
  at: Date
  address: string | null
  userAgent: string | null
  email: string
  customer: string
  /** The API key that it is about, where it is about one. */
  keyName: string | null
  keyEnds: Date | null
  /** The name of what else it is about. */
  about: string | null
}

/** How a mail ends, by what the mail server did. */
export const STATES = {
  sent: 'SENT',
  refused: 'REFUSED',
  unknown: 'UNKNOWN',
  later: 'WAITING',
  away: 'WAITING',
} as const

/** While one is being sent nobody else takes it; of who dies over it nobody knows whether it left, and it leaves again. */
const LEASE = sql`interval '10 minutes'`
const AGAIN_AFTER = sql`interval '5 minutes'`
/** What is older helps nobody: it is given up. */
const LATEST = sql`interval '1 day'`

/** Takes one of the customer's mails that are due, the oldest first; undefined where there is none. */
export async function claimMail(tx: Transaction, customerId: CustomerId): Promise<DueMail | undefined> {
  await tx.execute(sql`
    UPDATE account_mails SET state = 'REFUSED', reason = 'It could not be sent within a day.'
    WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND at < now() - ${LATEST}`)
  const { rows } = await tx.execute<DueMail>(sql`
    WITH due AS (
      SELECT id FROM account_mails
      WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND not_before <= clock_timestamp()
      ORDER BY at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE account_mails a SET state = 'SENDING', not_before = clock_timestamp() + ${LEASE}
      FROM due WHERE a.customer_id = ${customerId} AND a.id = due.id RETURNING a.*
    )
    SELECT t.id, t.event, t.at, t.address, t.user_agent AS "userAgent", m.email, c.name AS customer,
      k.name AS "keyName", k.expires_at AS "keyEnds", t.about
    FROM taken t
    JOIN members m ON m.customer_id = t.customer_id AND m.id = t.member_id
    JOIN customers c ON c.id = t.customer_id
    LEFT JOIN api_keys k ON k.customer_id = t.customer_id AND k.id = t.key_id`)
  const [due] = rows
  return due && { ...due, at: new Date(due.at), keyEnds: due.keyEnds && new Date(due.keyEnds) }
}

/** How it ended; `WAITING`: it surely did not leave, and is tried again later. */
export async function settleMail(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  state: 'WAITING' | 'SENT' | 'REFUSED' | 'UNKNOWN',
  reason: string | null = null,
): Promise<void> {
  const notBefore = sql`clock_timestamp() + ${AGAIN_AFTER}`
  await tx
    .update(accountMails)
    .set({ state, reason, notBefore })
    .where(and(eq(accountMails.customerId, customerId), eq(accountMails.id, id)))
}

/** Then nobody asks any more what became of one. */
const KEPT = sql`interval '90 days'`

/**
 * Removes the customer's mails that were sent long ago, or given up.
 * @returns how many
 */
export async function pruneMails(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${accountMails.at} < now() - ${KEPT}`
  const { rowCount } = await tx
    .delete(accountMails)
    .where(and(eq(accountMails.customerId, customerId), isOld))
  return rowCount ?? 0
}
