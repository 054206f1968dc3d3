import 'server-only'
import { sql } from 'drizzle-orm'
import type { Backfill } from '#lib/db/backfill.ts'

/** The tokens of invoices that came before there were any. Those that come and change meanwhile have theirs by triggers. */
export const invoiceTokens: Backfill = {
  name: 'invoice-tokens',
  async batch(tx, customerId, { after, most }) {
    // Locked, so that none is called otherwise before its tokens are there.
    const { rows } = await tx.execute<{ last: string | null; count: number }>(sql`
      WITH next AS (
        SELECT customer_id, id, number, invoice_date FROM invoices
        WHERE customer_id = ${customerId} AND id > ${after ?? ''} ORDER BY id LIMIT ${most} FOR SHARE),
      filled AS (
        INSERT INTO invoice_tokens (customer_id, month, token, invoice_id)
        SELECT DISTINCT customer_id, date_trunc('month', invoice_date::timestamp)::date, own.token COLLATE "C", id
        FROM next CROSS JOIN LATERAL tokens_of_invoice(number, id) AS own
        ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING)
      SELECT max(id) AS last, count(*)::int AS count FROM next`)
    const { last = null, count = 0 } = rows[0] ?? {}
    return { count, last: count < most ? null : last }
  },
}
