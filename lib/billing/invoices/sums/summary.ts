import 'server-only'
import { and, inArray, not, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readToday, today } from '#lib/platform/db/schema/columns.ts'
import { invoiceSums, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { addDays, dayOf, monthBegin } from '#lib/platform/values/days.ts'
import { byTokens } from '../search.ts'
import {
  type Days,
  daysOf,
  hasOutstanding,
  isUnsettled,
  type Owner,
  ofMonths,
  outstandingCount,
  payable,
  type Selection,
  selected,
  sumsOf,
  visibleTo,
} from '../selection.ts'
import { idsOf, isOneOf, issuersOf } from '../tokens.ts'

/** A sum of one currency: of a platform in a month, of a month (no platform), or of all (no month either). */
export type Billed = {
  currency: string
  month: string | null
  platform: string | null
  count: number
  total: string
}
/** Open amounts of one currency, as exact decimal text; days as `YYYY-MM-DD`. */
export type OutstandingSums = {
  currency: string
  balance: string
  due_count: number
  due: string
  credit_count: number
  credit: string
  late_count: number
  late: string
  late_since: string | null
  soon_count: number
  soon: string
  soon_from: string | null
}
export type Sums = { today: string; billed: Billed[]; outstanding: OutstandingSums[] }

/**
 * Exact sums of the selection, each of one currency. Today is the database's day in UTC.
 * @param strategy other than the one that the selection has: both give the same
 */
export async function sumInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  strategy: SumStrategy = strategyFor(selection),
): Promise<Sums> {
  return sumParts(tx, partsOf(owner, selection, strategy))
}

/** Conditions of a sum: the first selects stored sums, the second single invoices. */
export type Parts = {
  months: { from: SQL; where: SQL | undefined } | undefined
  rows: readonly (SQL | undefined)[]
}

function partsOf(owner: Owner, selection: Selection, strategy: SumStrategy): Parts {
  return {
    months: strategy.months && {
      from: sumsOf(owner),
      where: and(...ofMonths(owner, selection, strategy.months)),
    },
    rows: strategy.rows.map((days) => and(...visibleTo(owner), ...selected(selection, days))),
  }
}

/** The sums of several parts, which have no invoice in common; one at least. */
async function sumParts(tx: Transaction, { months, rows }: Parts): Promise<Sums> {
  const [billed, outstanding, day] = await Promise.all([
    tx.execute<Billed>(
      billedOf(together([...(months ? [billedByMonth(months)] : []), ...rows.map(billedByRow)])),
    ),
    tx.execute<OutstandingSums>(
      groupOutstanding(
        together([...(months ? [outstandingByMonth(months)] : []), ...rows.map(outstandingByRow)]),
      ),
    ),
    readToday(tx),
  ])
  return { today: day, billed: billed.rows, outstanding: outstanding.rows }
}

type Months = NonNullable<Parts['months']>

function together(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql` UNION ALL `)
}

function billedByMonth({ from, where }: Months): SQL {
  const { currency, platform, month, count, total } = invoiceSums
  return sql`
    SELECT ${currency}, ${platform}, ${month}::text AS month, sum(${count}) AS count, sum(${total}) AS total
    FROM ${from} WHERE ${where} GROUP BY 1, 2, 3 HAVING sum(${count}) <> 0`
}

/** Groups by day first: for plain columns PostgreSQL estimates the number of groups and avoids sorting all rows. */
function billedByRow(where: SQL | undefined): SQL {
  const { currency, platform, invoiceDate, totalAmount } = invoices
  return sql`
    SELECT currency, platform, date_trunc('month', invoice_date::timestamp)::date::text AS month,
      sum(count) AS count, sum(total) AS total
    FROM (
      SELECT ${currency}, ${platform}, ${invoiceDate}, count(*) AS count, sum(${totalAmount}) AS total
      FROM ${invoices} WHERE ${where} GROUP BY 1, 2, 3) AS days
    GROUP BY 1, 2, 3`
}

/** @param parts of each currency, platform and month; a month may be in several of them */
function billedOf(parts: SQL): SQL {
  return sql`
    WITH months AS (${parts})
    SELECT currency, month, platform, sum(count)::int AS count, sum(total) AS total
    FROM months
    GROUP BY GROUPING SETS ((currency), (currency, month), (currency, month, platform))
    ORDER BY currency, month, platform COLLATE "C"`
}

function outstandingByMonth({ from, where }: Months): SQL {
  const { currency, dueDate, balance } = invoiceSums
  return sql`
    SELECT ${currency}, ${dueDate}, ${outstandingCount} AS count, ${balance} AS balance
    FROM ${from} WHERE ${where} AND ${hasOutstanding}`
}

/** Most invoices have no balance, and the index of those that have is short. */
function outstandingByRow(where: SQL | undefined): SQL {
  const { currency, dueDate } = invoices
  return sql`
    SELECT ${currency}, CASE WHEN ${payable} > 0 THEN ${dueDate} END AS due_date, 1 AS count, ${payable} AS balance
    FROM ${invoices} WHERE ${where} AND ${isUnsettled}`
}

