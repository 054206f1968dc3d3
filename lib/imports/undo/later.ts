import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Found } from './rows.ts'

const MOST_TOLD = 20

/** What came after an import and stands in the way of undoing it; up to 20. */
export async function findLater(
  tx: Transaction,
  customerId: CustomerId,
  { id, createdAt }: Pick<Found, 'id' | 'createdAt'>,
): Promise<{ invoice: string; how: string }[]> {
  const isLater = sql`l.created_at > ${createdAt.toISOString()}::timestamptz`
  // What this import voided, and which owes again once it is put back.
  const comesBack = sql`
    FROM import_changes c
    JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id AND i.document_state = 'voided'
    JOIN invoices n ON n.customer_id = ${customerId} AND n.issuer = i.issuer AND n.document_state <> 'voided'
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = n.import_id AND l.id <> ${id}
    WHERE c.customer_id = ${customerId} AND c.import_id = ${id} AND ${isLater}`
  const { rows } = await tx.execute<{ invoice: string; how: string }>(sql`
    WITH own AS (
      SELECT id, issuer, number FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}
      UNION
      SELECT i.id, i.issuer, i.number FROM import_changes c
      JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id
      WHERE c.customer_id = ${customerId} AND c.import_id = ${id})
    SELECT own.id AS invoice, 'was changed by the import ' || l.id AS how
    FROM own
    JOIN import_changes c ON c.customer_id = ${customerId} AND c.invoice_id = own.id AND c.import_id <> ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
    WHERE ${isLater}
    UNION
    SELECT own.id, 'is corrected or credited by ' || n.id
    FROM own
    JOIN invoices n ON n.customer_id = ${customerId} AND n.issuer = own.issuer AND n.corrects = own.number
      AND n.document_state <> 'voided' AND n.import_id IS DISTINCT FROM ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = n.import_id
    WHERE ${isLater}
    UNION
    SELECT i.id, 'has the number of ' || n.id || ', which came since' ${comesBack}
      AND n.number = i.number AND c.before ->> 'documentState' <> 'voided'
    UNION
    SELECT i.id, 'is of the period that ' || n.id || ' bills since' ${comesBack}
      AND n.billing_account = i.billing_account AND n.period_start = i.period_start
      AND n.period_end = i.period_end AND n.is_numbered <> i.is_numbered AND n.currency = i.currency
      AND n.document_state = 'issued' AND c.before ->> 'documentState' = 'issued'
    UNION
    SELECT s.number, 'has charges of the import ' || s.replaced_by || ', which came since'
    FROM charge_sets s
    WHERE s.customer_id = ${customerId} AND s.import_id = ${id} AND s.replaced_by IS NOT NULL
    UNION
    SELECT i.id, 'was issued by it, and its document is kept since'
    FROM import_changes c
    JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id AND i.document_state = 'issued'
    JOIN invoice_files f ON f.customer_id = ${customerId} AND f.invoice_id = i.id
    WHERE c.customer_id = ${customerId} AND c.import_id = ${id} AND c.before ->> 'documentState' = 'draft'
    ORDER BY 1, 2 LIMIT ${MOST_TOLD}`)
  return rows
}
