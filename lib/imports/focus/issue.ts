import { quoted } from '#lib/imports/faults.ts'
import type { DocumentState } from '#lib/imports/shapes.ts'
import type { Cells } from './cells.ts'

/** What a row of invoice details says of its invoice as a document; days as `YYYY-MM-DD`. */
export type Issue = {
  state: DocumentState
  issueDate: string | undefined
  dueDate: string | undefined
  /** Payment terms, and the customer's purchase order; absent, too, where not all rows say the same. */
  terms: string | undefined
  order: string | undefined
  /** The invoices that it refers to, two at most. */
  corrects: string[]
}

/** InvoiceIssueStatus in our words. */
const STATES: Record<string, DocumentState> = { open: 'draft', issued: 'issued', voided: 'voided' }

/**
 * @param id the invoice's own: only an open one may be without
 * @returns undefined where something is at fault, which is told then
 */
export function issueOf(
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
  const order = cells.textIfAny(row, line, 'order')
  if (!state || !issueDate || !dueDate || !reference || !terms || !order) return undefined
  if (issueDate.value && dueDate.value && dueDate.value < issueDate.value)
    return cells.fault(line, 'dueDate', 'is before InvoiceIssueDate')
  // An invoice that adjusts no other refers to itself.
  const refersToOther = reference.value !== undefined && reference.value !== id
  const corrects = refersToOther ? [reference.value ?? ''] : []
  const days = { issueDate: issueDate.value, dueDate: dueDate.value }
  return { state, ...days, terms: terms.value, order: order.value, corrects }
}

function stateOf(cells: Cells, row: readonly string[], line: number, id: string | undefined) {
  const status = cells.text(row, line, 'status')
  if (status === undefined) return undefined
  const state = STATES[status.toLowerCase()]
  if (!state) return cells.fault(line, 'status', `${quoted(status)} is not Open, Issued or Voided`)
  if (state === 'draft' || id !== undefined) return state
  return cells.fault(line, 'invoiceId', `is empty, but the invoice is ${state}`)
}
