import 'server-only'
import { inArray } from 'drizzle-orm'
import { DAY_MS, dayOf, monthBegin } from '#lib/days.ts'
import type { Transaction } from '#lib/db/client.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { type Page, selectInvoices } from '../list/pages.ts'
import { keysetOf } from '../order.ts'
import type { Owner } from '../owned-and-selected.ts'
import { type Days, daysOf } from '../selection.ts'
import type { InvoiceRow } from '../store.ts'
import { isOneOf, issuersOf, type Month, monthsOf, type Search } from './found.ts'

/** Of a month with so many, the rows are read in their order: a page is full after few of them. */
const FULL_MONTH = 200
/** From so many on, a portion is enough to be read at once. */
const PORTION = 1000

/**
 * A page of a search in the order of dates, without a look at months in which nothing may be found. Two lists, each in
 * this order, become one: what the numbers lead to, and what the issuers that are found have sent.
 */
export async function findByDate(
  tx: Transaction,
  owner: Owner,
  selection: Search,
  limit: number,
  page: Page,
): Promise<InvoiceRow[]> {
  const isUp = keysetOf(page.orderBy).ascending !== (page.cursor?.direction === 'newer')
  const [issuers, months] = await Promise.all([
    issuersOf(tx, owner.customerId, selection.search),
    monthsOf(tx, owner.customerId, selection.search, beyond(selection, page, isUp), { ofMonth: FULL_MONTH }),
  ])
  const select = (size: number, among: Parameters<typeof selectInvoices>[5]) =>
    selectInvoices(tx, owner, selection, size, page, among)
  const rows: InvoiceRow[] = []
  for (const portion of portionsOf(isUp ? months.reverse() : months)) {
    if (rows.length === limit) break
    const { ids, days } = portion
    const among = ids ? { where: isOneOf(ids) } : { days: within(daysOf(selection), days) }
    rows.push(...(await select(limit - rows.length, among)))
  }
  if (issuers.length === 0) return rows
  const sent = await select(limit, { where: inArray(invoices.issuer, issuers) })
  const all = [...new Map([...rows, ...sent].map((row) => [row.id, row])).values()]
  return all.sort((a, b) => (isUp ? byKey(a, b) : byKey(b, a))).slice(0, limit)
}

/** The days that are left from the cursor on. */
function beyond(selection: Search, { cursor }: Page, isUp: boolean): Days {
  const day = cursor?.key[0]
  return within(daysOf(selection), isUp ? { from: day } : { to: day })
}

function within(a: Days, b: Days): Days {
  const begins = [a.from, b.from].filter((day) => day !== undefined).sort()
  const ends = [a.to, b.to].filter((day) => day !== undefined).sort()
  return { from: begins.at(-1), to: ends[0] }
}

/** One statement's: by ids, as long as these are few, or else all days of a month. */
type Portion = { ids: string[]; days?: undefined } | { ids?: undefined; days: Days }

function portionsOf(months: readonly Month[]): Portion[] {
  const portions: Portion[] = []
  for (const { month, ids, count } of months) {
    const last = portions.at(-1)
    if (count >= FULL_MONTH)
      portions.push({ days: { from: month, to: dayOf(monthBegin(month, 1) - DAY_MS) } })
    else if (last?.ids && last.ids.length < PORTION) last.ids.push(...ids)
    else portions.push({ ids: [...ids] })
  }
  return portions
}

/** As the database orders them: days, and ids by their bytes. */
function byKey(a: InvoiceRow, b: InvoiceRow): number {
  if (a.invoiceDate !== b.invoiceDate) return a.invoiceDate < b.invoiceDate ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}
