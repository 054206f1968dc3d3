import { z } from 'zod'
import { contract, csvFile, paging, pagingOutput } from '#lib/api/contract.ts'
import { Invoice } from '#lib/invoices/shapes.ts'
import { filterText } from '#lib/lists/filter.ts'
import { calls } from './calls.ts'
import { AGES } from './rules.ts'

export type Statement = z.output<typeof Statement>
export type StatementItem = z.output<typeof StatementItem>
export type Ageing = z.output<typeof Ageing>

const count = z.int().min(0)
const amount = z.number().meta({ description: 'An exact decimal inside; a JSON number on the wire.' })
const part = (description: string) => z.object({ count, amount }).meta({ description })

const Ageing = z
  .object({
    count: z.int().min(1).meta({ description: 'Open items: those with a balance other than 0.' }),
    balanceAmount: amount.meta({ description: 'All that follows together, each with its sign.' }),
    current: part('Due today or later.'),
    days1To30: part('Past due by 1 to 30 days.'),
    days31To60: part('Past due by 31 to 60 days.'),
    days61To90: part('Past due by 61 to 90 days.'),
    older: part('Past due by more than 90 days.'),
    credit: part('Balances below 0, whatever their due date: credit notes, and what was paid too much.'),
  })
  .meta({ id: 'Ageing' })

const CurrencyAgeing = Ageing.extend({
  currency: z.string().meta({ description: 'Three-letter code, ISO 4217.' }),
  billingProfiles: z.array(Ageing.extend({ id: z.string(), name: z.string() })),
}).meta({ id: 'CurrencyAgeing' })

const StatementItem = Invoice.extend({
  billingProfileId: z.string(),
  age: z.enum(AGES).meta({ description: 'Where it is counted.' }),
  daysPastDue: z
    .int()
    .min(0)
    .meta({ description: 'By the day in UTC; 0 for what is not due yet, and for credit.' }),
}).meta({ id: 'StatementItem' })

/** An addition: what is open, and for how long. */
const Statement = z
  .object({
    today: z
      .int()
      .meta({ description: 'The day of the statement: epoch time in ms of its midnight in UTC.' }),
    count: count.meta({ description: 'Open items on all pages.' }),
    currencies: z
      .array(CurrencyAgeing)
      .meta({ description: 'Of all pages. Two currencies are never added.' }),
    items: z.array(StatementItem).meta({
      description: 'By currency and billing profile; in these the one that is due longest first.',
    }),
    ...pagingOutput,
  })
  .meta({ id: 'Statement' })

const selection = {
  filter: filterText(['billingProfile', 'platform', 'currency']).optional().meta({
    description: 'As in `billingProfile:default|currency:USD`. Keys: billingProfile, platform, currency.',
  }),
}

export const readStatement = contract({
  ...calls.readStatement,
  summary: 'What is open, by how long it is past due, per currency and billing profile',
  permission: 'invoice-viewer',
  query: z.object({ ...selection, ...paging }),
  output: Statement,
  problems: ['invalid_request', 'filter_invalid', 'page_token_invalid'],
})

export const exportStatement = contract({
  ...calls.exportStatement,
  summary: 'All open items of a selection with their age, as a CSV file',
  permission: 'invoice-viewer',
  query: z.object(selection),
  output: csvFile(),
  problems: ['invalid_request', 'filter_invalid'],
})
