import 'server-only'
import { sql } from 'drizzle-orm'

// What is told of the lines of two months: the SQL of lines.ts by the names of its CTEs.

/** Products of a currency that are told one by one, and parts of a product on one side: what else there is, is summed. */
export const MOST_PRODUCTS = 500
const MOST_PARTS = 20

/** What the invoices come to: `TotalRow`. */
export const TOTALS = sql`
  SELECT side, currency, platform, count(*), sum(total)::text AS total,
    sum(coalesce(itemized - CASE WHEN is_by_line THEN rounded_by_line ELSE rounded_by_unit END, 0))::text AS rounding,
    sum(coalesce(total - itemized, 0))::text AS tax,
    sum(CASE WHEN itemized IS NULL THEN total - rounded_by_unit ELSE 0 END)::text AS "notItemized",
    count(*) FILTER (WHERE is_with_tax) AS "withTax", count(*) FILTER (WHERE itemized <> total) AS "withoutTax"
  FROM billed GROUP BY side, currency, platform`

/** The largest parts of each product and side, and what is left of it: `PartRow`. */
export const TOLD = sql`
  SELECT side, currency, platform, type, description, details, price::text, qty::text, amount::text, tax::text,
    rate::text AS "taxRate", lines,
    first_day AS "firstDay", last_day AS "lastDay"
  FROM placed WHERE nth <= ${MOST_PARTS}
  UNION ALL
  SELECT side, min(currency), min(platform), min(type), min(description), NULL, NULL,
    sum(qty)::text, sum(amount)::text, sum(tax)::text,
    CASE WHEN count(rate) = count(*) AND min(rate) = max(rate) THEN min(rate)::text END, sum(lines), min(first_day), max(last_day)
  FROM placed WHERE nth > ${MOST_PARTS} GROUP BY product, side, amount < 0`

/** The products that are not told one by one: `SmallerRow`. */
export const SMALLER = sql`
  SELECT currency, platform, count(*) FILTER (WHERE effect <> 0) AS differing,
    count(*) FILTER (WHERE effect = 0) AS unchanged, sum(effect)::text AS effect
  FROM products WHERE place > ${MOST_PRODUCTS} GROUP BY currency, platform`
