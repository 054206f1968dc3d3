import { ImportRefused } from '#lib/imports/refused.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { readRows } from '../csv-rows.ts'
import { problemList } from '../problem-list.ts'
import type { Bill } from './bill.ts'
import { gatherCharges } from './charges.ts'
import { readHeader } from './columns.ts'
import { invoiceOf, type Terms } from './invoice.ts'
import { separatedByCommas } from './separator.ts'

export type FocusOptions = Terms & {
  /** Told each row's line, for a display of progress. */
  onLine?: (line: number) => void
  signal?: AbortSignal
  /** How many lines of invoices are gathered in memory. */
  mostInMemory?: number
}

/**
 * Reads a cost and usage file of FOCUS 1.0 to 1.3 (CSV) into invoices: one per `InvoiceId`, and of the
 * charges without one per issuer, billing account, billing period and currency.
 * @param take is given the invoices once all of the file has been read; those of a large file by their number
 * @throws ImportRefused that lists what is wrong with the file, by line and column
 */
export async function readFocus<T>(
  text: AsyncIterable<string>,
  options: FocusOptions,
  take: (invoices: Iterable<NewInvoice>) => Promise<T>,
): Promise<T> {
  const problems = problemList()
  let charges: ReturnType<typeof gatherCharges> | undefined
  let width = 0
  const takeRow = (row: string[], line: number) => {
    options.onLine?.(line)
    if (!charges) {
      const header = readHeader(row, line)
      if (Array.isArray(header)) throw new ImportRefused(header)
      charges = gatherCharges(header, problems, options.mostInMemory)
      width = row.length
    } else if (row.length === width) charges.add(row, line)
    else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
  }
  try {
    await readRows(separatedByCommas(text), takeRow, options.signal)
    problems.refuseIfAny()
    const bills = charges?.bills() ?? []
    return await take(invoicesOf(bills, options))
  } finally {
    charges?.close()
  }
}

function* invoicesOf(bills: Iterable<Bill>, terms: Terms): Generator<NewInvoice> {
  let some = false
  for (const bill of bills) {
    some = true
    yield invoiceOf(bill, terms)
  }
  if (!some) throw new ImportRefused([{ reason: 'There are no charges in the file.' }])
}
