import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { AccountEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountMails } from '#lib/platform/db/schema/access/sign-ins.ts'
import type { Delivery } from '#lib/platform/mail/mailer.ts'
import { type Ended, IS_DUE, LEASE, rejectExpired } from '#lib/platform/mail/queue.ts'

/** Mail that this process is to send, with its recipient and its event. */
export type DueMail = {
  id: string
  event: AccountEvent
  at: Date
  address: string | null
  userAgent: string | null
  email: string
  customer: string
  /** Name of the API key, for events of a key. */
  keyName: string | null
  keyEnds: Date | null
  /** Name of a further subject of the mail. */
  about: string | null
}

const STATES = {
  sent: 'SENT',
  refused: 'REFUSED',
  unknown: 'UNKNOWN',
  later: 'WAITING',
  away: 'WAITING',
} as const

/** Returns the final state of a mail, by the answer of the mail server. */
export function endedBy(delivery: Delivery): Ended {
  return { state: STATES[delivery.kind], reason: 'reason' in delivery ? delivery.reason : null }
}

/** Claims the oldest due mail of the customer; undefined where none is due. */
export async function claimMail(tx: Transaction, customerId: CustomerId): Promise<DueMail | undefined> {
  await rejectExpired(tx, customerId, accountMails, 'at')
  const { rows: claimed } = await tx.execute<{ id: string }>(sql`
    WITH due AS (
      SELECT id FROM account_mails
      WHERE customer_id = ${customerId} AND ${IS_DUE}
      ORDER BY at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE account_mails a SET state = 'SENDING', not_before = statement_timestamp() + ${LEASE}
    FROM due WHERE a.customer_id = ${customerId} AND a.id = due.id RETURNING a.id`)
  if (!claimed[0]) return undefined
  // A separate statement: Citus rejects an UPDATE combined with a reference table.
  const { rows } = await tx.execute<DueMail>(sql`
    SELECT t.id, t.event, t.at, t.address, t.user_agent AS "userAgent", m.email, c.name AS customer,
      k.name AS "keyName", k.expires_at AS "keyEnds", t.about
    FROM account_mails t
    JOIN members m ON m.customer_id = ${customerId} AND m.id = t.member_id
    JOIN customers c ON c.id = ${customerId}
    LEFT JOIN api_keys k ON k.customer_id = ${customerId} AND k.id = t.key_id
    WHERE t.customer_id = ${customerId} AND t.id = ${claimed[0].id}`)
  const [due] = rows
  return due && { ...due, at: new Date(due.at), keyEnds: due.keyEnds && new Date(due.keyEnds) }
}

/** Retention of mails; after it, their outcome is of no use any more. */
const RETENTION = sql`interval '90 days'`

/**
 * Removes the customer's mails that were sent or given up before the retention.
 * @returns how many
 */
export async function pruneMails(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${accountMails.at} < now() - ${RETENTION}`
  const { rowCount } = await tx
    .delete(accountMails)
    .where(and(eq(accountMails.customerId, customerId), isOld))
  return rowCount ?? 0
}