/** @param parts rows with a balance; credit has no due day */
function groupOutstanding(parts: SQL): SQL {
  const sums = (name: string, condition: SQL) => sql`
    coalesce(sum(count) FILTER (WHERE ${condition}), 0)::int AS ${sql.identifier(`${name}_count`)},
    coalesce(sum(balance) FILTER (WHERE ${condition}), 0) AS ${sql.identifier(name)}`
  const isOverdue = sql`due_date < ${today}`
  const isDueWithin30Days = sql`due_date BETWEEN ${today} AND ${today} + 30`
  return sql`
    WITH parts AS (${parts}), unsettled AS (
      SELECT currency, due_date, sum(count) AS count, sum(balance) AS balance FROM parts GROUP BY 1, 2 HAVING sum(count) <> 0)
    SELECT currency, sum(balance) AS balance, ${sums('due', sql`due_date IS NOT NULL`)},
      ${sums('credit', sql`due_date IS NULL`)},
      ${sums('late', isOverdue)}, min(due_date) FILTER (WHERE ${isOverdue})::text AS late_since,
      ${sums('soon', isDueWithin30Days)}, min(due_date) FILTER (WHERE ${isDueWithin30Days})::text AS soon_from
    FROM unsettled GROUP BY 1`
}

/** No month begins after it: `LAST_DAY` is in it. */
const LAST_MONTH = '9999-12-01'

/** Sources of a selection's sums: months with stored sums, and the invoices of the remaining days. */
type SumStrategy = { months: Days | undefined; rows: readonly Days[] }

/** The way that never asks the sums: each invoice that is selected is read. */
export function byRows(selection: Selection): SumStrategy {
  return { months: undefined, rows: [daysOf(selection)] }
}

/**
 * Decides how a selection is added up. Sums are stored for issued invoices, by month. Whole months use the stored sums,
 * and the days of months that the range cuts are read as invoices; with a filter that the sums lack, all days are.
 */
export function strategyFor(selection: Selection): SumStrategy {
  const { from, to } = daysOf(selection)
  if (!canUseMonthSums(selection) || (from && from > LAST_MONTH)) return byRows(selection)
  const first = from && firstWholeMonth(from)
  const last = to && lastWholeMonth(to)
  if (first && last && first > last) return byRows(selection)
  const rows: Days[] = []
  if (from && first && from < first) rows.push({ from, to: addDays(first, -1) })
  if (to && last && to > last) rows.push({ from: addDays(last, 1), to })
  return { months: { from: first, to: last }, rows }
}

/** Returns whether the stored sums cover the filters, dates excluded. */
function canUseMonthSums(selection: Selection): boolean {
  const { filter, search, ids, minAmount, maxAmount, product } = selection
  const states = new Set(filter?.state ?? ['issued'])
  if (states.size !== 1 || !states.has('issued') || filter?.dueDate || search || ids) return false
  if (product || filter?.document) return false
  return minAmount === undefined && maxAmount === undefined && canUseDueSums(selection)
}

/** Returns whether the stored sums cover the due dates: they hold due dates of open invoices only. */
function canUseDueSums({ filter, minDueDate, maxDueDate }: Selection): boolean {
  if (minDueDate === undefined && maxDueDate === undefined) return true
  return filter?.status?.every((status) => status === 'OPEN' || status === 'PAST DUE') ?? false
}

/** The first day from this one on with which a month begins. */
function firstWholeMonth(day: string): string {
  return dayOf(monthBegin(addDays(day, -1), 1))
}

/** The last day up to this one with which a month ends. */
function lastWholeMonth(day: string): string {
  return addDays(dayOf(monthBegin(addDays(day, 1))), -1)
}

/** Maximum number of ids that are added up one by one; for more, all invoices are read. */
const MAX_IDS = 5000

/**
 * Exact sums of whatever is selected, as `sumInvoices` gives them. Of a search, those of an issuer that it finds come
 * from the kept sums, and the other ones are read, as long as they are few.
 */
export async function sumMatches(tx: Transaction, owner: Owner, selection: Selection): Promise<Sums> {
  const tokenSearch = await byTokens(tx, owner, selection)
  if (!tokenSearch) return sumInvoices(tx, owner, selection)
  const { search, filter, ...times } = tokenSearch
  const [issuers, ids] = await Promise.all([
    issuersOf(tx, owner.customerId, search),
    idsOf(tx, { customerId: owner.customerId, search, days: daysOf(tokenSearch) }, MAX_IDS),
  ])
  if (!ids) return sumInvoices(tx, owner, selection)
  const byNumber = and(
    ...visibleTo(owner),
    ...selected(tokenSearch),
    isOneOf(ids),
    not(inArray(invoices.issuer, issuers)),
  )
  const both = filter?.issuer?.filter((issuer) => issuers.includes(issuer)) ?? issuers
  if (both.length === 0) return sumParts(tx, { months: undefined, rows: [byNumber] })
  const sent = { ...times, filter: { ...filter, issuer: both } }
  const { months, rows } = partsOf(owner, sent, strategyFor(sent))
  return sumParts(tx, { months, rows: [...rows, byNumber] })
}
