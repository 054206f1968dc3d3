import { z } from 'zod'
import { InvoiceCharges, LineCharges } from '#lib/billing/charges/schemas.ts'
import { PaymentInstructions } from '#lib/billing/payment-instructions/schemas.ts'
import { invoicePosting, linePosting } from '#lib/billing/posting/schemas.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { switchText } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { amountText, sortText, timeRange } from '#lib/platform/lists/parameters.ts'
import { PLATFORMS } from '#lib/platform/values/platforms.ts'
import { FILE_KINDS } from '../invoice-files/rules.ts'
import { PAYMENT_KINDS } from '../payments/rules.ts'
import { invoiceRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import {
  DOCUMENT_FORMS,
  DOCUMENT_KINDS,
  DOCUMENT_STATES,
  FILTER_KEYS,
  INVOICE_ORDER_KEYS,
  INVOICE_STATUSES,
} from './rules.ts'

/** A day of an invoice on the wire. */
export const day = z.int().meta({ description: 'A day: epoch time in milliseconds of its midnight in UTC.' })
/** Returns the schema of a date; `what` describes the date. */
const dayOf = (what: string) =>
  day.meta({ description: `${what}: epoch time in milliseconds of that day's midnight in UTC.` })

/** An amount on the wire. */
export const money = z.number().meta({ description: 'An exact decimal inside; a JSON number on the wire.' })
const number = z.string().meta({ description: 'As its issuer numbers it.' })
/** Id of an invoice on the wire. */
export const id = z.string().meta({ description: 'Where it can be read.' })

/** Additions to the read of one invoice: its document state, and its links to other invoices. */
const documentFields = {
  form: z.enum(DOCUMENT_FORMS).meta({
    description: 'invoice, or summary: a summary of charges, of which the vendor issued no such paper.',
  }),
  billingAccount: z.string().optional().meta({ description: 'The account at the issuer that is billed.' }),
  periodStart: dayOf('The first day of the period that is billed').optional(),
  periodEnd: dayOf('The day after the last one of the period that is billed').optional(),
  corrects: z
    .object({
      number,
      id: id.optional().meta({ description: 'Absent where it is not here, or not for the caller to see.' }),
      setOffAmount: money.optional().meta({
        description: 'What of this credit note is set off against that invoice. Absent where nothing is.',
      }),
    })
    .optional()
    .meta({ description: 'The invoice of the same issuer that this credit note or correction refers to.' }),
  correctedBy: z
    .array(
      z.object({
        number,
        id,
        setOffAmount: money.optional().meta({
          description: 'What of that credit note is set off against this invoice. Absent where nothing is.',
        }),
      }),
    )
    .meta({ description: 'Issued credit notes and corrections that refer to this invoice, oldest first.' }),
  replaces: z.string().optional().meta({
    description:
      'The `id` of the voided invoice, or of the draft, into whose place this one came; the newest.',
  }),
  replacedBy: z.string().optional().meta({
    description: 'Of a voided invoice: the `id` of the one that came into its place.',
  }),
}

/** A document of an invoice. */
const InvoiceFile = z
  .object({
    kind: z.enum(FILE_KINDS).meta({
      description:
        'The issuer’s own PDF or XML, or what we drew; `superseded` is what we drew first, where it was wrong. Others may come.',
    }),
    name: z.string().meta({ description: 'The name under which it is saved.' }),
    mediaType: z.enum(['application/pdf', 'application/xml']).meta({ description: 'What its bytes are.' }),
    bytes: z.int().min(0).optional().meta({ description: 'How many. Absent while it was never drawn.' }),
    digest: z.string().optional().meta({
      description: 'SHA-256 of its bytes, in hexadecimal digits. Absent while it was never drawn.',
    }),
    url: z.url().meta({ description: 'Where it is.' }),
  })
  .meta({ id: 'InvoiceFile', description: 'A document of an invoice.' })

/** The currency of an amount on the wire. */
export const currency = z.string().meta({ description: 'Three-letter code, ISO 4217.' })

export const platform = z.string().meta({
  description: `Same kind of value as an asset type: ${PLATFORMS.join(', ')}; others may come.`,
})

/** spec 2.4 */
const LineItem = z
  .object({
    type: z.string().meta({ description: 'Platform of the item.' }),
    description: z.string().meta({ description: 'What is billed.' }),
    price: money.meta({ description: 'Per unit, unless `itemization.priceReading` says PER_LINE.' }),
    qty: z.number().meta({ description: 'Quantity.' }),
    currency,
    Details: z.string().optional().meta({ description: 'More of what is billed.' }),
    amount: money.meta({
      description: 'Price × quantity, or the price of the line, rounded to the minor unit.',
    }),
    ...linePosting,
    charges: LineCharges.optional().meta({
      description: 'Sum of its charges. Absent for a line without charges.',
    }),
  })
  .meta({ id: 'LineItem', description: 'One line of an invoice.' })

/** spec 2.3 */
export const Invoice = z
  .object({
    id: z.string().meta({
      description:
        'Invoice number while the invoice is valid, and `number~k`, its version, after it was voided or replaced. A second issuer’s has the issuer before it; a summary of numbered charges is `charges:number`, until its bill comes.',
    }),
    number: z.string().meta({ description: 'As its issuer numbers it: two issuers may have the same.' }),
    issuer: z.string().meta({ description: 'Who bills.' }),
    documentState: z.enum(DOCUMENT_STATES).meta({
      description:
        'draft: it is not billed yet, and nothing of it is owed. issued: as its issuer issued it. voided: it is valid no more.',
    }),
    billingProfileId: z.string().meta({ description: 'Which of the customer’s billing profiles is billed.' }),
    invoiceDate: dayOf('When it was issued'),
    platform,
    dueDate: dayOf('When it is due'),
    status: z.enum(INVOICE_STATUSES).optional().meta({
      description: 'Derived from balance and due date. Absent of drafts and of voided invoices.',
    }),
    totalAmount: money.meta({ description: 'What is billed, with taxes. An exact decimal inside.' }),
    balanceAmount: money.meta({
      description:
        'Outstanding; 0 unless it is issued. May be negative, above the total, or finer than the minor unit of ISO 4217.',
    }),
    payableAmount: money.optional().meta({
      description:
        'What can be paid of the balance, or is left of a credit: in whole minor units, and less the credit notes that are set off against the invoice. Absent where it is the balance.',
    }),
    currency,
    url: z
      .url()
      .meta({ description: 'The invoice as a PDF file: the issuer’s own where it is there, else ours.' }),
  })
  .meta({ id: 'Invoice', description: 'An invoice as lists have it.' })

/** An addition: whether the line items explain the total. */
const Itemization = z
  .object({
    addsUp: z.boolean().meta({ description: 'Whether they explain the total.' }),
    priceReading: z.enum(['PER_UNIT', 'PER_LINE']).optional().meta({
      description: 'What a `price` must be for the line items to add up. Absent where neither reading fits.',
    }),
    lineItemsAmount: money.meta({ description: 'The line items together.' }),
    notItemizedAmount: money.meta({ description: 'What they leave out of the total, or have above it.' }),
    roundingAmount: money.meta({
      description: "Each line's amount is rounded: what they together are short of the total.",
    }),
    otherCurrencyLines: z.int().min(0).meta({ description: 'Lines in another currency: never added.' }),
    taxAmount: money.optional().meta({
      description: 'The tax that leads from the line items to the total. Absent where they are with it.',
    }),
    lineAmountBasis: z.enum(['NET', 'GROSS']).optional().meta({
      description:
        'Whether each `amount` is without the tax or with it. Absent where there is no tax, and where it is not known.',
    }),
  })
  .meta({ id: 'Itemization', description: 'Whether the line items explain the total.' })

const InvoicePayment = z
  .object({
    id: z.string().meta({ description: 'Identifies the payment.' }),
    kind: z.enum(PAYMENT_KINDS).meta({
      description:
        'payment, refund, write-off, reported (as its issuer reported the balance), opening (settled before payments were recorded).',
    }),
    date: dayOf('From when on it settles the invoice'),
    amount: money.meta({
      description: 'What it settles of the invoice; below 0 where it raises the balance.',
    }),
    reference: z
      .string()
      .optional()
      .meta({ description: 'The reference of the bank, or of who entered it.' }),
    method: z.string().optional().meta({ description: 'How it was paid.' }),
    reversedDate: dayOf('When it was reversed: from then on it settles nothing').optional(),
    reversalReason: z.string().optional().meta({ description: 'Why it was reversed.' }),
  })
  .meta({ id: 'InvoicePayment', description: 'What settles an invoice, or settled it until its reversal.' })

export type InvoicePayment = z.output<typeof InvoicePayment>

const InvoiceWithLines = Invoice.extend({
  lineItems: z.array(LineItem).min(1).meta({ description: 'In the order of the invoice.' }),
  itemization: Itemization.meta({ description: 'Whether they explain the total.' }),
  files: z.array(InvoiceFile).min(1).meta({ description: 'Its documents, the issuer’s own first.' }),
  payments: z.array(InvoicePayment).meta({
    description:
      'What settled it, oldest first. `balanceAmount` is the total less those that are not reversed.',
  }),
  ...documentFields,
  ...invoicePosting,
  charges: InvoiceCharges.optional().meta({
    description: 'Sum of its charges, and where the invoice differs. Absent without charges.',
  }),
  paymentInstructions: PaymentInstructions.optional().meta({
    description:
      'How it is paid. Absent of drafts, voided and paid invoices, credit notes and summaries of charges, and where neither an account nor an address is known.',
  }),
}).meta({ id: 'InvoiceWithLines', description: 'An invoice with its line items.' })

/** Number of items. */
export const count = z.int().min(0).meta({ description: 'How many.' })
/** Exact text of a sum on the wire, in the sum's member with the suffix `Text`. */
export const exactText = z
  .string()
  .meta({
    id: 'ExactSum',
    description: 'The sum as decimal text. Absent where the JSON number beside it is exact.',
    pattern: '^-?\\d+(\\.\\d+)?$',
  })
  .optional()
const sum = { count, amount: money.meta({ description: 'Together.' }), amountText: exactText }
/** Returns the schema of a number of invoices with their sums. */
export const part = (description: string) => z.object(sum).meta({ description })

const billed = {
  count: z.int().min(1).meta({ description: 'Invoices.' }),
  totalAmount: money.meta({ description: 'Their totals together.' }),
  totalAmountText: exactText,
}

/** Addition: sums of the selected invoices in one currency. */
const CurrencySummary = z
  .object({
    currency,
    ...billed,
    balanceAmount: money.meta({
      description: 'What is outstanding and, below 0, what is credit: what can be paid of each balance.',
    }),
    balanceAmountText: exactText,
    outstanding: part('Balances above 0: OPEN and PAST DUE together.'),
    credit: part('Balances below 0: paid too much, or credited and not used yet.'),
    pastDue: z
      .object({ ...sum, oldestDueDate: dayOf('The earliest due date of them').optional() })
      .meta({ description: 'Of the outstanding: due before today.' }),
    dueIn30Days: z
      .object({ ...sum, firstDueDate: dayOf('The earliest due date of them').optional() })
      .meta({ description: 'Of the outstanding: due today or on one of the 30 days after it.' }),
    months: z
      .array(
        z.object({
          month: dayOf('Its first day'),
          ...billed,
          platforms: z
            .array(z.object({ platform, ...billed }))
            .meta({ description: 'The same per platform.' }),
        }),
      )
      .meta({
        description:
          'What was billed per month of the invoice date, oldest first; no month without an invoice.',
      }),
  })
  .meta({ id: 'CurrencySummary', description: 'Sums of a selection of invoices in one currency.' })

const InvoiceSummary = z
  .object({
    count: count.meta({ description: 'Invoices in all currencies.' }),
    today: dayOf("The service's day, which decides what is past due"),
    currencies: z.array(CurrencySummary).meta({ description: 'The one with the most invoices first.' }),
  })
  .meta({ id: 'InvoiceSummary', description: 'Sums of a selection of invoices.' })

export type Invoice = z.output<typeof Invoice>
export type InvoiceWithLines = z.output<typeof InvoiceWithLines>
export type LineItem = z.output<typeof LineItem>
export type InvoiceSummary = z.output<typeof InvoiceSummary>
export type CurrencySummary = InvoiceSummary['currencies'][number]

/** Filters of each call that reads several invoices. */
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
  ...timeRange('CreationTime', 'invoices whose `invoiceDate`'),
  ...timeRange('DueDate', 'invoices whose `dueDate`'),
  minAmount: amountText('invoices whose `totalAmount` is this much or more, each in its own currency'),
  maxAmount: amountText('invoices whose `totalAmount` is this much or less, each in its own currency'),
  product: z.string().min(1).max(200).optional().meta({
    description:
      'Invoices with a line item whose `description` contains this text. Case is ignored; fewer than three characters match the start.',
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Part of the invoice number, of a purchase order (of the invoice or of one of its lines) or of the issuer; or the start of the `id`, the buyer reference or the cost center. Case is ignored; fewer than three characters match the start of any of them. Of an invoice with more than 1,000 purchase orders on its lines, the first 1,000 by name.',
  }),
}

