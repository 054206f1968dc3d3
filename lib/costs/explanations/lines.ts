import 'server-only'
import { and, type SQL, sql } from 'drizzle-orm'
import {
  type Days,
  type Owner,
  type Selection,
  selected,
  visibleTo,
} from '#lib/billing/invoices/selection.ts'
import { TAX_CATEGORY, TAX_NAME, TAX_STARTS } from '#lib/costs/causes/tax.ts'
import { METERED_PLACES } from '#lib/costs/causes/unit-price.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { DEFAULT_DECIMALS, UNITS } from '#lib/platform/values/money.ts'

// The SQL of two months' lines. The lines of an invoice are found by their key, whatever the planner knows of a customer who
// has just been imported; no CTE is joined with another.

/**
 * Maximum number of products of a currency that are listed separately, and of parts of a product on one side; the rest
 * is summed.
 */
export const MAX_PRODUCTS = 500
const MAX_PARTS = 20

/** A line that is tax and nothing else: the rule of `isTaxLine`. */
const IS_TAX = sql`(coalesce(left(details, 4) IN (${sql.join(
  TAX_STARTS.map((start) => sql`${start}`),
  sql`, `,
)}), false) OR coalesce(charge_category, '') = ${TAX_CATEGORY} OR description ~* ${TAX_NAME})`

/**
 * The issued invoices of the days, each on its side of `begin`, with what its lines come to. The rule of `itemize`: a
 * price is that of a unit, or that of its whole line where the total fits only so; an issuer may have rounded each line,
 * their sum, or nothing. `itemized` is the total that the lines come to: with tax, else without it; null where neither fits.
 */
export function billed(owner: Owner, selection: Selection, days: Required<Days>, begin: string): SQL {
  const { id, invoiceDate, currency, platform, totalAmount, periodStart, periodEnd } = invoices
  const { netAmount, taxAmount, isTaxCalculated, taxBreakdown } = invoices
  return sql`
    SELECT own.*, fitting.itemized, coalesce(NOT fitting.itemized = ANY (sums.by_unit), false) AS is_by_line,
      coalesce(sums.by_unit[3], 0) AS rounded_by_unit, whole.by_line[3] AS rounded_by_line,
      coalesce(fitting.itemized = own.total AND NOT sums.has_tax_line AND (sums.is_taxed
        OR own.tax <> 0 OR own.net <> own.total OR stated.tax <> 0), false) AS is_with_tax,
      CASE WHEN sums.has_tax_line THEN coalesce(fitting.itemized, own.total) - sums.tax_lines END AS tax_line_base,
      stated.low_rate, stated.high_rate
    FROM (
      SELECT ${id} AS id, CASE WHEN ${invoiceDate} < ${begin} THEN 'from' ELSE 'to' END AS side,
        ${currency} AS currency, ${platform} AS platform, ${totalAmount} AS total, ${DECIMALS} AS places,
        CASE WHEN ${isTaxCalculated} THEN NULL ELSE ${netAmount} END AS net,
        CASE WHEN ${isTaxCalculated} THEN NULL ELSE ${taxAmount} END AS tax, coalesce(${taxBreakdown}, '[]') AS breakdown,
        coalesce(${periodStart}, date_trunc('month', ${invoiceDate}::timestamp - interval '1 day')::date) AS first_day,
        coalesce(${periodEnd} - 1, (date_trunc('month', ${invoiceDate}::timestamp - interval '1 day') + interval '1 month - 1 day')::date) AS last_day
      FROM ${invoices} WHERE ${and(...visibleTo(owner), ...selected(selection, days))}) AS own
    CROSS JOIN LATERAL (
      SELECT ARRAY[sum(price * qty), round(sum(price * qty), own.places), sum(round(price * qty, own.places))] AS by_unit,
        bool_and(coalesce(tax_category, '') <> '') AS has_categories,
        bool_or(coalesce(tax_amount, 0) <> 0 OR coalesce(tax_rate, 0) <> 0) AS is_taxed,
        bool_or(${IS_TAX}) AS has_tax_line,
        coalesce(sum(round(price * qty, own.places)) FILTER (WHERE ${IS_TAX}), 0) AS tax_lines
      FROM line_items ${linesOf(owner)} OFFSET 0) AS sums
    CROSS JOIN LATERAL (
      SELECT ARRAY[sum(price), round(sum(price), own.places), sum(round(price, own.places))] AS by_line
      FROM line_items ${linesOf(owner)} AND NOT own.total = ANY (sums.by_unit) OFFSET 0) AS whole
    CROSS JOIN LATERAL (SELECT sums.by_unit || whole.by_line AS all OFFSET 0) AS ways
    CROSS JOIN LATERAL (${stated(owner)}) AS stated
    CROSS JOIN LATERAL (${netOf}) AS known
    CROSS JOIN LATERAL (
      SELECT CASE WHEN own.total = ANY (ways.all) THEN own.total
        WHEN known.net + known.tax = own.total AND known.net = ANY (ways.all) THEN known.net
        END AS itemized OFFSET 0) AS fitting`
}

