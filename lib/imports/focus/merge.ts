import type { IssuerSpellings } from '#lib/billing/parties/issuer-name.ts'
import { quoted } from '#lib/imports/faults.ts'
import { dayOf, epochOfDay } from '#lib/platform/values/days.ts'
import { widen } from '../posting/usage.ts'
import { ImportRefused, type ProblemList } from '../refused.ts'
import type { Owner } from '../resale/accounts.ts'
import type { Bill, ChargeGroup, Known, Place } from './bill.ts'
import type { BillHead } from './fields.ts'

/** Which accounts an invoice bills is known up to so many of them. */
const MOST_ACCOUNTS = 1000
/** Far more than any invoice has, and as many as one of our own JSON may have. */
export const MOST_GROUPS = 100_000

/**
 * What tells one bill from another. It begins with the customer, so that in its order a customer's stand together.
 * @param issuer its name as it is compared
 */
export function billKey(
  { invoiceId, account, currency, start, end }: BillHead,
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

/** What a bill's key tells of it, without the currency of one that has an `InvoiceId`; the issuer as it is compared. */
export function headOfKey(key: string): Omit<BillHead, 'currency'> & { customer: string; owner?: Owner } {
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
export function joinHead(bill: BillHead, head: BillHead, place: Place, problems: ProblemList): boolean {
  for (const [column, was, is] of agreed(bill, head)) {
    if (was === is) continue
    const subject = bill.invoiceId === undefined ? 'its invoice' : `invoice ${bill.invoiceId}`
    problems.add({ ...place, column, reason: `${told(is)}, but ${subject} began with ${told(was)}` })
    return false
  }
  const accounts = new Set([...accountsOf(bill), ...accountsOf(head)])
  if (accounts.size > 1) {
    bill.account = undefined
    bill.accounts = [...accounts].sort().slice(0, MOST_ACCOUNTS)
  }
  if (head.awaitsBill) bill.awaitsBill = true
  bill.start = Math.min(bill.start, head.start)
  bill.end = Math.max(bill.end, head.end)
  // Two are enough to know that there is more than one; which two does not depend on the order of the rows.
  for (const field of ['terms', 'order'] as const)
    if (bill.issue && bill.issue[field] !== head.issue?.[field]) bill.issue[field] = undefined
  if (bill.issue && head.issue)
    bill.issue.corrects = [...new Set([...bill.issue.corrects, ...head.issue.corrects])].sort().slice(0, 2)
  return true
}

function accountsOf({ account, accounts = [] }: BillHead): readonly string[] {
  return account === undefined ? accounts : [account]
}

/** The columns in which all rows of one invoice agree, with what two of them say. */
function agreed(one: BillHead, other: BillHead): [column: string, one?: string, other?: string][] {
  return [
    ['BillingCurrency', one.currency, other.currency],
    ['InvoiceIssueStatus', one.issue?.state, other.issue?.state],
    ['InvoiceIssueDate', one.issue?.issueDate, other.issue?.issueDate],
    ['PaymentDueDate', one.issue?.dueDate, other.issue?.dueDate],
  ]
}

function told(value: string | undefined): string {
  return value === undefined ? 'nothing' : quoted(value)
}

/**
 * Bills of which some come in several parts, one after another.
 * @throws ImportRefused where two parts of one do not go together
 */
export function* joined(
  parts: Iterable<[key: string, known: Known]>,
  problems: ProblemList,
): Generator<Known> {
  let last: { key: string; known: Known } | undefined
  for (const [key, known] of parts) {
    if (last?.key === key) addPart(last.known, known, problems)
    else {
      if (last) yield last.known
      last = { key, known }
    }
    problems.refuseIfAny()
  }
  if (last) yield last.known
}

function addPart(whole: Known, part: Known, problems: ProblemList): void {
  if (!joinHead(whole.head, part.head, part.place, problems)) return
  for (const [key, group] of part.groups) {
    const known = whole.groups.get(key)
    if (!known) whole.groups.set(key, group)
    else if (isTwice(whole.head, group)) problems.add({ ...part.place, ...twice(whole.head, group) })
    else addGroup(known, group)
  }
  if (whole.groups.size > MOST_GROUPS)
    throw new ImportRefused([{ ...part.place, reason: `more than ${MOST_GROUPS} lines of one invoice` }])
}

function addGroup(known: ChargeGroup, group: ChargeGroup): void {
  widen(known.usage, group.usage, false)
  known.count += group.count
  known.cost = known.cost.plus(group.cost)
  if (!known.priced || !group.priced) return
  known.priced.billed = known.priced.billed.plus(group.priced.billed)
  const { each } = known.priced
  if (each && group.priced.each) each.quantity = each.quantity.plus(group.priced.each.quantity)
}

/** Whether a second row of this line is one too many: an invoice's lines have an id each. */
export function isTwice({ invoiceId }: BillHead, { detail }: ChargeGroup): boolean {
  return invoiceId !== undefined && detail !== undefined
}

export function twice({ invoiceId }: BillHead, { detail }: ChargeGroup) {
  return {
    column: 'InvoiceDetailId',
    reason: `${quoted(detail ?? '')} of invoice ${invoiceId} is given twice`,
  }
}

/**
 * The bills of both kinds of files, in their order. What its issuer tells of an invoice holds, and not what its charges
 * would make.
 * @throws ImportRefused where the two of one invoice are in two currencies
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
          throw new ImportRefused([otherCurrency(bill, summary.value)])
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
