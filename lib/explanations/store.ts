import 'server-only'
import { sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { invoiceSums } from '#lib/db/schema/invoices/sums.ts'
import type { Owner } from '#lib/invoices/owned-and-selected.ts'
import type { Selection } from '#lib/invoices/selection.ts'
import { ofMonths } from '#lib/invoices/sums/months.ts'
import { billed, MOST_PARTS, MOST_PRODUCTS, PLACED, parts } from './lines.ts'
import type { Month } from './months.ts'

export type Side = 'from' | 'to'
/** What the invoices of a side, currency and platform come to; amounts are exact decimal text. */
export type TotalRow = {
  side: Side
  currency: string
  platform: string
  count: number
  total: string
  rounding: string
  /** That of invoices whose lines are without it. */
  tax: string
  notItemized: string
  /** How many have a tax, and lines with it or without it. */
  withTax: number
  withoutTax: number
}
/** Lines of a product on one side that are alike, or, without details and price, those that are left of it. */
export type PartRow = {
  side: Side
  currency: string
  platform: string
  type: string
  description: string
  details: string | null
  price: string | null
  qty: string
  amount: string
  tax: string
  lines: number
  firstDay: string
  lastDay: string
}
/** The products of a currency and platform that are not told one by one: how many differ, and what they add. */
export type SmallerRow = {
  currency: string
  platform: string
  differing: number
  unchanged: number
  effect: string
}
export type MonthRows = { totals: TotalRow[]; parts: PartRow[]; smaller: SmallerRow[] }

type Row =
  | { kind: 'total'; row: TotalRow }
  | { kind: 'part'; row: PartRow }
  | { kind: 'smaller'; row: SmallerRow }

/** What the invoices of a month and of the one before bill, by product. One statement, so of one moment. */
export async function readMonths(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { begin, before, end }: Month,
): Promise<MonthRows> {
  const { rows } = await tx.execute<Row>(sql`
    WITH billed AS MATERIALIZED (${billed(owner, selection, { from: before, to: end }, begin)}),
    parts AS (${parts(owner)}),
    placed AS MATERIALIZED (${PLACED})
    SELECT 'total' AS kind, json_build_object('side', side, 'currency', currency, 'platform', platform,
      'count', count(*), 'total', sum(total)::text,
      'rounding', sum(coalesce(itemized - CASE WHEN is_by_line THEN rounded_by_line ELSE rounded_by_unit END, 0))::text,
      'tax', sum(coalesce(total - itemized, 0))::text,
      'notItemized', sum(CASE WHEN itemized IS NULL THEN total - rounded_by_unit ELSE 0 END)::text,
      'withTax', count(*) FILTER (WHERE is_with_tax),
      'withoutTax', count(*) FILTER (WHERE itemized <> total)) AS row
    FROM billed GROUP BY side, currency, platform
    UNION ALL
    SELECT 'part', json_build_object('side', side, 'currency', currency, 'platform', platform,
      'type', type, 'description', description, 'details', own.details, 'price', own.price::text, 'qty', sum(qty)::text,
      'amount', sum(amount)::text, 'tax', sum(tax)::text, 'lines', sum(lines),
      'firstDay', min(first_day)::text, 'lastDay', max(last_day)::text)
    FROM (
      SELECT *, nth <= ${MOST_PARTS} AS is_told FROM placed WHERE place <= ${MOST_PRODUCTS}) AS told
    CROSS JOIN LATERAL (
      SELECT CASE WHEN is_told THEN told.details END, CASE WHEN is_told THEN told.price END) AS own(details, price)
    GROUP BY side, currency, platform, type, description, own.details, own.price, amount < 0
    UNION ALL
    SELECT 'smaller', json_build_object('currency', currency, 'platform', platform,
      'differing', count(DISTINCT place) FILTER (WHERE effect <> 0),
      'unchanged', count(DISTINCT place) FILTER (WHERE effect = 0),
      'effect', sum(CASE side WHEN 'to' THEN amount ELSE -amount END)::text)
    FROM placed WHERE place > ${MOST_PRODUCTS} GROUP BY currency, platform`)
  const of = <Kind extends Row['kind']>(kind: Kind) =>
    rows.flatMap((one) => (one.kind === kind ? [one.row as Extract<Row, { kind: Kind }>['row']] : []))
  return { totals: of('total'), parts: of('part'), smaller: of('smaller') }
}

/** How many months there are to choose from. */
const MOST_MONTHS = 120

/** The first days of the months that have issued invoices of the selection, the newest first. */
export async function listMonths(tx: Transaction, owner: Owner, { filter }: Selection): Promise<string[]> {
  const { month } = invoiceSums
  const rows = await tx
    .selectDistinct({ month })
    .from(invoiceSums)
    .where(sql.join(ofMonths(owner, { filter }, {}), sql` AND `))
    .orderBy(sql`${month} desc`)
    .limit(MOST_MONTHS)
  return rows.map((row) => row.month)
}
