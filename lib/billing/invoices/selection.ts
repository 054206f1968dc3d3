import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { builtOnce, type Values, value } from '#lib/platform/db/prepared-queries.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoiceSums, invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { hasPart, hasStart } from '#lib/platform/lists/search.ts'
import { DAY_MS, dayOf } from '#lib/platform/values/days.ts'
import { DOCUMENT_STATES, type DocumentKind, type DocumentState, type FilterKey } from './rules.ts'

/** Which invoices are asked for, among those that the caller may see. */
export type Selection = {
  filter?: Filter<FilterKey> | undefined
  /** Epoch milliseconds, which `unixTime` has read from seconds; both inclusive, applied to the invoice date. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  /** Earliest due date, in epoch milliseconds. */
  minDueDate?: number | undefined
  maxDueDate?: number | undefined
  /** Exact decimal text, both inclusive, of the total in its own currency. */
  minAmount?: string | undefined
  maxAmount?: string | undefined
  /** Part of the description of a line. */
  product?: string | undefined
  search?: string | undefined
  /** Ids of the invoices, drafts and voided ones included. */
  ids?: readonly string[] | undefined
}

/** Range of dates, both inclusive, as `YYYY-MM-DD`; an absent bound is open. */
export type Days = { from?: string | undefined; to?: string | undefined }

/** Returns the range of invoice dates within a selection's times: an invoice counts at midnight of its date. */
export function daysOf({ minCreationTime, maxCreationTime }: Selection): Days {
  return daysBetween(minCreationTime, maxCreationTime)
}

/** Returns the range of due dates within a selection's times. */
function dueDaysOf({ minDueDate, maxDueDate }: Selection): Days {
  return daysBetween(minDueDate, maxDueDate)
}

function daysBetween(min: number | undefined, max: number | undefined): Days {
  return {
    from: min === undefined ? undefined : dayOf(Math.ceil(min / DAY_MS) * DAY_MS),
    to: max === undefined ? undefined : dayOf(max),
  }
}

/** Customer and billing profiles whose invoices are read: every query here names both. */
export type Owner = Pick<Caller, 'customerId' | 'billingProfiles'>

/** The rows of these billing profiles of this customer. */
export function visibleTo({ customerId, billingProfiles: profiles }: Owner): SQL[] {
  return [eq(invoices.customerId, customerId), inArray(invoices.billingProfileId, [...profiles])]
}

/**
 * Prepares a query on a caller's invoices once for each number of billing profiles: see `builtOnce`.
 * @param build receives an owner whose members are placeholders for those of each call
 */
export function preparedForOwner<Rows>(
  build: (tx: Transaction, owner: Owner) => { prepare(name: string): unknown },
): (tx: Transaction, owner: Owner, values?: Values) => Promise<Rows> {
  const queries = new Map<number, ReturnType<typeof builtOnce<Rows>>>()
  return (tx, { customerId, billingProfiles }, values) => {
    const names = billingProfiles.map((_, index) => `profile${index}`)
    const any = {
      customerId: value<Owner['customerId']>('customer'),
      billingProfiles: names.map(value<string>),
    }
    const run = queries.get(names.length) ?? builtOnce<Rows>((first) => build(first, any))
    queries.set(names.length, run)
    const profileValues = Object.fromEntries(names.map((name, index) => [name, billingProfiles[index]]))
    return run(tx, { ...values, ...profileValues, customer: customerId })
  }
}

/**
 * Returns the conditions of the filters, without the tenant's, which `visibleTo` adds. Selects issued invoices only,
 * unless the filter names other states.
 * @param days range of invoice dates, where it differs from the selection's
 */
export function selected(selection: Selection, days = daysOf(selection)): SQL[] {
  return conditionsOf({ ...selection, dueDays: dueDaysOf(selection), dueDates: dueDatesOf(selection) }, days)
}

/** Returns the due dates that the filter names. */
function dueDatesOf({ filter }: Selection): string[] | undefined {
  return filter?.dueDate?.map((time) => dayOf(Number(time)))
}

/** Selection of a list whose statement is built once: its shape, its values by name, and its conditions on these. */
export type SelectionShape = { shape: string; values: Values; conditions: () => SQL[] }

