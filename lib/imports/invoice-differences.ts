import Big from 'big.js'
import { difference, type ImportProblem } from './refused.ts'
import type { NewInvoice, NewLineItem } from './shapes.ts'

/** An invoice as it is stored: amounts are exact decimal text, dates `YYYY-MM-DD`. */
export type StoredInvoice = Required<Omit<NewInvoice, 'lines' | 'issuerDetails'>> & { lines: StoredLine[] }
export type StoredLine = Required<NewLineItem> & { details: string | null }

const TEXTS = ['billingProfileId', 'platform', 'issuer', 'invoiceDate', 'dueDate', 'currency'] as const
const LINE_TEXTS = ['type', 'description'] as const

/** What makes an invoice unfit whatever is stored. */
export function faultsOf(invoices: NewInvoice[], profiles: ReadonlySet<string>): ImportProblem[] {
  const seen = new Set<string>()
  return invoices.flatMap(({ id, billingProfileId = 'default', lines, totalAmount, balanceAmount }) => {
    const subject = `invoice ${id}`
    const twice = seen.has(id)
    seen.add(id)
    if (twice) return [{ subject, reason: 'is given twice' }]
    if (lines.length === 0) return [{ subject, reason: 'has no lines' }]
    const inexact = Object.entries({ totalAmount, balanceAmount }).find(
      ([, value]) => value && !isExactAsJson(value),
    )
    if (inexact)
      return [{ subject, column: inexact[0], reason: 'has more digits than a JSON number can say' }]
    if (profiles.has(billingProfileId)) return []
    return [
      { subject, column: 'billingProfileId', reason: `there is no billing profile ${billingProfileId}` },
    ]
  })
}

/** Whether the wire's number says this amount to the last digit: a cent that it would lose is refused at the door. */
function isExactAsJson(amount: string): boolean {
  return new Big(Number(amount)).eq(amount)
}

/**
 * Where a given invoice is not the stored one, by field. Numbers are compared as numbers (`10` is
 * `10.00`), and what is not given, such as a balance, is not compared.
 */
export function differencesOf(stored: StoredInvoice, given: NewInvoice): ImportProblem[] {
  const subject = `invoice ${given.id}`
  const problems: ImportProblem[] = []
  const differs = (field: string, was: string | null, is: string | null) =>
    problems.push(difference(subject, field, was, is))

  for (const field of TEXTS)
    if (given[field] !== undefined && given[field] !== stored[field])
      differs(field, stored[field], given[field])
  for (const field of ['totalAmount', 'balanceAmount'] as const)
    if (given[field] !== undefined && !sameNumber(given[field], stored[field]))
      differs(field, stored[field], given[field])
  if (stored.lines.length !== given.lines.length)
    differs('lines', String(stored.lines.length), String(given.lines.length))
  else for (const [index, line] of given.lines.entries()) compareLine(line, stored.lines[index], index)
  return problems

  function compareLine(line: NewLineItem, was: StoredLine | undefined, index: number) {
    if (!was) return
    const at = (field: string) => `lines[${index}].${field}`
    for (const field of LINE_TEXTS)
      if (line[field] !== was[field]) differs(at(field), was[field], line[field])
    for (const field of ['price', 'qty'] as const)
      if (!sameNumber(line[field], was[field])) differs(at(field), was[field], line[field])
    const details = line.details ?? null
    if (details !== was.details) differs(at('details'), was.details, details)
  }
}

/**
 * What is left to pay: as given, or what the total leaves after all that was paid before.
 * @returns exact decimal text
 */
export function balanceOf(given: NewInvoice, stored?: StoredInvoice): string {
  if (given.balanceAmount !== undefined) return given.balanceAmount
  if (!stored) return given.totalAmount
  const paid = new Big(stored.totalAmount).minus(stored.balanceAmount)
  return new Big(given.totalAmount).minus(paid).toFixed()
}

function sameNumber(one: string, other: string): boolean {
  return one === other || new Big(one).eq(other)
}
