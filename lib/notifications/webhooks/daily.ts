import 'server-only'
import { sql } from 'drizzle-orm'
import { isPastDue, issued } from '#lib/billing/invoices/selection.ts'
import { customersWithWebhooks } from '#lib/identity/access/due-work.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordEvent, recordInvoiceEvent } from '#lib/platform/outbox/events.ts'

/** Days after its due date within which an invoice is reported, so that a first webhook is not flooded. */
const PAST_DUE_DAYS = 7
/** Days before its end from which a key is reported. */
const ENDING_DAYS = 7

/**
 * Writes the events of invoices that have become past due, and of keys that end within a week: each once, however often
 * and in however many processes it runs.
 * @returns how many events
 * @throws AggregateError of the failures, which do not stop the other customers
 */
export async function writeDailyEvents(_requestId: string, signal: AbortSignal): Promise<number> {
  const errors: unknown[] = []
  let count = 0
  for (const customerId of await customersWithWebhooks()) {
    if (signal.aborted) break
    const write = async (tx: Transaction) =>
      (await writePastDue(tx, customerId)) + (await writeEndingKeys(tx, customerId))
    count += await scope({ customerId }, write).catch((error: unknown) => {
      errors.push(error)
      return 0
    })
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `Events of ${errors.length} customers were not written.`)
  return count
}

/** Locks the invoices, whose other events are written under the same lock. */
async function writePastDue(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rows } = await tx.execute<{ id: string; billingProfileId: string; dueDate: string }>(sql`
    SELECT id, billing_profile_id AS "billingProfileId", due_date::text AS "dueDate" FROM ${invoices}
    WHERE customer_id = ${customerId} AND ${issued} AND NOT is_history AND ${isPastDue}
      AND due_date >= ${today} - ${PAST_DUE_DAYS}::int
      AND NOT EXISTS (SELECT FROM daily_events d WHERE d.customer_id = ${customerId} AND d.kind = 'invoice.past_due'
        AND d.object_id = invoices.id AND d."on" = due_date)
    ORDER BY id FOR NO KEY UPDATE OF invoices SKIP LOCKED`)
  const days = rows.map(({ id, dueDate }) => ({ id, on: dueDate }))
  const added = await addOnce(tx, customerId, 'invoice.past_due', days)
  for (const { id, billingProfileId } of rows)
    if (added.has(id)) recordInvoiceEvent(tx, customerId, 'invoice.past_due', { id, billingProfileId })
  return added.size
}

// Citus joins no keys with events: `addOnce` finds those that were written.
async function writeEndingKeys(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rows } = await tx.execute<{ id: string; on: string }>(sql`
    SELECT k.id, (k.expires_at AT TIME ZONE 'UTC')::date::text AS "on" FROM api_keys k
    LEFT JOIN members m ON m.customer_id = ${customerId} AND m.id = k.issued_by
    WHERE k.customer_id = ${customerId} AND k.revoked_at IS NULL AND k.replaced_by IS NULL
      AND (k.belongs_to_customer OR m.disabled_at IS NULL)
      AND k.expires_at BETWEEN now() AND now() + make_interval(days => ${ENDING_DAYS}::int)
    ORDER BY k.id`)
  const added = await addOnce(tx, customerId, 'key.ending', rows)
  for (const { id } of rows)
    if (added.has(id))
      recordEvent(tx, customerId, { kind: 'key.ending', object: `key:${id}`, ids: { keyId: id } })
  return added.size
}

/** Stores that events are written. @returns the ids whose event was not written before */
async function addOnce(
  tx: Transaction,
  customerId: CustomerId,
  kind: string,
  events: readonly { id: string; on: string }[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set()
  const { rows } = await tx.execute<{ id: string }>(sql`
    INSERT INTO daily_events (customer_id, kind, object_id, "on")
    SELECT c.id, ${kind}, v.id, v."on" FROM customers c
    CROSS JOIN json_to_recordset(${JSON.stringify(events)}::json) AS v(id text, "on" date)
    WHERE c.id = ${customerId}
    ON CONFLICT DO NOTHING RETURNING object_id AS id`)
  return new Set(rows.map(({ id }) => id))
}

/** Removes events whose invoices and keys are not looked at any more. @returns how many */
export async function pruneDailyEvents(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM daily_events WHERE customer_id = ${customerId} AND "on" < now() - interval '90 days'`)
  return rowCount ?? 0
}
