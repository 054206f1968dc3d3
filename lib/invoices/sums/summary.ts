import 'server-only'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { type Owner, owned, type Selection, selected, today } from './owned-and-selected.ts'

/** A sum of one currency: of a platform in a month, of a month (no platform), or of all (no month either). */
export type Billed = {
  currency: string
  month: string | null
  platform: string | null
  count: number
  total: string
}
/** What is not settled of one currency. Amounts are exact decimal text, days `YYYY-MM-DD`. */
export type Unsettled = {
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
export type Sums = { today: string; billed: Billed[]; unsettled: Unsettled[] }

/** Exact sums of the selection, each of one currency. Today is the database's day in UTC. */
export async function sumInvoices(tx: Transaction, owner: Owner, selection: Selection): Promise<Sums> {
  const where = and(...owned(owner), ...selected(selection))
  const [billed, unsettled, now] = await Promise.all([
    tx.execute<Billed>(billedOf(where)),
    tx.execute<Unsettled>(unsettledOf(where)),
    tx.execute<{ today: string }>(sql`SELECT ${today} AS today`),
  ])
  return { today: now.rows[0]?.today ?? '', billed: billed.rows, unsettled: unsettled.rows }
}

/** By day first: of plain columns PostgreSQL knows how many groups there are, and so does not sort all rows. */
function billedOf(where: SQL | undefined): SQL {
  const { currency, platform, invoiceDate, totalAmount } = invoices
  return sql`
    WITH days AS (
      SELECT ${currency}, ${platform}, ${invoiceDate}, count(*) AS count, sum(${totalAmount}) AS total
      FROM ${invoices} WHERE ${where} GROUP BY 1, 2, 3),
    months AS (
      SELECT currency, platform, date_trunc('month', invoice_date::timestamp)::date::text AS month,
        sum(count) AS count, sum(total) AS total
      FROM days GROUP BY 1, 2, 3)
    SELECT currency, month, platform, sum(count)::int AS count, sum(total) AS total
    FROM months
    GROUP BY GROUPING SETS ((currency), (currency, month), (currency, month, platform))
    ORDER BY currency, month, platform COLLATE "C"`
}

/** What has a balance: most invoices have none, and the index of those that have is short. */
function unsettledOf(where: SQL | undefined): SQL {
  const { currency, dueDate, balanceAmount } = invoices
  const day = sql`${today}::date`
  const sums = (name: string, condition: SQL) => sql`
    count(*) FILTER (WHERE ${condition})::int AS ${sql.identifier(`${name}_count`)},
    coalesce(sum(${balanceAmount}) FILTER (WHERE ${condition}), 0) AS ${sql.identifier(name)}`
  const isDue = sql`${balanceAmount} > 0`
  const isLate = sql`${isDue} AND ${dueDate} < ${day}`
  const isSoon = sql`${isDue} AND ${dueDate} BETWEEN ${day} AND ${day} + 30`
  return sql`
    SELECT ${currency}, sum(${balanceAmount}) AS balance, ${sums('due', isDue)}, ${sums('credit', sql`${balanceAmount} < 0`)},
      ${sums('late', isLate)}, min(${dueDate}) FILTER (WHERE ${isLate})::text AS late_since,
      ${sums('soon', isSoon)}, min(${dueDate}) FILTER (WHERE ${isSoon})::text AS soon_from
    FROM ${invoices} WHERE ${where} AND ${balanceAmount} <> 0 GROUP BY 1`
}