/** The order of whatever lists invoices. */
export const orderBy = sortText(INVOICE_ORDER_KEYS).optional().meta({
  description:
    'As in `totalAmount desc`: invoiceDate, dueDate, totalAmount or balanceAmount, then asc (unless told) or desc. Equal ones follow by id, the same way. Amounts are compared as numbers, whatever their currency. Without it: newest first.',
})

/** spec 4.3, `GET /billing/v1/invoices` */
export const listInvoices = contract({
  ...invoiceRoutes.listInvoices,
  summary: 'List invoices, newest first unless told otherwise',
  permission: 'invoice-viewer',
  cachedBy: ['day', 'billingProfiles'],
  showsLicenses: false,
  description:
    'The invoices of all billing profiles that the caller may see, without their line items. Issued ones, unless the filter names another `state`.',
  query: z.object({ ...selection, orderBy, ...paging }),
  output: pageSchema('invoices', Invoice).meta({ id: 'InvoiceList', description: 'A page of invoices.' }),
  examples: examples.listInvoices,
})

const exported = {
  ...selection,
  orderBy,
  lines: switchText('A row for each line item instead, with the columns of its invoice before its own.'),
  columns: z.enum(['words'], { error: 'must be words' }).optional().meta({
    description:
      'With `lines`: the columns that people need, with names in words, instead of all columns with the names of the API. Net, tax and total of each line; what an invoice’s total has besides is a row of its own. In the workbook, a total per currency follows.',
  }),
}

