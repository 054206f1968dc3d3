import { ImportRefused } from '#lib/imports/refused.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { readRows } from '../csv-rows.ts'
import { problemList } from '../problem-list.ts'
import { gatherCharges } from './charges.ts'
import { readHeader } from './columns.ts'
import { invoiceOf, type Terms } from './invoice.ts'

export type FocusOptions = Terms & {
  /** Told each row's line, for a display of progress. */
  onLine?: (line: number) => void
  signal?: AbortSignal
}

/**
 * Reads a cost and usage file of FOCUS 1.0 to 1.3 (CSV) into invoices: one per `InvoiceId`, and of the
 * charges without one per issuer, billing account, billing period and currency.
 * @returns the invoices in the order in which the file first names them
 * @throws ImportRefused that lists what is wrong with the file, by line and column
 */
export async function readFocus(text: AsyncIterable<string>, options: FocusOptions): Promise<NewInvoice[]> {
  const problems = problemList()
  let charges: ReturnType<typeof gatherCharges> | undefined
  let width = 0
  await readRows(
    text,
    (row, line) => {
      options.onLine?.(line)
      if (!charges) {
        const header = readHeader(row, line)
        if (Array.isArray(header)) throw new ImportRefused(header)
        charges = gatherCharges(header, problems)
        width = row.length
      } else if (row.length === width) charges.add(row, line)
      else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
    },
    options.signal,
  )
  problems.refuseIfAny()
  const bills = charges?.bills() ?? []
  if (bills.length === 0) throw new ImportRefused([{ reason: 'There are no charges in the file.' }])
  return bills.map((bill) => invoiceOf(bill, options))
}
