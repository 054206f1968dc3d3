import { z } from 'zod'
import { contract, paging } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Statement = z.output<typeof shapes.Statement>
export type StatementItem = z.output<typeof shapes.StatementItem>
export type Ageing = z.output<typeof shapes.Ageing>

const selection = {
  filter: optionalFilter(['billingProfile', 'platform', 'currency'], 'billingProfile:default|currency:USD'),
}

export const readStatement = contract({
  ...calls.readStatement,
  summary: 'What is open, by how long it is past due, per currency and billing profile',
  permission: 'invoice-viewer',
  description: 'All invoices whose balance is not 0, with sums. Two currencies are never added.',
  query: z.object({ ...selection, ...paging }),
  output: shapes.Statement,
  examples: examples.readStatement,
})

export const exportStatement = contract({
  ...calls.exportStatement,
  summary: 'All open items of a selection with their age, as a CSV file',
  permission: 'invoice-viewer',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object({ ...selection, ...dialect }),
  output: csvFile(),
  examples: examples.exportStatement,
})

export const exportStatementXlsx = contract({
  ...calls.exportStatementXlsx,
  summary: 'All open items of a selection with their age, as a workbook',
  permission: 'invoice-viewer',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object(selection),
  output: xlsxFile(),
  examples: examples.exportStatementXlsx,
})
