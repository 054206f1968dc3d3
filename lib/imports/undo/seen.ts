import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/**
 * Whether the customer may have seen what an import brought: a key or a session was used since, a session that was in
 * use has been ended since, a mail told of it, or the issuer's own document was put to it. Uses are written down once a
 * minute, so that one of the minute before counts. By two statements: of a database that is spread, callers and invoices lie
 * on several machines.
 */
export async function mayHaveSeen(
  tx: Transaction,
  customerId: CustomerId,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<boolean> {
  const since = sql`(${createdAt.toISOString()}::timestamptz - interval '1 minute')`
  const used = await tx.execute<{ seen: boolean }>(sql`
    SELECT EXISTS (SELECT FROM sessions WHERE customer_id = ${customerId} AND last_seen_at >= ${since})
      OR EXISTS (SELECT FROM members WHERE customer_id = ${customerId} AND last_seen_at >= ${since})
      OR EXISTS (SELECT FROM api_keys WHERE customer_id = ${customerId} AND last_used_at >= ${since}) AS seen`)
  if (used.rows[0]?.seen ?? true) return true
  const { rows } = await tx.execute<{ seen: boolean }>(sql`
    SELECT EXISTS (
        SELECT FROM invoices i JOIN notices n ON n.customer_id = ${customerId} AND n.invoice_id = i.id
        WHERE i.customer_id = ${customerId} AND i.import_id = ${id})
      OR EXISTS (
        SELECT FROM invoices i JOIN invoice_files f ON f.customer_id = ${customerId} AND f.invoice_id = i.id
        WHERE i.customer_id = ${customerId} AND i.import_id = ${id}) AS seen`)
  return rows[0]?.seen ?? true
}