/** An addition: all that the filters select, however much it is. */
export const exportInvoices = contract({
  ...invoiceRoutes.exportInvoices,
  summary: 'All invoices of a selection, or all their line items, as a CSV file',
  permission: 'invoice-viewer',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object({ ...exported, ...dialect }),
  output: csvFile(),
  examples: examples.exportInvoices,
})

/** An addition: the same for a spreadsheet, whose cells have types. */
export const exportInvoicesXlsx = contract({
  ...invoiceRoutes.exportInvoicesXlsx,
  summary: 'All invoices of a selection, or all their line items, as a workbook',
  permission: 'invoice-viewer',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object(exported),
  output: xlsxFile(),
  examples: examples.exportInvoicesXlsx,
})

/** The place of one invoice in a path. */
export const params = z.object({
  invoice_id: z.string().min(1).max(300).meta({ description: 'The `id` of an invoice.' }),
})

/** spec 4.4, `GET /billing/v1/invoices/{invoice_id}` */
export const readInvoice = contract({
  ...invoiceRoutes.readInvoice,
  summary: 'Read one invoice with its line items',
  permission: 'invoice-viewer',
  cachedBy: ['day', 'billingProfiles'],
  showsLicenses: false,
  description:
    'It also says whether the line items explain the total, and which other invoices it replaces or corrects. Drafts and voided invoices can be read too. The bare number and `number~k` of a valid invoice lead to the same one, whose `id` is in `Content-Location`.',
  params,
  responseHeaders: ['Content-Location'],
  output: InvoiceWithLines,
  examples: examples.readInvoice,
})

/** Addition: number and sums of the selected invoices. Currencies are never added together. */
export const summarizeInvoices = contract({
  ...invoiceRoutes.summarizeInvoices,
  summary: 'Count and add up invoices per currency, what is due, and what was billed per month and platform',
  permission: 'invoice-viewer',
  cachedBy: ['day', 'billingProfiles'],
  showsLicenses: false,
  description: 'What the same filters select in the list of invoices. Two currencies are never added.',
  query: z.object(selection),
  output: InvoiceSummary,
  examples: examples.summarizeInvoices,
})
