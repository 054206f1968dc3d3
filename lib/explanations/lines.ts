import 'server-only'
import { and, type SQL, sql } from 'drizzle-orm'
import { TAX_DETAILS } from '#lib/causes/tax.ts'
import { invoices } from '#lib/db/schema/invoices/invoices.ts'
import { type Owner, owned, selected } from '#lib/invoices/owned-and-selected.ts'
import type { Days, Selection } from '#lib/invoices/selection.ts'
import { UNITS, USUAL_UNIT } from '#lib/money.ts'

// The SQL of two months' lines. Each CTE reads the one before it, and none is joined with another: the lines of an
// invoice are found by their key, whatever the planner knows of a customer who has just been imported.

/** Products of a currency that are told one by one, and parts of a product on one side: what else there is, is summed. */
export const MOST_PRODUCTS = 500
export const MOST_PARTS = 20

/**
 * The issued invoices of the days, each on its side of `begin`, with what its lines come to. The rule of `itemize`: a
 * price is that of a unit, or that of its whole line where the total fits only so; an issuer may have rounded each line,
 * their sum, or nothing.
 */
export function billed(owner: Owner, selection: Selection, days: Required<Days>, begin: string): SQL {
  const { id, invoiceDate, currency, platform, totalAmount, periodStart, periodEnd } = invoices
  return sql`
    SELECT own.*, sums.by_unit IS NULL AS is_empty,
      NOT coalesce(own.total IN (sums.by_unit, round(sums.by_unit, own.places), sums.rounded_by_unit), false)
        AND coalesce(own.total IN (sums.by_line, round(sums.by_line, own.places), sums.rounded_by_line), false) AS is_by_line,
      sums.by_unit, sums.rounded_by_unit, sums.rounded_by_line
    FROM (
      SELECT ${id} AS id, CASE WHEN ${invoiceDate} < ${begin} THEN 'from' ELSE 'to' END AS side,
        ${currency} AS currency, ${platform} AS platform, ${totalAmount} AS total, ${PLACES} AS places,
        coalesce(${periodStart}, ${invoiceDate} - 30) AS first_day, coalesce(${periodEnd} - 1, ${invoiceDate}) AS last_day
      FROM ${invoices} WHERE ${and(...owned(owner), ...selected(selection, days))}) AS own
    CROSS JOIN LATERAL (
      SELECT sum(price * qty) AS by_unit, sum(round(price * qty, own.places)) AS rounded_by_unit,
        sum(price) AS by_line, sum(round(price, own.places)) AS rounded_by_line
      FROM line_items
      WHERE customer_id = ${owner.customerId} AND invoice_id = own.id AND currency = own.currency OFFSET 0) AS sums`
}

/**
 * The lines of `billed` in their invoice's currency: those that are alike but for their number are one part. The hashes
 * `product` and `likeness` stand first, because texts that begin alike take long to be sorted; what is grouped is the texts.
 */
export function parts(owner: Owner): SQL {
  return sql`
    SELECT product, side, likeness, billed.currency, platform, type, description, details, price,
      sum(qty) AS qty, sum(amount) AS amount, sum(CASE WHEN details ~ ${TAX_DETAILS} THEN amount ELSE 0 END) AS tax,
      count(*) AS lines, min(first_day) AS first_day, max(last_day) AS last_day
    FROM billed CROSS JOIN LATERAL (
      SELECT hashtextextended(concat_ws(' ', billed.currency, billed.platform, type, description), 0) AS product,
        hashtextextended(details, 0) AS likeness, type, description, details, price, qty,
        round(CASE WHEN billed.is_by_line THEN price ELSE price * qty END, billed.places) AS amount
      FROM line_items
      WHERE customer_id = ${owner.customerId} AND invoice_id = billed.id AND currency = billed.currency OFFSET 0) AS line
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, amount < 0`
}

/** The parts with the place of their product in its currency, the largest difference first, and their own in the product. */
export const PLACED = sql`
  SELECT *, dense_rank() OVER (PARTITION BY currency ORDER BY abs(effect) DESC, product) AS place
  FROM (
    SELECT *, sum(CASE side WHEN 'to' THEN amount ELSE -amount END) OVER (PARTITION BY product) AS effect,
      row_number() OVER (PARTITION BY product, side ORDER BY abs(amount) DESC, likeness, price) AS nth
    FROM parts) AS ranked`

/** A currency's minor unit. */
const PLACES = sql`CASE ${sql.join(
  [...Map.groupBy(UNITS, ([, unit]) => unit)].map(
    ([unit, codes]) =>
      sql`WHEN ${invoices.currency} IN (${sql.raw(codes.map(([code]) => `'${code}'`).join(', '))}) THEN ${sql.raw(String(unit))}`,
  ),
  sql` `,
)} ELSE ${sql.raw(String(USUAL_UNIT))} END`
