import 'server-only'
import { and, type Column, inArray, type SQL, sql } from 'drizzle-orm'
import {
  hasOutstanding,
  issued,
  isUnsettled,
  type Owner,
  ofMonths,
  outstandingCount,
  payable,
  sumsOf,
  visibleTo,
} from '#lib/billing/invoices/selection.ts'
import { type InvoiceRow, invoiceColumns } from '#lib/billing/invoices/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoiceSums, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { type Cursor, type KeyColumn, pageByKey } from '#lib/platform/lists/paging.ts'
import type { Age } from './rules.ts'

export type Selection = { filter?: Filter<'billingProfile' | 'platform' | 'currency'> | undefined }
/** Sum of one currency, billing profile and age; the amount is exact decimal text. */
export type AgeSum = { currency: string; billingProfileId: string; age: Age; count: number; amount: string }
export type OpenItem = InvoiceRow & { age: Age; daysPastDue: number }

const { currency, billingProfileId, platform, dueDate } = invoices

// A day less a day is a whole number of days, whatever the session's time zone. In a select of its own, the day is
// found once and not for each row.
const daysSince = (due: Column) => sql<number>`((SELECT ${today}) - ${due})`
// The one place that knows the bounds: the sums and each item ask it.
const ageOf = (due: Column, isCredit: SQL) => sql<Age>`CASE WHEN ${isCredit} THEN 'credit'
  WHEN ${daysSince(due)} <= 0 THEN 'current' WHEN ${daysSince(due)} <= 30 THEN 'days1To30'
  WHEN ${daysSince(due)} <= 60 THEN 'days31To60' WHEN ${daysSince(due)} <= 90 THEN 'days61To90' ELSE 'older' END`
const days = daysSince(dueDate)
const age = ageOf(dueDate, sql`${payable} < 0`)

/** By currency and billing profile, the longest due first. */
const KEY: KeyColumn[] = [
  { column: currency },
  { column: billingProfileId },
  { column: dueDate, read: (text) => sql`${text}::date` },
  { column: invoices.id },
]

/** Adds up the open items of the selection from the stored sums. Today is the database's day in UTC. */
export async function sumOpenItems(tx: Transaction, owner: Owner, { filter }: Selection): Promise<AgeSum[]> {
  const { currency, billingProfileId, balance, dueDate } = invoiceSums
  const { rows } = await tx.execute<AgeSum>(sql`
    SELECT ${currency} AS currency, ${billingProfileId} AS "billingProfileId",
      ${ageOf(dueDate, sql`${dueDate} IS NULL`)} AS age, sum(${outstandingCount})::int AS count, sum(${balance})::text AS amount
    FROM ${sumsOf(owner)} WHERE ${and(...ofMonths(owner, { filter }, {}), hasOutstanding)}
    GROUP BY 1, 2, 3 HAVING sum(${outstandingCount}) <> 0 ORDER BY 1, 2`)
  return rows
}

/** Open items in the direction of reading, from the cursor on. */
export async function listOpenItems(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
): Promise<OpenItem[]> {
  const { beyond, order } = pageByKey(KEY, cursor, true)
  return tx
    .select({
      ...invoiceColumns,
      age,
      daysPastDue: sql<number>`CASE WHEN ${payable} < 0 THEN 0 ELSE greatest(${days}, 0) END`,
    })
    .from(invoices)
    .where(and(...open(owner, selection), beyond))
    .orderBy(order)
    .limit(limit)
}

/** The sort key of an item, for page tokens. */
export function keyOf(row: OpenItem): string[] {
  return [row.currency, row.billingProfileId, row.dueDate, row.id]
}

/**
 * Returns the conditions of open items in the caller's billing profiles that match the filter, without the customer's.
 */
function open(owner: Owner, { filter }: Selection): SQL[] {
  const conditions: (SQL | undefined)[] = [
    ...visibleTo(owner),
    issued,
    isUnsettled,
    filter?.billingProfile && inArray(billingProfileId, filter.billingProfile),
    filter?.platform && inArray(platform, filter.platform),
    filter?.currency && inArray(currency, filter.currency),
  ]
  return conditions.filter((condition) => condition !== undefined)
}
