import { z } from 'zod'
import { count, currency, day, exactText, Invoice, money, part } from '#lib/billing/invoices/contract.ts'
import { CreditTransfer } from '#lib/billing/payment-instructions/schemas.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, file, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { paging, pagingOutput } from '#lib/platform/lists/paging.ts'
import { statementRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { AGES } from './rules.ts'

/** Open amounts by days past due. */
const Ageing = z
  .object({
    count: z.int().min(1).meta({ description: 'Open items: those with a balance other than 0.' }),
    balanceAmount: money.meta({ description: 'All that follows together, each with its sign.' }),
    balanceAmountText: exactText,
    current: part('Due today or later.'),
    days1To30: part('Past due by 1 to 30 days.'),
    days31To60: part('Past due by 31 to 60 days.'),
    days61To90: part('Past due by 61 to 90 days.'),
    older: part('Past due by more than 90 days.'),
    credit: part('Balances below 0, whatever their due date: credit notes, and what was paid too much.'),
  })
  .meta({ id: 'Ageing', description: 'What is open, by how long it is past due.' })

const CurrencyAgeing = Ageing.extend({
  currency,
  billingProfiles: z
    .array(
      Ageing.extend({
        id: z.string().meta({ description: 'The billing profile.' }),
        name: z.string().meta({ description: 'Its name for people.' }),
      }),
    )
    .meta({ description: 'The same per billing profile.' }),
}).meta({ id: 'CurrencyAgeing', description: 'What is open in one currency, and for how long.' })

const StatementItem = Invoice.extend({
  billingProfileId: z.string().meta({ description: 'Who is billed.' }),
  age: z.enum(AGES).meta({ description: 'Where it is counted.' }),
  daysPastDue: z
    .int()
    .min(0)
    .meta({ description: 'By the day in UTC; 0 for what is not due yet, and for credit.' }),
}).meta({ id: 'StatementItem', description: 'An invoice whose balance is not 0.' })

/** Addition: open items, by age. */
const Statement = z
  .object({
    today: day.meta({
      description: 'The day of the statement: epoch time in milliseconds of its midnight in UTC.',
    }),
    count: count.meta({ description: 'Open items on all pages.' }),
    currencies: z
      .array(CurrencyAgeing)
      .meta({ description: 'Of all pages. Two currencies are never added.' }),
    credits: z
      .array(z.object({ currency, amount: money, amountText: exactText }))
      .optional()
      .meta({
        description:
          'Payments, or parts of them, that settle no invoice yet: not in the sums. Absent where there are none, where a billing profile or platform is chosen, and for callers who do not see all billing profiles.',
      }),
    items: z.array(StatementItem).meta({
      description: 'By currency and billing profile; in these the one that is due longest first.',
    }),
    creditTransfers: z.array(CreditTransfer).meta({
      description:
        'One SEPA credit transfer for the open invoices in EUR of each billing profile and account with an IBAN, without credits. Of those billing profiles only whose items in EUR are all on this page.',
    }),
    ...pagingOutput,
  })
  .meta({ id: 'Statement', description: 'Open balance by age.' })

export type Statement = z.output<typeof Statement>
export type StatementItem = z.output<typeof StatementItem>
export type Ageing = z.output<typeof Ageing>

const selection = {
  filter: optionalFilter(['billingProfile', 'platform', 'currency'], 'billingProfile:default|currency:USD'),
}

export const readStatement = contract({
  ...statementRoutes.readStatement,
  summary: 'What is open, by how long it is past due, per currency and billing profile',
  permission: 'invoice-viewer',
  cachedBy: ['day', 'billingProfiles'],
  showsLicenses: false,
  description: 'All invoices whose balance is not 0, with sums. Two currencies are never added.',
  query: z.object({ ...selection, ...paging }),
  output: Statement,
  examples: examples.readStatement,
})

export const exportStatement = contract({
  ...statementRoutes.exportStatement,
  summary: 'All open items of a selection with their age, as a CSV file',
  permission: 'invoice-viewer',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object({ ...selection, ...dialect }),
  output: csvFile(),
  examples: examples.exportStatement,
})

export const exportStatementXlsx = contract({
  ...statementRoutes.exportStatementXlsx,
  summary: 'All open items of a selection with their age, as a workbook',
  permission: 'invoice-viewer',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object(selection),
  output: xlsxFile(),
  examples: examples.exportStatementXlsx,
})

export const exportStatementPdf = contract({
  ...statementRoutes.exportStatementPdf,
  summary: 'What is open, by how long it is past due, as a PDF',
  permission: 'invoice-viewer',
  description:
    'The sums per currency and all open items of a selection: at most 2,000. Tagged, for screen readers.',
  query: z.object(selection),
  output: file('application/pdf', 'A PDF. Binary, so without an example.'),
  problems: ['invalid_request'],
  examples: examples.exportStatementPdf,
})
