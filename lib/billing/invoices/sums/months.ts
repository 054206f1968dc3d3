import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { invoiceSums, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Days, dueDaysOf, issued, type Owner, type Selection, today, visibleTo } from '../selection.ts'

const { customerId, billingProfileId, issuer, platform, currency, month, dueDate } = invoiceSums

/**
 * The kept sums, which triggers add up by balances, and with them what makes them sums of what can be paid: of each invoice
 * of which that is another amount, its balance is taken off, and what can be paid put in its place. So a row may count −1.
 */
export function sumsOf(owner: Owner): SQL {
  const { billingProfileId, issuer, platform, currency, invoiceDate, dueDate } = invoices
  const { totalAmount, balanceAmount, payableAmount } = invoices
  const odd = sql`${sql.join([...visibleTo(owner), issued], sql` AND `)} AND ${payableAmount} IS NOT NULL`
  const place = sql`${invoices.customerId} AS customer_id, ${billingProfileId} AS billing_profile_id, ${issuer} AS issuer,
    ${platform} AS platform, ${currency} AS currency, date_trunc('month', ${invoiceDate}::timestamp)::date AS month`
  return sql`(
    SELECT customer_id, billing_profile_id, issuer, platform, currency, month, due_date, count, total, balance, credit_count
    FROM invoice_sums WHERE customer_id = ${owner.customerId}
    UNION ALL
    SELECT ${place}, CASE WHEN ${balanceAmount} > 0 THEN ${dueDate} END, -1, -${totalAmount}, -${balanceAmount},
      -(${balanceAmount} < 0)::int
    FROM ${invoices} WHERE ${odd}
    UNION ALL
    SELECT ${place}, CASE WHEN ${payableAmount} > 0 THEN ${dueDate} END, 1, ${totalAmount}, ${payableAmount},
      (${payableAmount} < 0)::int
    FROM ${invoices} WHERE ${odd}) AS invoice_sums`
}

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
export const hasOutstanding = sql`(${dueDate} IS NOT NULL OR ${invoiceSums.creditCount} <> 0)`

/** How many of the invoices of a row have a balance. */
export const outstandingCount = sql`CASE WHEN ${dueDate} IS NULL THEN ${invoiceSums.creditCount} ELSE ${invoiceSums.count} END`

/** The rule of `statusOfIssued`, of sums: what is settled has no due day, and what is open has its own. */
function hasStatus(status: string): SQL {
  if (status === 'PAID') return sql`${dueDate} IS NULL`
  if (status === 'PAST DUE') return sql`${dueDate} < ${today}::date`
  if (status === 'OPEN') return sql`${dueDate} >= ${today}::date`
  return sql`false`
}