/** Filters whose values are values of the statement; those of the others are part of its text. */
const VALUE_FILTERS = ['platform', 'issuer', 'billingProfile', 'currency'] as const

/**
 * Returns the shape of a selection: selections of one shape have one statement, with other values. Undefined if it
 * searches, or names products or ids, whose statements are longer than their building.
 */
export function shapeOf(selection: Selection): SelectionShape | undefined {
  const { filter, search, ids, product, minAmount, maxAmount } = selection
  if (search || ids || product) return undefined
  const values: Values = {}
  const shape: unknown[] = [filter?.state, filter?.document, filter?.status]
  /** Names a value, and returns its placeholder. */
  const named = (name: string, text: string | undefined) => {
    shape.push(text === undefined ? 0 : name)
    if (text === undefined) return undefined
    values[name] = text
    return value<string>(name)
  }
  const namedList = (name: string, list: readonly string[] | undefined) => {
    if (!list) shape.push(name)
    return list?.map((one, index) => named(`${name}${index}`, one) as string)
  }
  const namedDays = (name: string, { from, to }: Days): Days => ({
    from: named(`${name}From`, from),
    to: named(`${name}To`, to),
  })
  const filters = Object.fromEntries(VALUE_FILTERS.map((name) => [name, namedList(name, filter?.[name])]))
  const dueDates = namedList('dueDate', dueDatesOf(selection))
  const dueDays = namedDays('due', dueDaysOf(selection))
  const amounts = { minAmount: named('min', minAmount), maxAmount: named('max', maxAmount) }
  const days = namedDays('day', daysOf(selection))
  const conditions = () =>
    conditionsOf({ filter: { ...filter, ...filters }, ...amounts, dueDays, dueDates }, days)
  return { shape: JSON.stringify(shape), values, conditions }
}

type Conditions = Pick<Selection, 'filter' | 'minAmount' | 'maxAmount' | 'product' | 'search' | 'ids'> & {
  dueDays: Days
  dueDates: readonly string[] | undefined
}

