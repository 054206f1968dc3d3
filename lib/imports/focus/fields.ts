import type Big from 'big.js'
import type { DocumentState } from '#lib/imports/schemas.ts'
import { decimalError, quoted } from '#lib/imports/value-errors.ts'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { textError } from '#lib/platform/values/text.ts'
import type { ProblemList } from '../import-error.ts'
import { timeOf } from '../times.ts'
import type { Field, Header } from './columns.ts'

/** Fields that select the bill of a charge. Times are epoch milliseconds; the end is exclusive. */
export type BillHeader = {
  invoiceId: string | undefined
  issuer: string
  /** Absent: its charges are of several. */
  account: string | undefined
  /** Several accounts, in order. */
  accounts?: string[] | undefined
  currency: string
  start: number
  end: number
  /** There is a place for the issuer's number, and none in it: the issuer has not billed these charges yet. */
  awaitsBill?: boolean | undefined
  /** Only of an invoice from invoice details. */
  issue?: Issue | undefined
}
/** Fields that select the line of a charge. */
export type ChargeKey = {
  provider: string
  service: string
  category: string
  /** Only for a SKU with its own price. */
  sku?: string | undefined
  /** The vendor's id of an invoice's line. */
  detail?: string | undefined
}

/** Reads a row's fields; each is undefined where it is at fault, and the problem is on the list then. */
export type FieldReader = {
  cost(row: readonly string[], line: number): Big | undefined
  quantity(row: readonly string[], line: number): Big | undefined
  /** An amount in any other column. */
  amount(row: readonly string[], line: number, column: string): Big | undefined
  bill(row: readonly string[], line: number): BillHeader | undefined
  charge(row: readonly string[], line: number): ChargeKey | undefined
  /** May be empty, and is `{}` then. */
  code(row: readonly string[], line: number, field: 'subAccount' | 'sku'): { value?: string } | undefined
}

export function fieldReader(header: Header, problems: ProblemList): FieldReader {
  const { read, readColumn, columnOf, dataset } = header
  const cells = cellReader(header, problems)
  const { text, textIfAny, time, addError, decimal } = cells

  const invoiceId = (row: readonly string[], line: number) => {
    const id = textIfAny(row, line, 'invoiceId')
    // A URL with a dot segment in its path resolves to another path.
    if (id?.value === '.' || id?.value === '..')
      return addError(line, 'invoiceId', `${quoted(id.value)} cannot be an id`)
    return id
  }

  return {
    cost: (row, line) => decimal(read(row, 'cost'), line, columnOf('cost')),
    quantity: (row, line) => decimal(read(row, 'quantity'), line, columnOf('quantity')),
    amount: (row, line, column) => decimal(readColumn(row, column), line, column),
    bill(row, line) {
      const issuer = text(row, line, 'issuer')
      const account = text(row, line, 'account')
      const currency = text(row, line, 'currency')
      const start = time(row, line, 'start')
      const end = time(row, line, 'end')
      const id = invoiceId(row, line)
      const unknown = currency && currencyError(currency)
      if (unknown) return addError(line, 'currency', unknown)
      if (!issuer || !account || !currency || !start || !end || !id) return undefined
      if (start >= end) return addError(line, 'end', 'is not after BillingPeriodStart')
      const billHeader = { invoiceId: id.value, issuer, account, currency, start, end }
      if (dataset === 'charges')
        return id.value === undefined && header.has('invoiceId')
          ? { ...billHeader, awaitsBill: true }
          : billHeader
      const issue = issueOf(cells, row, line, id.value)
      return issue && { ...billHeader, issue }
    },
    code: textIfAny,
    charge(row, line) {
      const provider = text(row, line, 'provider')
      const category = text(row, line, 'category')
      // Taxes and round-offs come without a service.
      const service = read(row, 'service') === undefined ? category : text(row, line, 'service')
      const detail = textIfAny(row, line, 'detail')
      if (!provider || !category || !service || !detail) return undefined
      return { provider, service, category, detail: detail.value }
    },
  }
}

type Row = readonly string[]

