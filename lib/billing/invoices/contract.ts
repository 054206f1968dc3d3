import { z } from 'zod'
import { contract, paging, pagingOutput } from '#lib/platform/api/contract.ts'
import { switchText } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { amountText, orderText, unixTime } from '#lib/platform/lists/parameters.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import {
  DOCUMENT_KINDS,
  DOCUMENT_STATES,
  FILTER_KEYS,
  INVOICE_ORDER_KEYS,
  INVOICE_STATUSES,
} from './rules.ts'
import * as shapes from './shapes.ts'

export type Invoice = z.output<typeof shapes.Invoice>
export type InvoiceWithLines = z.output<typeof shapes.InvoiceWithLines>
export type LineItem = z.output<typeof shapes.LineItem>
export type InvoiceSummary = z.output<typeof shapes.InvoiceSummary>
export type CurrencySummary = InvoiceSummary['currencies'][number]

/** What selects invoices in each call that reads several. */
export const selection = {
  filter: filterText(FILTER_KEYS, {
    status: INVOICE_STATUSES,
    state: DOCUMENT_STATES,
    document: DOCUMENT_KINDS,
  })
    .optional()
    .meta({
      description: `As in \`platform:cloud-platform|web-services|status:OPEN\`. Keys: platform, status (OPEN, PAST DUE or PAID, in any case), dueDate (epoch milliseconds, the same UTC day), state (draft, issued or voided, in any case; issued unless told), document (invoice, credit-note or summary, in any case: a credit note is an invoice below 0, a summary is one of charges), issuer, billingProfile, currency. ${FILTER_GRAMMAR}`,
    }),
  minCreationTime: unixTime('invoices whose `invoiceDate` is this time or later'),
  maxCreationTime: unixTime('invoices whose `invoiceDate` is this time or earlier'),
  minDueDate: unixTime('invoices whose `dueDate` is this time or later'),
  maxDueDate: unixTime('invoices whose `dueDate` is this time or earlier'),
  minAmount: amountText('invoices whose `totalAmount` is this much or more, each in its own currency'),
  maxAmount: amountText('invoices whose `totalAmount` is this much or less, each in its own currency'),
  product: z.string().min(1).max(200).optional().meta({
    description:
      'Invoices with a line item whose `description` has this in it, in any case. Under three characters: begins with it.',
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Part of the invoice number, of a purchase order (of the invoice or of one of its lines) or of the issuer; or the start of the `id`, the buyer reference or the cost center. In any case of letters. Under three characters: the start of any of them. Of an invoice with more than 1,000 purchase orders on its lines, the first 1,000 by name.',
  }),
}

/** The order of whatever lists invoices. */
export const orderBy = orderText(INVOICE_ORDER_KEYS).optional().meta({
  description:
    'As in `totalAmount desc`: invoiceDate, dueDate, totalAmount or balanceAmount, then asc (unless told) or desc. Equal ones follow by id, the same way. Amounts are compared as numbers, whatever their currency. Without it: newest first.',
})

/** spec 4.3 */
export const listInvoices = contract({
  ...calls.listInvoices,
  summary: 'List invoices, newest first unless told otherwise',
  permission: 'invoice-viewer',
  description:
    'The invoices of all billing profiles that the caller may see, without their line items. Issued ones, unless the filter names another `state`.',
  query: z.object({ ...selection, orderBy, ...paging }),
  output: z
    .object({ invoices: z.array(shapes.Invoice).meta({ description: 'The page.' }), ...pagingOutput })
    .meta({ id: 'InvoiceList', description: 'A page of invoices.' }),
  examples: examples.listInvoices,
})

const exported = {
  ...selection,
  orderBy,
  lines: switchText('A row for each line item instead, with the columns of its invoice before its own.'),
}

/** An addition: all that the filters select, however much it is. */
export const exportInvoices = contract({
  ...calls.exportInvoices,
  summary: 'All invoices of a selection, or all their line items, as a CSV file',
  permission: 'invoice-viewer',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object({ ...exported, ...dialect }),
  output: csvFile(),
  examples: examples.exportInvoices,
})

/** An addition: the same for a spreadsheet, whose cells have types. */
export const exportInvoicesXlsx = contract({
  ...calls.exportInvoicesXlsx,
  summary: 'All invoices of a selection, or all their line items, as a workbook',
  permission: 'invoice-viewer',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object(exported),
  output: xlsxFile(),
  examples: examples.exportInvoicesXlsx,
})

/** The place of one invoice in a path. */
export const params = z.object({
  invoice_id: z.string().min(1).max(300).meta({ description: 'The `id` of an invoice.' }),
})

/** spec 4.4 */
export const readInvoice = contract({
  ...calls.readInvoice,
  summary: 'Read one invoice with its line items',
  permission: 'invoice-viewer',
  description:
    'It also says whether the line items explain the total, and which other invoices it stands for or against. Drafts and voided invoices can be read too.',
  params,
  output: shapes.InvoiceWithLines,
  examples: examples.readInvoice,
})

/** An addition: what the same filters select, counted and added up. Two currencies are never added. */
export const summarizeInvoices = contract({
  ...calls.summarizeInvoices,
  summary: 'Count and add up invoices per currency, what is due, and what was billed per month and platform',
  permission: 'invoice-viewer',
  description: 'What the same filters select in the list of invoices. Two currencies are never added.',
  query: z.object(selection),
  output: shapes.InvoiceSummary,
  examples: examples.summarizeInvoices,
})