/** Selects the lines of an invoice `own`, in its currency. */
const linesOf = ({ customerId }: Owner): SQL =>
  sql`WHERE customer_id = ${customerId} AND invoice_id = own.id AND currency = own.currency`

/**
 * Adds up the tax breakdown of an invoice by the rule of `taxOf`: the issuer's, else one of its lines where each has a
 * category; null where there is none. Lines whose total fits as it is are not read again.
 */
const stated = (owner: Owner): SQL => sql`
  SELECT sum(base) AS base, sum(tax) AS tax, min(rate) AS low_rate, max(rate) AS high_rate FROM (
    SELECT (one ->> 'taxableAmount')::numeric AS base, (one ->> 'taxAmount')::numeric AS tax, (one ->> 'rate')::numeric AS rate
    FROM jsonb_array_elements(own.breakdown) AS one
    UNION ALL
    SELECT sum(base), CASE WHEN count(tax) = count(*) THEN sum(tax)
      ELSE round(sum(base) * coalesce(rate, 0) * 0.01, own.places) END, rate
    FROM (
      SELECT tax_category AS category, tax_rate AS rate, round(tax_amount, own.places) AS tax,
        round(coalesce(net_amount, price * qty), own.places) AS base
      FROM line_items ${linesOf(owner)}
        AND own.breakdown = '[]' AND sums.has_categories AND NOT own.total = ANY (ways.all)
      OFFSET 0) AS lines
    GROUP BY category, rate) AS groups`

/** Net and tax of an invoice by the rule of `taxOf`: the issuer's figures first, then derived ones. */
const netOf = sql`
  SELECT coalesce(own.net, CASE WHEN own.breakdown <> '[]' THEN stated.base END, own.total - own.tax, stated.base) AS net,
    coalesce(own.tax, CASE WHEN own.breakdown <> '[]' THEN stated.tax END, own.total - own.net, stated.tax) AS tax`

/**
 * The lines of `billed` in their invoice's currency: those that are alike but for their number are one part. Texts are
 * grouped by hashes of 64 bits, `product` and `likeness`, because texts that begin alike take long to be compared. Of a group all
 * are the same: `min` takes one of them, where PostgreSQL 15 has no `any_value`.
 */
export const parts = (owner: Owner): SQL => sql`
  SELECT product, side, likeness, price, rate, is_tax, min(own.currency) AS currency, min(platform) AS platform,
    min(type) AS type, min(description) AS description, min(details) AS details,
    sum(qty) AS qty, sum(amount) AS amount, bool_and(is_metered) AS is_metered, count(*) AS lines, min(first_day) AS first_day, max(last_day) AS last_day
  FROM billed AS own CROSS JOIN LATERAL (
    SELECT ${IS_TAX} AS is_tax, hashtextextended(description, hashtextextended(type, hashtextextended(own.currency || ' ' || own.platform, 0))) AS product,
      hashtextextended(metered.own_details, 0) AS likeness, type, description, metered.own_details AS details, metered.is_metered,
      CASE WHEN metered.is_metered THEN round(line_amount.exact / used_quantity, ${METERED_PLACES}) ELSE price END AS price,
      CASE WHEN metered.is_metered THEN used_quantity ELSE qty END AS qty,
      CASE WHEN own.is_with_tax THEN tax_rate END AS rate, line_amount.exact AS amount
    FROM line_items
    CROSS JOIN LATERAL (
      SELECT round(CASE WHEN own.is_by_line THEN price ELSE price * qty END, own.places) AS exact) AS line_amount
    CROSS JOIN LATERAL (
      SELECT coalesce(used_quantity, 0) <> 0 AS is_metered, CASE WHEN coalesce(used_quantity, 0) = 0 THEN line_items.details
        ELSE nullif(concat_ws(', ', line_items.details, sku, sub_account, used_unit), '') END AS own_details) AS metered
    ${linesOf(owner)} OFFSET 0) AS line
  GROUP BY product, side, likeness, price, rate, is_tax, amount < 0`