/** Reads cells of a row; each is undefined where it is at fault, and the problem is on the list then. */
type Cells = {
  addError(line: number, field: Field, reason: string): undefined
  text(row: Row, line: number, field: Field): string | undefined
  /** Epoch milliseconds. */
  time(row: Row, line: number, field: Field): number | undefined
  decimal(value: string | undefined, line: number, column: string): Big | undefined
  /** An empty cell is no fault: `{}`. */
  textIfAny(row: Row, line: number, field: Field): { value?: string } | undefined
  /** Reads an optional day, `YYYY-MM-DD`. */
  dayIfAny(row: Row, line: number, field: Field): { value?: string } | undefined
}

const MAX_LENGTH = 300
/** Longest description of a line, in characters; vendors write longer ones than names. */
const MAX_DESCRIPTION_LENGTH = 500

function cellReader({ read, columnOf, dataset }: Header, problems: ProblemList): Cells {
  const addError = (line: number, field: Field, reason: string) => {
    problems.add({ line, column: columnOf(field), reason })
    return undefined
  }
  const text = (row: Row, line: number, field: Field) => {
    const value = read(row, field)
    if (value === undefined) return addError(line, field, 'is empty')
    const longest = field === 'service' && dataset === 'details' ? MAX_DESCRIPTION_LENGTH : MAX_LENGTH
    const reason = textError(value, longest)
    return reason === undefined ? value : addError(line, field, reason)
  }
  const time = (row: Row, line: number, field: Field) => {
    const value = text(row, line, field)
    if (value === undefined) return undefined
    return timeOf(value) ?? addError(line, field, `${quoted(value)} is not a date`)
  }
  return {
    addError,
    text,
    time,
    decimal(value, line, column) {
      const number = value === undefined ? undefined : decimalOf(value)
      const reason = value === undefined ? 'is empty' : decimalError(value)
      if (!number) problems.add({ line, column, reason })
      return number
    },
    textIfAny(row, line, field) {
      if (read(row, field) === undefined) return {}
      const value = text(row, line, field)
      return value === undefined ? undefined : { value }
    },
    dayIfAny(row, line, field) {
      if (read(row, field) === undefined) return {}
      const value = time(row, line, field)
      return value === undefined ? undefined : { value: dayOf(value) }
    },
  }
}

/** Document fields of an invoice, from a row of invoice details; days as `YYYY-MM-DD`. */
type Issue = {
  state: DocumentState
  issueDate: string | undefined
  dueDate: string | undefined
  /** Payment terms and the customer's purchase order; absent also where the rows differ. */
  terms: string | undefined
  order: string | undefined
  /** The invoices that it refers to, two at most. */
  corrects: string[]
}

/** InvoiceIssueStatus in our words. */
const STATES: Record<string, DocumentState> = { open: 'draft', issued: 'issued', voided: 'voided' }

/**
 * @param id the issuer's invoice id: only an open invoice may lack one
 * @returns undefined after reporting a problem
 */
function issueOf(
  cells: Cells,
  row: readonly string[],
  line: number,
  id: string | undefined,
): Issue | undefined {
  const state = stateOf(cells, row, line, id)
  const issueDate = cells.dayIfAny(row, line, 'issueDate')
  const dueDate = cells.dayIfAny(row, line, 'dueDate')
  const reference = cells.textIfAny(row, line, 'reference')
  const terms = cells.textIfAny(row, line, 'terms')
  const purchaseOrder = cells.textIfAny(row, line, 'order')
  if (!state || !issueDate || !dueDate || !reference || !terms || !purchaseOrder) return undefined
  if (issueDate.value && dueDate.value && dueDate.value < issueDate.value)
    return cells.addError(line, 'dueDate', 'is before InvoiceIssueDate')
  // An invoice that adjusts no other refers to itself.
  const refersToOther = reference.value !== undefined && reference.value !== id
  const corrects = refersToOther ? [reference.value ?? ''] : []
  const days = { issueDate: issueDate.value, dueDate: dueDate.value }
  return { state, ...days, terms: terms.value, order: purchaseOrder.value, corrects }
}

function stateOf(cells: Cells, row: readonly string[], line: number, id: string | undefined) {
  const status = cells.text(row, line, 'status')
  if (status === undefined) return undefined
  const state = STATES[status.toLowerCase()]
  if (!state) return cells.addError(line, 'status', `${quoted(status)} is not Open, Issued or Voided`)
  if (state === 'draft' || id !== undefined) return state
  return cells.addError(line, 'invoiceId', `is empty, but the invoice is ${state}`)
}
