import type { NewInvoice } from '../shapes.ts'

// So that each statement stays far below the time that it may take.
const MOST_INVOICES = 500
const MOST_LINES = 5000

/** Portions that are small in memory and quick to write, whatever is in them. */
export async function* batchesOf(
  invoices: Iterable<NewInvoice> | AsyncIterable<NewInvoice>,
): AsyncGenerator<NewInvoice[]> {
  let batch: NewInvoice[] = []
  let lines = 0
  for await (const invoice of invoices) {
    if (batch.length === MOST_INVOICES || (lines > 0 && lines + invoice.lines.length > MOST_LINES)) {
      yield batch
      batch = []
      lines = 0
    }
    batch.push(invoice)
    lines += invoice.lines.length
  }
  if (batch.length > 0) yield batch
}