/** The products with the place of each in its currency, the largest difference first. */
export const PRODUCTS = sql`
  SELECT *, row_number() OVER (PARTITION BY currency ORDER BY abs(effect) DESC, product) AS place
  FROM (
    SELECT product, min(currency) AS currency, min(platform) AS platform,
      sum(CASE side WHEN 'to' THEN amount ELSE -amount END) AS effect
    FROM parts GROUP BY product) AS summed`

/**
 * Parts of the products that are listed separately, ranked within product and side. Within CASE, the products are
 * looked up in a hash; a join would scan them for each part, where the planner expects few.
 */
export const PLACED = sql`
  SELECT parts.*, CASE WHEN is_tax THEN amount ELSE 0 END AS tax,
    row_number() OVER (PARTITION BY product, side ORDER BY abs(amount) DESC, likeness, price, rate, is_tax) AS nth
  FROM parts WHERE CASE WHEN product IN (SELECT product FROM products WHERE place <= ${MAX_PRODUCTS}) THEN true END`

/** A currency's minor unit. */
const DECIMALS = sql`CASE ${sql.join(
  [...Map.groupBy(UNITS, ([, unit]) => unit)].map(
    ([unit, codes]) =>
      sql`WHEN ${invoices.currency} IN (${sql.raw(codes.map(([code]) => `'${code}'`).join(', '))}) THEN ${sql.raw(String(unit))}`,
  ),
  sql` `,
)} ELSE ${sql.raw(String(DEFAULT_DECIMALS))} END`

/** Totals of the invoices: `TotalRow`. */
export const TOTALS = sql`
  SELECT side, currency, platform, count(*), sum(total)::text AS total,
    sum(coalesce(itemized - CASE WHEN is_by_line THEN rounded_by_line ELSE rounded_by_unit END, 0))::text AS rounding,
    sum(coalesce(total - itemized, 0))::text AS tax, coalesce(sum(itemized) FILTER (WHERE itemized <> total), 0)::text AS "taxBase",
    coalesce(sum(tax_line_base), 0)::text AS "taxLineBase",
    (min(low_rate) FILTER (WHERE itemized <> total))::text AS "lowRate", (max(high_rate) FILTER (WHERE itemized <> total))::text AS "highRate",
    sum(CASE WHEN itemized IS NULL THEN total - rounded_by_unit ELSE 0 END)::text AS "notItemized",
    count(*) FILTER (WHERE is_with_tax) AS "withTax", count(*) FILTER (WHERE itemized <> total) AS "withoutTax"
  FROM billed GROUP BY side, currency, platform`

/** Largest parts of each product and side, and its remainder: `PartRow`. */
export const LARGEST_PARTS = sql`
  SELECT side, currency, platform, type, description, details, price::text, qty::text, amount::text, tax::text,
    rate::text AS "taxRate", is_metered AS "isMetered", lines,
    first_day AS "firstDay", last_day AS "lastDay"
  FROM placed WHERE nth <= ${MAX_PARTS}
  UNION ALL
  SELECT side, min(currency), min(platform), min(type), min(description), NULL, NULL,
    sum(qty)::text, sum(amount)::text, sum(tax)::text,
    CASE WHEN count(rate) = count(*) AND min(rate) = max(rate) THEN min(rate)::text END, bool_and(is_metered), sum(lines), min(first_day), max(last_day)
  FROM placed WHERE nth > ${MAX_PARTS} GROUP BY product, side, amount < 0`

/** Products that are not listed separately: `SmallerRow`. */
export const SMALLER = sql`
  SELECT currency, platform, count(*) FILTER (WHERE effect <> 0) AS differing,
    count(*) FILTER (WHERE effect = 0) AS unchanged, sum(effect)::text AS effect
  FROM products WHERE place > ${MAX_PRODUCTS} GROUP BY currency, platform`
