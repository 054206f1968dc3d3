import type { IssuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import { quoted } from '#lib/imports/value-errors.ts'
import { dayOf, epochOfDay } from '#lib/platform/values/days.ts'
import { ImportError, type ProblemList } from '../import-error.ts'
import { widen } from '../posting/usage.ts'
import type { Owner } from '../resale/accounts.ts'
import type { Bill, BillBuilder, ChargeGroup, SourceLocation } from './bill.ts'
import type { BillHeader } from './fields.ts'

/** Which accounts an invoice bills is known up to so many of them. */
const MAX_ACCOUNTS = 1000
/** Far more than any invoice has, and as many as one of our own JSON may have. */
export const MAX_GROUPS = 100_000

/**
 * Returns the key of a bill. It begins with the customer, so that a customer's bills are adjacent in sorted order.
 * @param issuer its name in the form used for comparison
 */
export function billKey(
  { invoiceId, account, currency, start, end }: BillHeader,
  issuer: string,
  owner?: Owner,
): string {
  const whose = [owner?.customer ?? '', owner?.billingProfile ?? '', issuer]
  return JSON.stringify(
    invoiceId === undefined
      ? [...whose, [account, currency, dayOf(start), dayOf(end)]]
      : [...whose, invoiceId],
  )
}

/**
 * Parses a bill's key, without the currency of one that has an `InvoiceId`; the issuer in the form used for comparison.
 */
export function parseBillKey(
  key: string,
): Omit<BillHeader, 'currency'> & { customer: string; owner?: Owner } {
  const [customer, profile, issuer, bill] = JSON.parse(key) as [string, string, string, string | string[]]
  const owner = customer === '' ? {} : { owner: { customer, ...(profile && { billingProfile: profile }) } }
  if (typeof bill === 'string')
    return { customer, ...owner, issuer, invoiceId: bill, account: undefined, start: 0, end: 0 }
  const [account, , start = '', end = ''] = bill
  const days = { start: epochOfDay(start), end: epochOfDay(end) }
  return { customer, ...owner, issuer, invoiceId: undefined, account, ...days }
}

/**
 * Widens a bill by a row's head: its period spans those of its charges, and one with charges of several accounts is of
 * none.
 * @returns whether they go together; if they don't, a problem is on the list
 */
export function mergeHeader(
  bill: BillHeader,
  header: BillHeader,
  location: SourceLocation,
  problems: ProblemList,
): boolean {
  for (const [column, was, is] of agreed(bill, header)) {
    if (was === is) continue
    const subject = bill.invoiceId === undefined ? 'its invoice' : `invoice ${bill.invoiceId}`
    problems.add({
      ...location,
      column,
      reason: `${valueText(is)}, but ${subject} began with ${valueText(was)}`,
    })
    return false
  }
  const accounts = new Set([...accountsOf(bill), ...accountsOf(header)])
  if (accounts.size > 1) {
    bill.account = undefined
    bill.accounts = [...accounts].sort().slice(0, MAX_ACCOUNTS)
  }
  if (header.awaitsBill) bill.awaitsBill = true
  bill.start = Math.min(bill.start, header.start)
  bill.end = Math.max(bill.end, header.end)
  // Two are enough to know that there is more than one; which two does not depend on the order of the rows.
  for (const field of ['terms', 'order'] as const)
    if (bill.issue && bill.issue[field] !== header.issue?.[field]) bill.issue[field] = undefined
  if (bill.issue && header.issue)
    bill.issue.corrects = [...new Set([...bill.issue.corrects, ...header.issue.corrects])].sort().slice(0, 2)
  return true
}

function accountsOf({ account, accounts = [] }: BillHeader): readonly string[] {
  return account === undefined ? accounts : [account]
}

/** Lists the columns in which all rows of one invoice must agree, with the values of two rows. */
function agreed(one: BillHeader, other: BillHeader): [column: string, one?: string, other?: string][] {
  return [
    ['BillingCurrency', one.currency, other.currency],
    ['InvoiceIssueStatus', one.issue?.state, other.issue?.state],
    ['InvoiceIssueDate', one.issue?.issueDate, other.issue?.issueDate],
    ['PaymentDueDate', one.issue?.dueDate, other.issue?.dueDate],
  ]
}

function valueText(value: string | undefined): string {
  return value === undefined ? 'nothing' : quoted(value)
}

/**
 * Joins the adjacent parts of bills.
 * @throws ImportError where two parts of a bill contradict each other
 */
export function* joined(
  parts: Iterable<[key: string, known: BillBuilder]>,
  problems: ProblemList,
): Generator<BillBuilder> {
  let last: { key: string; bill: BillBuilder } | undefined
  for (const [key, bill] of parts) {
    if (last?.key === key) addPart(last.bill, bill, problems)
    else {
      if (last) yield last.bill
      last = { key, bill }
    }
    problems.throwIfAny()
  }
  if (last) yield last.bill
}

function addPart(whole: BillBuilder, part: BillBuilder, problems: ProblemList): void {
  if (!mergeHeader(whole.header, part.header, part.location, problems)) return
  for (const [key, group] of part.groups) {
    const existing = whole.groups.get(key)
    if (!existing) whole.groups.set(key, group)
    else if (isTwice(whole.header, group)) problems.add({ ...part.location, ...twice(whole.header, group) })
    else addGroup(existing, group)
  }
  if (whole.groups.size > MAX_GROUPS)
    throw new ImportError([{ ...part.location, reason: `more than ${MAX_GROUPS} lines of one invoice` }])
}

function addGroup(target: ChargeGroup, group: ChargeGroup): void {
  widen(target.usage, group.usage, false)
  target.count += group.count
  target.cost = target.cost.plus(group.cost)
  if (!target.priced || !group.priced) return
  target.priced.billed = target.priced.billed.plus(group.priced.billed)
  const { each } = target.priced
  if (each && group.priced.each) each.quantity = each.quantity.plus(group.priced.each.quantity)
}

/** Returns whether a second row of this line is a duplicate: each line of an invoice has an id. */
export function isTwice({ invoiceId }: BillHeader, { detail }: ChargeGroup): boolean {
  return invoiceId !== undefined && detail !== undefined
}

export function twice({ invoiceId }: BillHeader, { detail }: ChargeGroup) {
  return {
    column: 'InvoiceDetailId',
    reason: `${quoted(detail ?? '')} of invoice ${invoiceId} is given twice`,
  }
}

/**
 * Yields the bills of both kinds of files, in order. Invoice details take precedence over charges.
 * @throws ImportError where the two of one invoice have different currencies
 */
export function* billsOfBoth(
  details: Iterable<Bill>,
  charges: Iterable<Bill>,
  issuers: IssuerSpellings,
): Generator<Bill> {
  const keyOf = (bill: Bill) => billKey(bill, issuers.see(bill.issuer), bill.owner)
  const summaries = charges[Symbol.iterator]()
  let summary = summaries.next()
  try {
    for (const bill of details) {
      const key = keyOf(bill)
      for (; !summary.done && keyOf(summary.value) < key; summary = summaries.next()) yield summary.value
      if (!summary.done && keyOf(summary.value) === key) {
        if (summary.value.currency !== bill.currency)
          throw new ImportError([otherCurrency(bill, summary.value)])
        summary = summaries.next()
      }
      yield bill
    }
    for (; !summary.done; summary = summaries.next()) yield summary.value
  } finally {
    summaries.return?.()
  }
}

function otherCurrency({ invoiceId = '', currency }: Bill, charges: Bill) {
  const reason = `is in ${currency}, and its charges are in ${charges.currency}`
  return { subject: `invoice ${invoiceId}`, reason }
}
