import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { type Owner, ofMonths, type Selection } from '#lib/billing/invoices/selection.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoiceSums } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { Month } from './explanation.ts'
import { billed, LARGEST_PARTS, PLACED, PRODUCTS, parts, SMALLER, TOTALS } from './lines.ts'

export type Side = 'from' | 'to'
/** Totals of the invoices of a side, currency and platform; amounts are exact decimal text. */
export type TotalRow = {
  side: Side
  currency: string
  platform: string
  count: number
  total: string
  rounding: string
  /** Tax of invoices with net lines. */
  tax: string
  /** Base of that tax. */
  taxBase: string
  /** The least and the greatest percent that is stated of it; null where none is. */
  lowRate: string | null
  highRate: string | null
  /** Total of the lines on invoices with tax lines. */
  taxLineBase: string
  notItemized: string
  /** Number of invoices that have tax, and lines with or without it. */
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
  /** The percent of lines that are billed with tax. */
  taxRate: string | null
  /** The quantity is that of the charges. */
  isMetered: boolean
  lines: number
  firstDay: string
  lastDay: string
}
/** Products of a currency and platform that are not listed separately: how many differ, and their sum. */
export type SmallerRow = {
  currency: string
  platform: string
  differing: number
  unchanged: number
  effect: string
}
export type MonthRows = { totals: TotalRow[]; parts: PartRow[]; smaller: SmallerRow[] }

/** Reads the billed amounts of a month and of the month before by product. One statement, so from one snapshot. */
export async function readMonths(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { begin, before, end }: Month,
): Promise<MonthRows> {
  const { rows } = await tx.execute<MonthRows>(sql`
    WITH billed AS MATERIALIZED (${billed(owner, selection, { from: before, to: end }, begin)}),
    parts AS MATERIALIZED (${parts(owner)}),
    products AS MATERIALIZED (${PRODUCTS}),
    placed AS MATERIALIZED (${PLACED})
    SELECT ${listOf(TOTALS)} AS totals, ${listOf(LARGEST_PARTS)} AS parts, ${listOf(SMALLER)} AS smaller`)
  return rows[0] ?? { totals: [], parts: [], smaller: [] }
}

/** All rows as one value: of thousands, each for itself takes longer to be sent than to be found. */
const listOf = (rows: SQL) => sql`(SELECT coalesce(json_agg(one), '[]') FROM (${rows}) AS one)`

/** Maximum number of months to choose from. */
const MAX_MONTHS = 120

/** The first days of the months that have issued invoices of the selection, the newest first. */
export async function listMonths(tx: Transaction, owner: Owner, { filter }: Selection): Promise<string[]> {
  const { month } = invoiceSums
  const rows = await tx
    .selectDistinct({ month })
    .from(invoiceSums)
    .where(sql.join(ofMonths(owner, { filter }, {}), sql` AND `))
    .orderBy(sql`${month} desc`)
    .limit(MAX_MONTHS)
  return rows.map((row) => row.month)
}
