import { z } from 'zod'
import { currency, exactText, Invoice, money } from '#lib/billing/invoices/contract.ts'
import { DifferenceCause } from '#lib/costs/causes/serialize.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { comparisonRoutes } from '../routes.ts'
import * as examples from './examples.ts'

const comparedLines = z.object({
  description: z.string().meta({ description: 'What is billed.' }),
  Details: z.string().optional().meta({ description: 'More of what is billed.' }),
  qty: z.number().meta({ description: 'Quantity, of all these lines together.' }),
  price: money
    .optional()
    .meta({ description: 'Per unit. Absent where lines of several prices are one here.' }),
  amount: money.meta({ description: 'As rounded on the lines.' }),
  lineCount: z.int().min(1).meta({ description: 'More than 1 where a line was split.' }),
})

/** An addition: lines that bill the same thing on two invoices. */
const InvoiceChange = z
  .object({
    change: z.enum(['added', 'gone', 'changed', 'unchanged']).meta({
      description: 'What became of the lines that bill this thing, from the one invoice to the other.',
    }),
    reasons: z
      .array(z.enum(['quantity', 'price', 'amount']))
      .meta({ description: 'What has changed; `amount`: only the rounding of split lines.' }),
    type: z.string().meta({ description: 'Platform of the lines.' }),
    currency,
    effectAmount: money.meta({ description: 'What it adds to the sum of the lines, or takes away.' }),
    from: comparedLines
      .optional()
      .meta({ description: 'The lines on the first invoice. Absent where there are none.' }),
    to: comparedLines
      .optional()
      .meta({ description: 'The lines on the second invoice. Absent where there are none.' }),
  })
  .meta({ id: 'InvoiceChange', description: 'Lines that bill the same thing on two invoices.' })

const difference = z.object({
  fromAmount: money.meta({ description: 'On the first invoice.' }),
  fromAmountText: exactText,
  toAmount: money.meta({ description: 'On the second invoice.' }),
  toAmountText: exactText,
  effectAmount: money.meta({ description: 'What that adds to the total, or takes away.' }),
  effectAmountText: exactText,
})

/** An addition: why one invoice costs more than another. */
const InvoiceComparison = z
  .object({
    from: Invoice.meta({ description: 'The first invoice.' }),
    to: Invoice.meta({ description: 'The second invoice.' }),
    lineItems: difference.meta({
      description: "The lines' amounts; the changes' effects add up to its own.",
    }),
    rounding: difference.meta({ description: 'Of the sum of the lines, where the issuer rounds that only.' }),
    tax: difference.meta({
      description: 'Of lines that are billed without it; that of others is in their amounts.',
    }),
    notItemized: difference.meta({ description: 'What no line shows.' }),
    total: difference.meta({ description: 'The four above together.' }),
    causes: z.array(DifferenceCause).meta({
      description:
        'Why the totals differ, by product, as a month is explained: the effects add up to the difference of the totals.',
    }),
    changes: z.array(InvoiceChange).meta({
      description: 'The largest effect first; lines in another currency at the end, and in no sum.',
    }),
    unchanged: z.array(InvoiceChange).meta({ description: 'What both bill alike.' }),
  })
  .meta({ id: 'InvoiceComparison', description: 'Why one invoice costs more than another.' })

export type InvoiceChange = z.output<typeof InvoiceChange>
export type InvoiceComparison = z.output<typeof InvoiceComparison>

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
  ...comparisonRoutes.compareInvoices,
  cachedBy: ['day', 'roles', 'billingProfiles'],
  summary: 'Compare two invoices of one platform, line by line',
  description: 'Why one invoice costs more than another: which lines were added, changed or are gone.',
  output: InvoiceComparison,
  examples: examples.compareInvoices,
})

/** An addition. */
export const exportComparison = contract({
  ...comparison,
  ...comparisonRoutes.exportComparison,
  query: z.object({ ...pair, ...dialect }),
  summary: 'Compare two invoices of one platform, as a CSV file',
  description:
    'A row for each line that differs, for each that does not, and for each cause of the difference.',
  output: csvFile(),
  examples: examples.exportComparison,
})

export const exportComparisonXlsx = contract({
  ...comparison,
  ...comparisonRoutes.exportComparisonXlsx,
  summary: 'Compare two invoices of one platform, as a workbook',
  description:
    'A row for each line that differs, for each that does not, and for each cause of the difference.',
  output: xlsxFile(),
  examples: examples.exportComparisonXlsx,
})
