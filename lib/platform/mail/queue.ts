import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import type { accountMails } from '#lib/platform/db/schema/access/sign-ins.ts'

// Rows that wait for a job, which mails them: one that is taken is `SENDING` until it is known what became of it.

type Queue = typeof accountMails | typeof accountLinks

/** While one is being sent nobody else takes it; of who dies over it nobody knows whether it left, and it leaves again. */
export const LEASE = sql`interval '10 minutes'`
const AGAIN_AFTER = sql`interval '5 minutes'`
const LATEST = sql`interval '1 day'`

/** In a statement: whether a row of a queue is due. */
export const IS_DUE = sql`state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp()`

/** Gives up those of the customer that are older than a day: they help nobody. @param since the column that says how old */
export async function rejectExpired(
  tx: Transaction,
  customerId: CustomerId,
  queue: Queue,
  since: 'at' | 'created_at',
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${queue} SET state = 'REFUSED', reason = 'It could not be sent within a day.'
    WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND ${sql.identifier(since)} < now() - ${LATEST}`)
}

/** How the mail of a row ended; `WAITING`: it surely did not leave, and is tried again later. */
export type Ended = { state: 'WAITING' | 'SENT' | 'REFUSED' | 'UNKNOWN'; reason: string | null }

/** Writes down how it ended. */
export async function recordOutcome(
  tx: Transaction,
  customerId: CustomerId,
  queue: Queue,
  id: string,
  { state, reason }: Ended,
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${queue} SET state = ${state}, reason = ${reason}, not_before = statement_timestamp() + ${AGAIN_AFTER}
    WHERE customer_id = ${customerId} AND id = ${id}`)
}
