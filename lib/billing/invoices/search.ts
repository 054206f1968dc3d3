import 'server-only'
import { inArray, or, type SQL } from 'drizzle-orm'
import { isFilled } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { DAY_MS, dayOf, monthBegin } from '#lib/platform/values/days.ts'
import { type Days, daysOf, type Owner, type Selection } from './selection.ts'
import { keysetOf } from './sort.ts'
import { type InvoiceRow, listInvoices, type Page } from './store.ts'
import { idsOf, invoiceTokens, isOneOf, issuersOf, type Month, monthsOf, type Search } from './tokens.ts'

/**
 * Most rows that are sorted where a list has an order other than by date; above that, rows are read in order until the
 * page is full.
 */
const MAX_SORTED = 5000

/**
 * Returns rows of any selection like `listInvoices`, but a search by its tokens, in several statements. Until the
 * backfill of a customer's tokens has finished, each row is checked.
 */
export async function findInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page,
): Promise<InvoiceRow[]> {
  const tokenSearch = await byTokens(tx, owner, selection)
  if (!tokenSearch) return listInvoices(tx, owner, selection, page)
  if (keysetOf(page.orderBy).by === 'invoiceDate') return findByDate(tx, owner, tokenSearch, page)
  const [issuers, ids] = await Promise.all([
    issuersOf(tx, owner.customerId, tokenSearch.search),
    idsOf(
      tx,
      { customerId: owner.customerId, search: tokenSearch.search, days: daysOf(tokenSearch) },
      MAX_SORTED,
    ),
  ])
  const where = ids && or(inArray(invoices.issuer, issuers), isOneOf(ids))
  return listInvoices(tx, owner, selection, { ...page, where })
}

/** Returns the selection where tokens lead to all of its matches. */
export async function byTokens(
  tx: Transaction,
  { customerId }: Owner,
  { search, ...rest }: Selection,
): Promise<Search | undefined> {
  if (!search || rest.ids || !(await isFilled(tx, customerId, invoiceTokens.name))) return undefined
  return { search, ...rest }
}

/** Number of rows from which a month is read in order: a few of its rows fill a page. */
const FULL_MONTH = 200
/** Number of rows from which a portion is read immediately. */
const PORTION = 250

/**
 * Returns a page of a search in date order, skipping months without a match. Merges two lists in this order: matches of
 * the numbers, and invoices of the matching issuers.
 */
async function findByDate(
  tx: Transaction,
  owner: Owner,
  selection: Search,
  page: Page,
): Promise<InvoiceRow[]> {
  const isUp = keysetOf(page.orderBy).ascending !== (page.cursor?.direction === 'newer')
  const query = {
    customerId: owner.customerId,
    search: selection.search,
    days: beyond(selection, page, isUp),
    isUp,
  }
  const { limit } = page
  const select: Select = (size, among) =>
    listInvoices(tx, owner, selection, { ...page, limit: size, ...among })
  const [issuers, rows] = await Promise.all([
    issuersOf(tx, owner.customerId, selection.search),
    numbered(tx, query, limit, select),
  ])
  if (issuers.length === 0) return rows
  const sent = await select(limit, { where: inArray(invoices.issuer, issuers) })
  const all = [...new Map([...rows, ...sent].map((row) => [row.id, row])).values()]
  return all.sort((a, b) => (isUp ? byKey(a, b) : byKey(b, a))).slice(0, limit)
}

type Select = (size: number, among: { days?: Days; where?: SQL }) => Promise<InvoiceRow[]>

/** Yields matches of the numbers, month by month, until the page is full or no month is left. */
async function numbered(
  tx: Transaction,
  query: Parameters<typeof monthsOf>[1],
  limit: number,
  select: Select,
): Promise<InvoiceRow[]> {
  const rows: InvoiceRow[] = []
  let after: string | undefined
  // Grows each time: the other filters may match rarely.
  for (let inAll = PORTION; ; inAll *= 4) {
    const { months, last } = await monthsOf(tx, query, { ofMonth: FULL_MONTH, inAll }, after)
    for (const { ids, days } of portionsOf(months)) {
      const among = ids ? { where: isOneOf(ids) } : { days: within(query.days, days) }
      const left = limit - rows.length
      // All of the ids: with a limit, the planner may scan all invoices for these few.
      const matches = await select(ids ? ids.length : left, among)
      rows.push(...matches.slice(0, left))
      if (rows.length === limit) return rows
    }
    if (!last) return rows
    after = last
  }
}

/** Returns the remaining days from the cursor on. */
function beyond(selection: Search, { cursor }: Page, isUp: boolean): Days {
  const day = cursor?.key[0]
  return within(daysOf(selection), isUp ? { from: day } : { to: day })
}

function within(a: Days, b: Days): Days {
  const begins = [a.from, b.from].filter((day) => day !== undefined).sort()
  const ends = [a.to, b.to].filter((day) => day !== undefined).sort()
  return { from: begins.at(-1), to: ends[0] }
}

/** Portion for one statement: ids while they are few, else all days of a month. */
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

/** Compares in the database's order: by day, then by the bytes of the id. */
function byKey(a: InvoiceRow, b: InvoiceRow): number {
  if (a.invoiceDate !== b.invoiceDate) return a.invoiceDate < b.invoiceDate ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}
