import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { noticeConfirmations } from '#lib/platform/db/schema/notifications.ts'
import type { Delivery } from './mailer.ts'

// Outbox rows that a job mails: a claimed row is `SENDING` until its outcome is known.

type Queue = typeof noticeConfirmations

/**
 * Lease of a row that is being sent, exclusive to one process. If the process dies, the outcome is unknown, and the
 * mail is sent again.
 */
export const LEASE = sql`interval '10 minutes'`
const AGAIN_AFTER = sql`interval '5 minutes'`
const LATEST = sql`interval '1 day'`

/** SQL condition that a row of a queue is due. */
export const IS_DUE = sql`state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp()`

/**
 * Rejects the customer's mails that are older than a day and therefore useless.
 * @param since column with the mail's time
 */
export async function rejectExpired(
  tx: Transaction,
  customerId: CustomerId,
  queue: Queue,
  since: 'created_at',
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${queue} SET state = 'REFUSED', reason = 'It could not be sent within a day.'
    WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND ${sql.identifier(since)} < now() - ${LATEST}`)
}

/** Outcome of a row's mail; `WAITING`: certainly not sent, and tried again later. */
type Ended = { state: 'WAITING' | 'SENT' | 'REFUSED' | 'UNKNOWN'; reason: string | null }

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

/** Records the outcome of a mail. */
export async function recordOutcome(
  tx: Transaction,
  customerId: CustomerId,
  queue: Queue,
  { id, state, reason }: { id: string } & Ended,
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${queue} SET state = ${state}, reason = ${reason}, not_before = statement_timestamp() + ${AGAIN_AFTER}
    WHERE customer_id = ${customerId} AND id = ${id}`)
}
