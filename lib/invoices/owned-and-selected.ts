import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { DAY_MS, dayOf } from '#lib/days.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import type { Filter } from '#lib/lists/filter.ts'

/** Whose invoices, and which of their billing profiles: every statement here names both. */
export type Owner = Pick<Caller, 'customerId' | 'billingProfiles'>

export type Selection = {
  filter?: Filter<'platform' | 'status' | 'dueDate'> | undefined
  /** Epoch milliseconds, both inclusive, applied to the invoice date. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  search?: string | undefined
  /** Invoice numbers. */
  ids?: readonly string[] | undefined
}

/** The database's day in UTC, `YYYY-MM-DD`. */
export const today = sql<string>`(now() AT TIME ZONE 'UTC')::date::text`

/** The rows of these billing profiles of this customer. */
export function owned({ customerId, billingProfiles: profiles }: Owner): SQL[] {
  return [eq(invoices.customerId, customerId), inArray(invoices.billingProfileId, [...profiles])]
}

/** What the filters add: never the tenant, which `owned` names. */
export function selected({ filter, minCreationTime, maxCreationTime, search, ids }: Selection): SQL[] {
  const conditions: (SQL | undefined)[] = [
    filter?.platform && inArray(invoices.platform, filter.platform),
    filter?.status && (or(...filter.status.map(hasStatus)) ?? sql`false`),
    filter?.dueDate &&
      inArray(
        invoices.dueDate,
        filter.dueDate.map((time) => dayOf(Number(time))),
      ),
    minCreationTime === undefined
      ? undefined
      : sql`${invoices.invoiceDate} >= ${dayAtOrAfter(minCreationTime)}`,
    maxCreationTime === undefined ? undefined : sql`${invoices.invoiceDate} <= ${dayOf(maxCreationTime)}`,
    ids && sql`${invoices.id} = ANY(${sql.param(ids)}::text[])`,
    search ? sql`starts_with(lower(${invoices.id}), lower(${search}))` : undefined,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

/** The rule of `statusOf`, in SQL. */
function hasStatus(status: string): SQL {
  const { balanceAmount, dueDate } = invoices
  if (status === 'PAID') return sql`${balanceAmount} <= 0`
  if (status === 'PAST DUE') return sql`(${balanceAmount} > 0 AND ${dueDate} < ${today}::date)`
  if (status === 'OPEN') return sql`(${balanceAmount} > 0 AND ${dueDate} >= ${today}::date)`
  return sql`false`
}

/** The first day whose midnight is not before this time: an invoice stands at its day's midnight. */
function dayAtOrAfter(epochMs: number): string {
  return dayOf(Math.ceil(epochMs / DAY_MS) * DAY_MS)
}
