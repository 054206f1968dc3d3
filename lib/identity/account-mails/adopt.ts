import 'server-only'
import { sql } from 'drizzle-orm'
import { customersWithAccountMails } from '#lib/identity/access/due-work.ts'
import { adoptRecoveries } from '#lib/identity/access/links/recoveries.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'

// The previous release queued mails in the tables of their subjects, and its processes may go on doing so during an
// upgrade. A later release drops this file, and the columns `state` and `not_before` of these tables.

const IS_DUE = sql`state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp()`

/**
 * Moves mails that the previous release has queued into the outbox, each once: a process of that release that sends one
 * of them holds it for its lease.
 * @returns how many
 */
export async function adoptMails(_requestId: string, signal: AbortSignal): Promise<number> {
  let count = await adoptRecoveries()
  for (const customerId of await customersWithAccountMails()) {
    if (signal.aborted) break
    count += await scope({ customerId }, (tx) => adoptOf(tx, customerId), { evenIfClosed: true })
  }
  return count
}

async function adoptOf(tx: Transaction, customerId: CustomerId): Promise<number> {
  const mails = await tx.execute(sql`
    WITH adopted AS (
      UPDATE account_mails SET state = 'REFUSED', reason = 'It was moved to the outbox.'
      WHERE customer_id = ${customerId} AND id IN (
        SELECT id FROM account_mails WHERE customer_id = ${customerId} AND ${IS_DUE} FOR UPDATE SKIP LOCKED)
      RETURNING customer_id, member_id, event, at, address, user_agent, key_id, about)
    INSERT INTO outbox (customer_id, kind, recipient, content, created_at)
    SELECT customer_id, 'account', member_id, jsonb_strip_nulls(jsonb_build_object('event', event,
      'address', address, 'userAgent', user_agent, 'keyId', key_id, 'about', about)), at
    FROM adopted ORDER BY at`)
  const links = await tx.execute(sql`
    WITH adopted AS (
      UPDATE account_links SET state = 'WAITING', not_before = 'infinity'
      WHERE customer_id = ${customerId} AND id IN (
        SELECT id FROM account_links WHERE customer_id = ${customerId} AND ${IS_DUE} FOR UPDATE SKIP LOCKED)
      RETURNING customer_id, id, created_at)
    INSERT INTO outbox (customer_id, kind, recipient, created_at)
    SELECT customer_id, 'link', id, created_at FROM adopted ORDER BY created_at`)
  return (mails.rowCount ?? 0) + (links.rowCount ?? 0)
}

/** Removes mails of the previous release that were sent or given up more than 90 days ago. @returns how many */
export async function pruneAdopted(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM account_mails WHERE customer_id = ${customerId} AND at < now() - interval '90 days'`)
  return rowCount ?? 0
}
