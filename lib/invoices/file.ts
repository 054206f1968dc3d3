import 'server-only'
import type { InvoiceRow, LineItemRow } from './store.ts'

/** Draws an invoice as a PDF. */
export async function drawInvoice(_invoice: InvoiceRow, _lines: LineItemRow[]): Promise<Uint8Array> {
  throw new Error('not drawn yet')
}
