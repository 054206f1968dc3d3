import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { invoiceSums } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Days, dueDaysOf, type Owner, type Selection, today } from '../selection.ts'

const { customerId, billingProfileId, issuer, platform, currency, month, dueDate } = invoiceSums

/** The kept sums of these billing profiles of this customer that are selected, of months that begin in these days. */
export function ofMonths(
  owner: Owner,
  selection: Pick<Selection, 'filter' | 'minDueDate' | 'maxDueDate'>,
  { from, to }: Days,
): SQL[] {
  const { filter } = selection
  const due = dueDaysOf(selection)
  const conditions: (SQL | undefined)[] = [
    eq(customerId, owner.customerId),
    inArray(billingProfileId, [...owner.billingProfiles]),
    filter?.platform && inArray(platform, filter.platform),
    filter?.issuer && inArray(issuer, filter.issuer),
    filter?.billingProfile && inArray(billingProfileId, filter.billingProfile),
    filter?.currency && inArray(currency, filter.currency),
    filter?.status && (or(...filter.status.map(hasStatus)) ?? sql`false`),
    due.from === undefined ? undefined : sql`${dueDate} >= ${due.from}`,
    due.to === undefined ? undefined : sql`${dueDate} <= ${due.to}`,
    from === undefined ? undefined : sql`${month} >= ${from}`,
    to === undefined ? undefined : sql`${month} <= ${to}`,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

/** What has a balance: what is to be paid, and credit. */
export const hasOutstanding = sql`(${dueDate} IS NOT NULL OR ${invoiceSums.creditCount} > 0)`

/** How many of the invoices of a row have a balance. */
export const outstandingCount = sql`CASE WHEN ${dueDate} IS NULL THEN ${invoiceSums.creditCount} ELSE ${invoiceSums.count} END`

/** The rule of `statusOfIssued`, of sums: what is settled has no due day, and what is open has its own. */
function hasStatus(status: string): SQL {
  if (status === 'PAID') return sql`${dueDate} IS NULL`
  if (status === 'PAST DUE') return sql`${dueDate} < ${today}::date`
  if (status === 'OPEN') return sql`${dueDate} >= ${today}::date`
  return sql`false`
}
