import { z } from 'zod'
import { InvoiceCharges, LineCharges } from '#lib/billing/charges/shapes.ts'
import { InvoiceFile } from '#lib/billing/kept-files/shapes.ts'
import { invoicePosting, linePosting } from '#lib/billing/posting/shapes.ts'
import { dayOf, documentFields } from './document/shapes.ts'
import { DOCUMENT_STATES, INVOICE_STATUSES } from './rules.ts'

/** An amount on the wire. */
export const money = z.number().meta({ description: 'An exact decimal inside; a JSON number on the wire.' })
/** The currency of an amount on the wire. */
export const currency = z.string().meta({ description: 'Three-letter code, ISO 4217.' })

export const platform = z.string().meta({
  description:
    'Same kind of value as an asset type: cloud-platform, web-services, workspace-suite, office-suite; others may come.',
})

/** spec 2.4 */
export const LineItem = z
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
      description: 'What its charges come to. Absent of a line to which none leads.',
    }),
  })
  .meta({ id: 'LineItem', description: 'One line of an invoice.' })

/** spec 2.3 */
export const Invoice = z
  .object({
    id: z.string().meta({
      description:
        'Invoice number. Where another of the invoices had it first, the number with its issuer before it or a count behind it. Never changes.',
    }),
    number: z.string().meta({ description: 'As its issuer numbers it: two issuers may have the same.' }),
    issuer: z.string().meta({ description: 'Who bills.' }),
    documentState: z.enum(DOCUMENT_STATES).meta({
      description:
        'draft: its period still runs, and nothing of it is owed. issued: as its issuer issued it. voided: it is valid no more.',
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
  })
  .meta({ id: 'Itemization', description: 'Whether the line items explain the total.' })

export const InvoiceWithLines = Invoice.extend({
  lineItems: z.array(LineItem).min(1).meta({ description: 'In the order of the invoice.' }),
  itemization: Itemization.meta({ description: 'Whether they explain the total.' }),
  files: z.array(InvoiceFile).min(1).meta({ description: 'Its documents, the issuer’s own first.' }),
  ...documentFields,
  ...invoicePosting,
  charges: InvoiceCharges.optional().meta({
    description: 'What its charges come to, and where it is apart from them. Absent where none are known.',
  }),
}).meta({ id: 'InvoiceWithLines', description: 'An invoice with its line items.' })

/** How many of something. */
export const count = z.int().min(0).meta({ description: 'How many.' })
const sum = { count, amount: money.meta({ description: 'Together.' }) }
/** How many, and what they come to. */
export const part = (description: string) => z.object(sum).meta({ description })

const billed = {
  count: z.int().min(1).meta({ description: 'Invoices.' }),
  totalAmount: money.meta({ description: 'Their totals together.' }),
}

/** An addition: what a selection of invoices comes to in one currency. */
const CurrencySummary = z
  .object({
    currency,
    ...billed,
    balanceAmount: money.meta({ description: 'What is outstanding and, below 0, what is credit.' }),
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
  .meta({ id: 'CurrencySummary', description: 'What a selection of invoices comes to in one currency.' })

export const InvoiceSummary = z
  .object({
    count: count.meta({ description: 'Invoices in all currencies.' }),
    today: dayOf("The service's day, which decides what is past due"),
    currencies: z.array(CurrencySummary).meta({ description: 'The one with the most invoices first.' }),
  })
  .meta({ id: 'InvoiceSummary', description: 'What a selection of invoices comes to.' })
