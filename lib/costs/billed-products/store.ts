import 'server-only'
import { sql } from 'drizzle-orm'
import { daysOf, type Owner, type Selection } from '#lib/billing/invoices/selection.ts'
import { billed } from '#lib/costs/explanations/lines.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { hasPart } from '#lib/platform/lists/search.ts'
import { MAX_PRODUCTS } from './contract.ts'

/** Product of a currency and platform in a month; `products` is the total number. Amounts are exact decimal text. */
export type MonthRow = {
  product: string
  platform: string
  currency: string
  month: string
  qty: string
  amount: string
  count: number
  products: number
}

const EARLIEST_DAY = '0001-01-01'
const LAST_DAY = '9999-12-31'

/** Sums the lines of the product, each amount by the rule of `itemize`, in one statement and so from one snapshot. */
export async function sumProducts(
  tx: Transaction,
  owner: Owner,
  selection: Selection & { product: string },
): Promise<MonthRow[]> {
  const { from = EARLIEST_DAY, to = LAST_DAY } = daysOf(selection)
  const { customerId, invoiceId, currency, description, price, qty } = lineItems
  const { rows } = await tx.execute<MonthRow>(sql`
    WITH billed AS MATERIALIZED (${billed(owner, selection, { from, to }, from)}),
    lines AS MATERIALIZED (
      SELECT line.product, billed.platform, billed.currency, dated.month, billed.id, line.qty, line.amount
      FROM billed
      CROSS JOIN LATERAL (
        SELECT date_trunc('month', ${invoices.invoiceDate}::timestamp)::date AS month FROM ${invoices}
        WHERE ${invoices.customerId} = ${owner.customerId} AND ${invoices.id} = billed.id OFFSET 0) AS dated
      CROSS JOIN LATERAL (
        SELECT ${description} AS product, ${qty} AS qty,
          round(CASE WHEN billed.is_by_line THEN ${price} ELSE ${price} * ${qty} END, billed.places) AS amount
        FROM ${lineItems}
        WHERE ${customerId} = ${owner.customerId} AND ${invoiceId} = billed.id AND ${currency} = billed.currency
          AND ${hasPart(description, selection.product)} OFFSET 0) AS line),
    placed AS (
      SELECT product, platform, currency, row_number() OVER (
        ORDER BY count(DISTINCT id) DESC, product COLLATE "C", currency, platform COLLATE "C") AS place
      FROM lines GROUP BY product, platform, currency)
    SELECT product, platform, currency, month::text, sum(qty)::text AS qty, sum(amount)::text AS amount,
      count(DISTINCT id)::int AS count, (SELECT count(*)::int FROM placed) AS products
    FROM lines JOIN placed USING (product, platform, currency)
    WHERE place <= ${MAX_PRODUCTS}
    GROUP BY product, platform, currency, place, month
    ORDER BY place, month DESC`)
  return rows
}
