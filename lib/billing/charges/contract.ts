import { z } from 'zod'
import { params } from '#lib/billing/invoices/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { switchText } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { chargeRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import * as shapes from './schemas.ts'

export type Charge = z.output<typeof shapes.Charge>
export type InvoiceCharges = z.output<typeof shapes.InvoiceCharges>

/** An addition: the drill-down of an invoice. */
export const listCharges = contract({
  ...chargeRoutes.listCharges,
  summary: 'List the charges of an invoice, line by line, the dearest first',
  permission: 'invoice-viewer',
  cachedBy: ['billingProfiles'],
  showsLicenses: false,
  description:
    'What the vendor charged, as Cost and Usage of FOCUS has it. Charges explain an invoice and change nothing of it: `charges` of the invoice and of its lines has the difference. An invoice without charges has an empty list.',
  params,
  query: z.object({
    line: z
      .string({ error: 'must be the detailId of a line' })
      .min(1)
      .max(300)
      .optional()
      .meta({ description: 'The `detailId` of a line: only its charges.' }),
    withoutLine: switchText('Only charges that lead to no line of the invoice; not together with `line`.'),
    ...paging,
  }),
  output: pageSchema('charges', shapes.Charge).meta({ id: 'ChargeList', description: 'A page of charges.' }),
  problems: ['not_found'],
  examples: examples.listCharges,
})

const exported = {
  permission: 'invoice-viewer',
  description: 'A row for each charge, with the line that it leads to: line by line, the dearest first.',
  params,
  problems: ['not_found'],
} as const

export const exportCharges = contract({
  ...exported,
  ...chargeRoutes.exportCharges,
  summary: 'All charges of an invoice as a CSV file',
  query: z.object(dialect),
  output: csvFile(),
  examples: examples.exportCharges,
})

export const exportChargesXlsx = contract({
  ...exported,
  ...chargeRoutes.exportChargesXlsx,
  summary: 'All charges of an invoice as a workbook',
  output: xlsxFile(),
  examples: examples.exportChargesXlsx,
})
