import { z } from 'zod'
import { contract, csvFile } from '#lib/api/contract.ts'
import { calls } from './calls.ts'
import * as shapes from './shapes.ts'

export type InvoiceChange = z.output<typeof shapes.InvoiceChange>
export type InvoiceComparison = z.output<typeof shapes.InvoiceComparison>

const invoiceNumber = z.string({ error: 'must be an invoice number' }).min(1).max(300)

const comparison = {
  permission: 'invoice-viewer',
  query: z.object({
    from: invoiceNumber.meta({ description: 'Number of the invoice that is compared, often the older one.' }),
    to: invoiceNumber.meta({ description: 'Number of the invoice to compare it with.' }),
  }),
  problems: ['invalid_request', 'not_found', 'not_comparable'],
} as const

/** An addition. */
export const compareInvoices = contract({
  ...comparison,
  ...calls.compareInvoices,
  summary: 'Compare two invoices of one platform, line by line',
  output: shapes.InvoiceComparison,
})

/** An addition. */
export const exportComparison = contract({
  ...comparison,
  ...calls.exportComparison,
  summary: 'Compare two invoices of one platform, as a CSV file',
  output: csvFile(),
})
