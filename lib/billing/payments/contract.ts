import { z } from 'zod'
import { currency, day, id, money } from '#lib/billing/invoices/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { timeRange } from '#lib/platform/lists/parameters.ts'
import { paymentRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { PAYMENT_FILTER_KEYS, PAYMENT_KINDS, PAYMENT_STATES } from './rules.ts'

const kind = z.enum(PAYMENT_KINDS).meta({
  description:
    'A refund is below 0. reported: a balance as its issuer reported it; opening: settled before payments were recorded.',
})

const Payment = z
  .object({
    id: z.string().meta({ description: 'Identifies the payment.' }),
    kind,
    paidDate: day.meta({
      description:
        'When it was paid or reported, as that day\u2019s midnight in UTC. The invoice date for an opening amount.',
    }),
    currency,
    amount: money.optional().meta({
      description: 'The whole amount. Absent where a part of it is not for the caller to see.',
    }),
    creditAmount: money.optional().meta({
      description:
        'The part that is the customer\u2019s credit. Absent for callers who don\u2019t see all billing profiles.',
    }),
    reference: z
      .string()
      .optional()
      .meta({ description: 'The reference of the bank, or of who entered it.' }),
    method: z.string().optional().meta({ description: 'How it was paid.' }),
    payer: z.string().optional().meta({ description: 'Who paid.' }),
    endToEndId: z.string().optional().meta({
      description: 'The payer\u2019s end-to-end reference. Absent like `remittance`.',
    }),
    remittance: z.string().optional().meta({
      description: 'What the payer wrote. Absent where a part of the payment is not for the caller to see.',
    }),
    refundOf: z
      .string()
      .optional()
      .meta({ description: 'The `reference` of the payment that is paid back.' }),
    enteredBy: z.string().meta({ description: 'Who entered it.' }),
    reversedDate: day.optional().meta({ description: 'The day on which it was reversed.' }),
    reversalReason: z.string().optional().meta({ description: 'Why it was reversed.' }),
    allocations: z
      .array(
        z.object({
          invoiceId: id,
          number: z.string().meta({ description: 'As its issuer numbers it.' }),
          amount: money.meta({ description: 'What it settles of that invoice.' }),
          date: day.meta({ description: 'From which day on.' }),
        }),
      )
      .meta({
        description:
          'The invoices that it settles, or settled until it was reversed, as far as the caller sees them.',
      }),
  })
  .meta({ id: 'Payment', description: 'A payment, a refund or a write-off, with what it settles.' })

export type Payment = z.output<typeof Payment>

const selection = {
  filter: filterText(PAYMENT_FILTER_KEYS, { kind: PAYMENT_KINDS, state: PAYMENT_STATES })
    .optional()
    .meta({
      description: `As in \`kind:payment|currency:EUR\`. Keys: kind, currency, invoice (its id), state (recorded, unassigned, reversed). ${FILTER_GRAMMAR}`,
    }),
  ...timeRange('PaidDate', 'payments whose `paidDate`'),
}

/** Addition: payments and the invoices that they settle. */
export const listPayments = contract({
  ...paymentRoutes.listPayments,
  summary: 'List payments, newest first',
  permission: 'invoice-viewer',
  description:
    'Payments, refunds, write-offs and balances as reported by issuers, with the invoices that they settle. A payment without an invoice is listed only for callers who see all billing profiles.',
  query: z.object({ ...selection, ...paging }),
  output: pageSchema('payments', Payment).meta({ id: 'PaymentList', description: 'A page of payments.' }),
  examples: examples.listPayments,
})

const PARTS =
  'The payments of `listPayments`: a row for each invoice that one settles, and for the customer\u2019s credit.'

/** Addition: all payments of a selection as a file. */
export const exportPayments = contract({
  ...paymentRoutes.exportPayments,
  summary: 'The payments that a list has, as a CSV file',
  permission: 'invoice-viewer',
  description: PARTS,
  query: z.object({ ...selection, ...dialect }),
  output: csvFile(),
  examples: examples.exportPayments,
})

export const exportPaymentsXlsx = contract({
  ...paymentRoutes.exportPaymentsXlsx,
  summary: 'The payments that a list has, as a workbook',
  permission: 'invoice-viewer',
  description: PARTS,
  query: z.object(selection),
  output: xlsxFile(),
  examples: examples.exportPaymentsXlsx,
})
