import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'

/** Records amounts that were paid before payments were recorded; triggers record those of invoices that change first. */
export const paymentOpenings: Backfill = {
  name: 'payments',
  async batch(tx, customerId, { after, most }) {
    const { rows } = await tx.execute<{ id: string }>(sql`
      SELECT id FROM invoices WHERE customer_id = ${customerId} AND id > ${after ?? ''}
      ORDER BY id LIMIT ${most} FOR NO KEY UPDATE`)
    const ids = rows.map(({ id }) => id)
    for (const query of openingQueries(customerId, ids)) await tx.execute(query)
    return { count: ids.length, last: ids.length < most ? null : (ids.at(-1) ?? null) }
  },
}

/**
 * Returns the queries that record the amounts that a customer's invoices, or some of them, had settled before payments were
 * recorded: the payments, and then their entries. Citus runs them neither as one nor in a function.
 */
export function openingQueries(customerId: CustomerId, ids?: readonly string[]): SQL[] {
  const amongIds = (column: string) =>
    ids ? sql` AND ${sql.raw(column)} = ANY (${sql.param([...ids])}::text[])` : sql``
  return [
    sql`
      INSERT INTO payments (customer_id, id, kind, paid_on, amount, currency, invoice_id, entered_by)
      SELECT s.customer_id, s.id || '#' || s.number, 'opening', s.invoice_date, s.amount, s.currency, s.id, 'issuer'
      FROM (
        SELECT i.customer_id, i.id, i.invoice_date, i.currency,
          (SELECT count(*) + 1 FROM payments p WHERE p.customer_id = ${customerId} AND p.invoice_id = i.id) AS number,
          i.total_amount - i.balance_amount - coalesce((SELECT sum(e.amount) FROM payment_entries e
            WHERE e.customer_id = ${customerId} AND e.invoice_id = i.id), 0) AS amount
        FROM invoices i
        WHERE i.customer_id = ${customerId}${amongIds('i.id')} AND i.document_state = 'issued') AS s
      WHERE s.amount <> 0`,
    sql`
      INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
      SELECT p.customer_id, p.id, 1, p.invoice_id, p.amount, p.paid_on, 'applied' FROM payments p
      WHERE p.customer_id = ${customerId} AND p.kind = 'opening'${amongIds('p.invoice_id')} AND NOT EXISTS (
        SELECT FROM payment_entries e WHERE e.customer_id = ${customerId} AND e.payment_id = p.id)`,
  ]
}
