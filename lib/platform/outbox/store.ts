import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { minted } from '#lib/platform/caller/store.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { outbox } from '#lib/platform/db/schema/outbox.ts'

// Transactional outbox: a message is written in the transaction of its cause, so that it exists exactly if the cause
// does. The worker claims it for a lease, delivers it, and records the outcome. After a crash in between, the lease ends
// and the message is delivered again.

/** Customer of messages that belong to none: requests for forgotten passwords, and mails to operators. */
export const NO_CUSTOMER: CustomerId = minted('')

export type NewMessage = {
  kind: string
  recipient: string
  /** Messages of one lane are delivered one after the other. */
  lane?: string
  content?: object
}

/** Message that this process has claimed. */
export type Message = {
  customerId: CustomerId
  id: string
  seq: string
  kind: string
  recipient: string
  lane: string | null
  content: Record<string, unknown>
  /** Number of this claim. */
  attempts: number
  createdAt: Date
  ageSeconds: number
  /** Seconds since the first failure in a row; null: the last attempt did not fail. */
  failingSeconds: number | null
}

/** `WAITING`: certainly not delivered, and tried again after `retrySeconds`. */
export type Outcome =
  | { state: 'SENT' }
  | { state: 'REFUSED' | 'UNKNOWN'; reason: string }
  | { state: 'WAITING'; reason: string; retrySeconds: number; isUntried?: true }

/** Writes messages, in the transaction of their cause. */
export async function enqueue(
  tx: Transaction,
  customerId: CustomerId,
  messages: readonly NewMessage[],
): Promise<void> {
  if (messages.length === 0) return
  await tx.insert(outbox).values(messages.map((message) => ({ customerId, ...message })))
}

/** Returns the customers with messages of these kinds that are due. */
export async function customersWithMessages(kinds: readonly string[]): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT customer_id FROM outbox
     WHERE state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp() AND kind = ANY ($1::text[])
     ORDER BY customer_id`,
    [kinds],
  )
  return rows.map((row) => row.customer_id)
}

/**
 * Claims the customer's message that is due for longest and the first of its lane; undefined where none is due. No other
 * process claims it within the lease. Without statistics of thousands of new messages, the planner would sort them, or
 * read all of them for each one: it may use neither, so that both orders have to come from the index of that order. For
 * the same reason the lane is a range, which only the index of lanes has in order.
 */
export async function claimMessage(
  tx: Transaction,
  customerId: CustomerId,
  kinds: readonly string[],
  leaseSeconds: number,
): Promise<Message | undefined> {
  await tx.execute(sql`SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_incremental_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`)
  const { rows } = await tx.execute<Omit<Message, 'customerId'>>(sql`
    WITH due AS (
      SELECT o.id FROM outbox o
      LEFT JOIN LATERAL (
        SELECT true AS waits FROM outbox b
        WHERE b.customer_id = ${customerId} AND b.lane BETWEEN o.lane AND o.lane AND b.seq < o.seq
          AND b.state IN ('WAITING', 'SENDING')
        ORDER BY b.customer_id, b.lane, b.seq LIMIT 1) b ON true
      WHERE o.customer_id = ${customerId} AND o.state IN ('WAITING', 'SENDING')
        AND o.not_before <= statement_timestamp() AND o.kind = ANY (${sql.param([...kinds])}::text[])
        AND b.waits IS NULL
      ORDER BY o.not_before LIMIT 1 FOR UPDATE OF o SKIP LOCKED
    )
    UPDATE outbox o SET state = 'SENDING', attempts = o.attempts + 1,
      not_before = statement_timestamp() + make_interval(secs => ${leaseSeconds})
    WHERE o.customer_id = ${customerId} AND o.id = (SELECT id FROM due)
    RETURNING o.id, o.seq::text, o.kind, o.recipient, o.lane, o.content, o.attempts, o.created_at AS "createdAt",
      extract(epoch FROM now() - o.created_at)::float8 AS "ageSeconds",
      extract(epoch FROM statement_timestamp() - o.failing_since)::float8 AS "failingSeconds"`)
  const [row] = rows
  return row && { ...row, customerId, createdAt: new Date(row.createdAt) }
}

/**
 * Records the outcome of a claimed message.
 * @returns false where the lease had ended and another process has claimed the message since: nothing is recorded
 */
export async function recordOutcome(
  tx: Transaction,
  { customerId, id, attempts }: Pick<Message, 'customerId' | 'id' | 'attempts'>,
  outcome: Outcome,
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    UPDATE outbox SET state = ${outcome.state}, ${changesOf(outcome)}
    WHERE customer_id = ${customerId} AND id = ${id} AND state = 'SENDING' AND attempts = ${attempts}`)
  return rowCount === 1
}

function changesOf(outcome: Outcome): SQL {
  const reason = 'reason' in outcome ? outcome.reason : null
  if (outcome.state !== 'WAITING') return sql`ended_at = statement_timestamp(), reason = ${reason}`
  const notBefore = sql`not_before = statement_timestamp() + make_interval(secs => ${outcome.retrySeconds})`
  // The reason of the last attempt stays.
  return outcome.isUntried
    ? sql`${notBefore}, attempts = attempts - 1, reason = CASE WHEN failing_since IS NULL THEN ${reason} ELSE reason END`
    : sql`${notBefore}, failing_since = coalesce(failing_since, statement_timestamp()), reason = ${reason}`
}

/** Retention of mails after their end, and of webhooks after their event, whether they were delivered or not. */
const [MAIL_RETENTION, WEBHOOK_RETENTION] = [sql`interval '90 days'`, sql`interval '30 days'`]

/** Most rows of one statement, so that none exceeds the time limit. */
const MAX_ROWS = 5000

/** Removes the customer's messages after their retention. @returns how many */
export function pruneMessages(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`(ended_at < now() - ${MAIL_RETENTION} OR kind = 'webhook' AND created_at < now() - ${WEBHOOK_RETENTION})`
  return removeMessages(tx, customerId, isOld)
}

/** Removes messages of the customer, any number of them. @returns how many */
export async function removeMessages(tx: Transaction, customerId: CustomerId, only: SQL): Promise<number> {
  for (let count = 0; ; ) {
    const { rowCount } = await tx.execute(sql`
      DELETE FROM outbox WHERE customer_id = ${customerId} AND id IN (
        SELECT id FROM outbox WHERE customer_id = ${customerId} AND ${only} LIMIT ${MAX_ROWS})`)
    count += rowCount ?? 0
    if (!rowCount) return count
  }
}
