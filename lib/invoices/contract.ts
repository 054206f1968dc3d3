import { z } from 'zod'
import { contract, file, paging, pagingOutput, unixTime } from '#lib/api/contract.ts'
import { filterText } from '#lib/api/filter.ts'

const day = z.int().meta({ description: 'A day: epoch time in milliseconds of its midnight in UTC.' })
const money = z.number().meta({ description: 'An exact decimal inside; a JSON number on the wire.' })
const currency = z.string().meta({ description: 'Three-letter code, ISO 4217.' })

/** spec 2.4 */
export const LineItem = z
  .object({
    type: z.string().meta({ description: 'Platform of the item.' }),
    description: z.string(),
    price: money.meta({ description: 'Per unit.' }),
    qty: z.number(),
    currency,
    Details: z.string().optional(),
  })
  .meta({ id: 'LineItem' })

/** spec 2.3 */
export const Invoice = z
  .object({
    id: z.string().meta({ description: 'Invoice number.' }),
    invoiceDate: day,
    platform: z.string().meta({ description: 'Same kind of value as an asset type.' }),
    dueDate: day,
    status: z.enum(['OPEN', 'PAST DUE', 'PAID']).meta({ description: 'Derived from balance and due date.' }),
    totalAmount: money,
    balanceAmount: money.meta({ description: 'Outstanding. May be negative, or above the total.' }),
    currency,
    url: z.string().meta({ description: 'The invoice as a PDF file.' }),
  })
  .meta({ id: 'Invoice' })

export const InvoiceWithLines = Invoice.extend({ lineItems: z.array(LineItem).min(1) }).meta({
  id: 'InvoiceWithLines',
})

export type Invoice = z.output<typeof Invoice>
export type InvoiceWithLines = z.output<typeof InvoiceWithLines>
export type LineItem = z.output<typeof LineItem>

const selection = {
  filter: filterText(['platform', 'status', 'dueDate']).optional().meta({
    description:
      'As in `platform:cloud-platform|web-services|status:OPEN`. Keys: platform, status, dueDate (epoch milliseconds, the same UTC day).',
  }),
  minCreationTime: unixTime().meta({ description: 'Unix seconds: invoices of this time or later.' }),
  maxCreationTime: unixTime().meta({ description: 'Unix seconds: invoices of this time or earlier.' }),
  search: z.string().max(200).optional().meta({ description: 'Start of the invoice number, in any case.' }),
}

const listProblems = ['invalid_request', 'filter_invalid', 'page_token_invalid'] as const

/** spec 4.3 */
export const listInvoices = contract({
  name: 'listInvoices',
  summary: 'List invoices, newest first',
  method: 'GET',
  path: '/billing/v1/invoices',
  permission: 'invoice-viewer',
  query: z.object({ ...selection, ...paging }),
  output: z.object({ invoices: z.array(Invoice), ...pagingOutput }).meta({ id: 'InvoiceList' }),
  problems: listProblems,
})

const params = z.object({ invoice_id: z.string().min(1).max(300) })

/** spec 4.4 */
export const readInvoice = contract({
  name: 'readInvoice',
  summary: 'Read one invoice with its line items',
  method: 'GET',
  path: '/billing/v1/invoices/{invoice_id}',
  permission: 'invoice-viewer',
  params,
  output: InvoiceWithLines,
  problems: ['not_found'],
})

/** Where an invoice's `url` leads. */
export const readInvoiceFile = contract({
  name: 'readInvoiceFile',
  summary: 'Read one invoice as a PDF file',
  method: 'GET',
  path: '/billing/v1/invoices/{invoice_id}/file',
  permission: 'invoice-viewer',
  params,
  output: file('application/pdf'),
  problems: ['not_found'],
})

/** An addition: count and sums of what the same filters select. Two currencies are never added. */
export const summarizeInvoices = contract({
  name: 'summarizeInvoices',
  summary: 'Count and add up invoices per currency',
  method: 'GET',
  path: '/billing/v1/invoice-summary',
  permission: 'invoice-viewer',
  query: z.object(selection),
  output: z
    .object({
      count: z.int().min(0),
      currencies: z.array(
        z.object({ currency, count: z.int().min(1), totalAmount: money, balanceAmount: money }),
      ),
    })
    .meta({ id: 'InvoiceSummary' }),
  problems: ['invalid_request', 'filter_invalid'],
})