function conditionsOf(selection: Conditions, days: Days): SQL[] {
  const { filter, search, ids, product, dueDays, dueDates } = selection
  const conditions: (SQL | undefined)[] = [
    hasState(filter?.state ?? (ids ? DOCUMENT_STATES : ['issued'])),
    filter?.document && (or(...filter.document.map((kind) => DOCUMENTS[kind as DocumentKind])) ?? sql`false`),
    filter?.platform && inArray(invoices.platform, filter.platform),
    filter?.issuer && inArray(invoices.issuer, filter.issuer),
    filter?.billingProfile && inArray(invoices.billingProfileId, filter.billingProfile),
    filter?.currency && inArray(invoices.currency, filter.currency),
    filter?.status && (or(...filter.status.map(hasStatus)) ?? sql`false`),
    dueDates && inArray(invoices.dueDate, [...dueDates]),
    ...within(invoices.invoiceDate, days),
    ...within(invoices.dueDate, dueDays),
    ...between(selection),
    ids && sql`${invoices.id} = ANY(${sql.param(ids)}::text[])`,
    product ? hasProduct(product) : undefined,
    search ? hasText(search) : undefined,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

// Constants instead of parameters let the planner use the partial index of invoices that are not issued.
const STATES: Record<DocumentState, SQL> = {
  draft: sql`${invoices.documentState} = 'draft'`,
  issued: sql`${invoices.documentState} = 'issued'`,
  voided: sql`${invoices.documentState} = 'voided'`,
}
/** Condition of sums, comparisons and mails, whatever states the filter names. */
export const issued = STATES.issued

/** The rule of `documentName`, in SQL. By the copy of the amount, too, for which there is an index. */
const DOCUMENTS: Record<DocumentKind, SQL> = {
  invoice: sql`(${invoices.form} = 'invoice' AND ${invoices.totalAmount} >= 0)`,
  'credit-note': sql`(${invoices.form} = 'invoice' AND ${invoices.totalAmount} < 0 AND ${invoices.totalSort} <= 0)`,
  summary: sql`${invoices.form} = 'summary'`,
}

/** Returns the condition that a line of the invoice is of the product. */
function hasProduct(product: string): SQL {
  const { customerId, invoiceId, description } = lineItems
  return sql`EXISTS (SELECT FROM ${lineItems} WHERE ${customerId} = ${invoices.customerId}
    AND ${invoiceId} = ${invoices.id} AND ${hasPart(description, product)})`
}

/** Payable amount of an invoice, or the rest of a credit: the balance, unless the column has another amount. */
export const payable = sql<string>`coalesce(${invoices.payableAmount}, ${invoices.balanceAmount})`

/** Condition that an amount is payable, or left of a credit. Tests the balance too, which has partial indexes. */
export const isUnsettled = sql`(${invoices.balanceAmount} <> 0 AND ${payable} <> 0)`

/** All three of them are no condition. */
function hasState(states: readonly string[]): SQL | undefined {
  const requested = DOCUMENT_STATES.filter((state) => states.includes(state))
  if (requested.length === DOCUMENT_STATES.length) return undefined
  return or(...requested.map((state) => STATES[state])) ?? sql`false`
}

function within(date: typeof invoices.invoiceDate | typeof invoices.dueDate, { from, to }: Days) {
  return [
    from === undefined ? undefined : sql`${date} >= ${from}`,
    to === undefined ? undefined : sql`${date} <= ${to}`,
  ]
}

function between({ minAmount, maxAmount }: Conditions) {
  return [
    minAmount === undefined ? undefined : hasAmount(sql`>=`, minAmount),
    maxAmount === undefined ? undefined : hasAmount(sql`<=`, maxAmount),
  ]
}

/** Compares the exact amount, and its rounded copy, which is the indexed column. */
function hasAmount(compared: SQL, amount: string): SQL {
  const { totalAmount, totalSort } = invoices
  return sql`(${totalAmount} ${compared} ${amount}::numeric AND ${totalSort} ${compared} ${amount}::double precision)`
}

/** The rule of `statusOfIssued`, in SQL. Whatever has a balance is issued: a check of the table holds that. */
function hasStatus(status: string): SQL {
  const { balanceAmount, balanceSort, dueDate } = invoices
  // Behind row-level security the planner knows nothing of `numeric`: by the copy it sees how few are open.
  const isOpen = sql`${balanceAmount} > 0 AND ${balanceSort} > 0 AND ${payable} > 0`
  if (status === 'PAID') return sql`(${payable} <= 0 AND ${issued})`
  if (status === 'PAST DUE') return sql`(${isOpen} AND ${dueDate} < ${today})`
  if (status === 'OPEN') return sql`(${isOpen} AND ${dueDate} >= ${today})`
  return sql`false`
}

/** Rule of past due invoices: of the list, of home's sums by `sumsHaveStatus`, of mails and webhooks. */
export const isPastDue = hasStatus('PAST DUE')

/**
 * Columns in which a search matches any part; a purchase order may also be that of a single line. Another field is
 * added here, and, where most invoices have different values, in a migration that gives it tokens: `tokens_of_invoice`,
 * which `keep_invoice_tokens` and `tokens.ts` call.
 */
const PARTS = [invoices.number, invoices.purchaseOrder, invoices.issuer]
/** Columns in which a search matches the start, however long the value is. */
const STARTS = [invoices.id, invoices.buyerReference, invoices.costCenter]

/** Returns the exact condition of a search, checked on each row: the tokens only preselect rows that may match. */
function hasText(search: string): SQL | undefined {
  return or(
    ...PARTS.map((field) => hasPart(field, search)),
    ...STARTS.map((field) => hasStart(field, search)),
    sql`EXISTS (SELECT FROM unnest(${invoices.lineOrders}) AS line(own) WHERE ${hasPart(sql`line.own`, search)})`,
  )
}

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
    filter?.status && (or(...filter.status.map(sumsHaveStatus)) ?? sql`false`),
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
function sumsHaveStatus(status: string): SQL {
  if (status === 'PAID') return sql`${dueDate} IS NULL`
  if (status === 'PAST DUE') return sql`${dueDate} < ${today}`
  if (status === 'OPEN') return sql`${dueDate} >= ${today}`
  return sql`false`
}
