import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { invoiceSums, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Days, dueDaysOf, issued, type Owner, type Selection, today, visibleTo } from '../selection.ts'

const { customerId, billingProfileId, issuer, platform, currency, month, dueDate } = invoiceSums

/**
 * Selects the stored sums, which triggers add up from balances, corrected to payable amounts: for each invoice whose
 * payable amount differs, its balance is subtracted and the payable amount added. A row may therefore count −1.
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

/** Condition that a row has a balance: an amount to pay, or credit. */
export const hasOutstanding = sql`(${dueDate} IS NOT NULL OR ${invoiceSums.creditCount} <> 0)`

/** Number of a row's invoices that have a balance. */
export const outstandingCount = sql`CASE WHEN ${dueDate} IS NULL THEN ${invoiceSums.creditCount} ELSE ${invoiceSums.count} END`

/** Applies the rule of `statusOfIssued` to sums: settled sums have no due date, open sums have one. */
function hasStatus(status: string): SQL {
  if (status === 'PAID') return sql`${dueDate} IS NULL`
  if (status === 'PAST DUE') return sql`${dueDate} < ${today}::date`
  if (status === 'OPEN') return sql`${dueDate} >= ${today}::date`
  return sql`false`
}
