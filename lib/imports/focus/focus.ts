import Big from 'big.js'
import { ImportRefused } from '#lib/imports/refused.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { readRows } from '../csv-rows.ts'
import { problemList } from '../problem-list.ts'
import type { Bill } from './bill.ts'
import { gatherCharges } from './charges.ts'
import { readHeader } from './columns.ts'
import { invoiceOf, type Terms } from './invoice.ts'
import { separatedByCommas } from './separator.ts'

/** A file; its name is as problems tell it, and empty where there is one only. */
export type Source = { name: string; text: AsyncIterable<string> }

/** What was read, once all of it has been. */
export type Reading = {
  /** Rows, without headers, and how many of them are in an invoice. */
  rows: number
  used: number
  charges: number
}

export type FocusOptions = Terms & {
  /** Told how many lines have been read by now, for a display of progress. */
  onLine?: (line: number) => void
  signal?: AbortSignal
  /** How many lines of invoices are gathered in memory. */
  mostInMemory?: number
}

/**
 * Reads cost and usage files of FOCUS 1.0 to 1.3 (CSV) into invoices: one per `InvoiceId`, and of the
 * charges without one per issuer, billing account, billing period and currency. What several files have of one bill
 * is added up, whatever their order.
 * @param take is given the invoices once all files have been read; those of large files by their number
 * @throws ImportRefused that lists what is wrong with the files, by line and column
 */
export async function readFocus<T>(
  sources: AsyncIterable<Source>,
  options: FocusOptions,
  take: (invoices: Iterable<{ invoice: NewInvoice; exact: string }>, reading: Reading) => Promise<T>,
): Promise<T> {
  const problems = problemList()
  const reading = { rows: 0, used: 0, charges: 0 }
  let charges: ReturnType<typeof gatherCharges> | undefined
  let lines = 0
  const rowsOf = () => {
    let width: number | undefined
    return (row: string[], line: number) => {
      options.onLine?.(++lines)
      if (width === undefined) {
        const header = readHeader(row, line)
        if (Array.isArray(header)) throw new ImportRefused(header)
        if (charges) charges.goOn(header)
        else charges = gatherCharges(header, problems, options.mostInMemory)
        width = row.length
      } else if (row.length === width) {
        reading.rows += 1
        charges?.add(row, line)
      } else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
    }
  }
  try {
    for await (const { name, text } of sources)
      await readRows(separatedByCommas(text), rowsOf(), options.signal).catch(inFile(name))
    problems.refuseIfAny()
    reading.used = reading.rows
    reading.charges = reading.rows
    const bills = charges?.bills() ?? []
    return await take(invoicesOf(bills, options), reading)
  } finally {
    charges?.close()
  }
}

/** Adds the file to what is wrong with it. */
function inFile(name: string) {
  return (error: unknown): never => {
    if (!(error instanceof ImportRefused) || !name) throw error
    throw new ImportRefused(error.problems.map((problem) => ({ file: name, ...problem })))
  }
}

function* invoicesOf(bills: Iterable<Bill>, terms: Terms) {
  let some = false
  for (const bill of bills) {
    some = true
    const exact = bill.charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0)).toFixed()
    yield { invoice: invoiceOf(bill, terms), exact }
  }
  if (!some) throw new ImportRefused([{ reason: 'There are no charges in the file.' }])
}
