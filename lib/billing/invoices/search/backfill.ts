import 'server-only'
import { sql } from 'drizzle-orm'
import type { Backfill } from '#lib/platform/db/backfill.ts'

/**
 * The purchase orders of their lines, and the tokens, of invoices that came before there were any. Those that come and
 * change meanwhile have theirs by triggers.
 */
export const invoiceTokens: Backfill = {
  name: 'invoice-order-tokens',
  async batch(tx, customerId, { after, most }) {
    // Locked, so that none is called otherwise before its tokens are there. What its lines say becomes tokens by the
    // trigger of the change.
    const { rows } = await tx.execute<{ last: string | null; count: number }>(sql`
      WITH next AS (
        SELECT customer_id, id, number, invoice_date, purchase_order, line_orders, buyer_reference, cost_center FROM invoices
        WHERE customer_id = ${customerId} AND id > ${after ?? ''} ORDER BY id LIMIT ${most} FOR NO KEY UPDATE),
      ordered AS (
        UPDATE invoices SET line_orders = orders.own
        FROM (SELECT id, orders_of_lines(customer_id, id) AS own, line_orders FROM next OFFSET 0) AS orders
        WHERE customer_id = ${customerId} AND invoices.id = orders.id AND orders.own IS DISTINCT FROM orders.line_orders),
      filled AS (
        INSERT INTO invoice_tokens (customer_id, month, token, invoice_id)
        SELECT DISTINCT customer_id, date_trunc('month', invoice_date::timestamp)::date, own.token COLLATE "C", id
        FROM next CROSS JOIN LATERAL
          tokens_of_invoice(number, id, purchase_order, line_orders, buyer_reference, cost_center) AS own
        ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING)
      SELECT max(id) AS last, count(*)::int AS count FROM next`)
    const { last = null, count = 0 } = rows[0] ?? {}
    return { count, last: count < most ? null : last }
  },
}
