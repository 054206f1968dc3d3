import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type InvoiceChange = z.output<typeof shapes.InvoiceChange>
export type InvoiceComparison = z.output<typeof shapes.InvoiceComparison>

const invoiceNumber = z.string({ error: 'must be an invoice number' }).min(1).max(300)

const pair = {
  from: invoiceNumber.meta({ description: 'Number of the invoice that is compared, often the older one.' }),
  to: invoiceNumber.meta({ description: 'Number of the invoice to compare it with.' }),
}

const comparison = {
  permission: 'invoice-viewer',
  query: z.object(pair),
  problems: ['not_found', 'not_comparable'],
} as const

/** An addition. */
export const compareInvoices = contract({
  ...comparison,
  ...calls.compareInvoices,
  summary: 'Compare two invoices of one platform, line by line',
  description: 'Why one invoice is dearer than another: which lines were added, changed or are gone.',
  output: shapes.InvoiceComparison,
  examples: examples.compareInvoices,
})

/** An addition. */
export const exportComparison = contract({
  ...comparison,
  ...calls.exportComparison,
  query: z.object({ ...pair, ...dialect }),
  summary: 'Compare two invoices of one platform, as a CSV file',
  description:
    'A row for each line that differs, for each that does not, and for each cause of the difference.',
  output: csvFile(),
  examples: examples.exportComparison,
})

export const exportComparisonXlsx = contract({
  ...comparison,
  ...calls.exportComparisonXlsx,
  summary: 'Compare two invoices of one platform, as a workbook',
  description:
    'A row for each line that differs, for each that does not, and for each cause of the difference.',
  output: xlsxFile(),
  examples: examples.exportComparisonXlsx,
})
