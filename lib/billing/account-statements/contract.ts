import { z } from 'zod'
import { currency, day, exactText, id, money } from '#lib/billing/invoices/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, file, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { unixTime } from '#lib/platform/lists/parameters.ts'
import { accountRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { MOVEMENT_KINDS } from './rules.ts'

const Movement = z
  .object({
    date: day,
    kind: z.enum(MOVEMENT_KINDS).meta({
      description:
        'What moved the account: a document, what settles it (as in payments), its reversal, or an allocation of credit.',
    }),
    amount: money.meta({ description: 'What is owed grows by it; below 0 for what settles.' }),
    balanceAmount: money.meta({ description: 'The balance of the account after it.' }),
    billingProfileId: z.string().optional().meta({ description: 'Absent for the customer’s credit.' }),
    invoiceId: id.optional().meta({ description: 'The invoice; absent for the customer’s credit.' }),
    number: z.string().optional().meta({ description: 'As its issuer numbers it.' }),
    reference: z.string().optional().meta({ description: 'The reference of the payment.' }),
  })
  .meta({ id: 'AccountMovement', description: 'A movement of an account.' })

const OpenItem = z
  .object({
    invoiceId: id,
    number: z.string().meta({ description: 'As its issuer numbers it.' }),
    issuer: z.string().meta({ description: 'Who bills.' }),
    billingProfileId: z.string().meta({ description: 'Who is billed.' }),
    invoiceDate: day,
    dueDate: day,
    totalAmount: money.meta({ description: 'What is billed.' }),
    balanceAmount: money.meta({ description: 'Its balance at the end of the last day.' }),
  })
  .meta({ id: 'AccountOpenItem', description: 'An invoice that was open at the end of a day.' })

const AccountOfDays = z
  .object({
    from: day.meta({ description: 'The first day: epoch time in milliseconds of its midnight in UTC.' }),
    to: day.meta({ description: 'The last day: epoch time in milliseconds of its midnight in UTC.' }),
    currencies: z
      .array(
        z.object({
          currency,
          openingAmount: money.meta({ description: 'The balance before the first day.' }),
          openingAmountText: exactText,
          closingAmount: money.meta({
            description: 'The balance at the end of the last day: the opening balance with all movements.',
          }),
          closingAmountText: exactText,
          creditAmount: money.meta({
            description:
              'The customer’s credit at the end of the last day, which the closing balance is less of. 0 for callers who do not see all billing profiles, and where a profile is chosen.',
          }),
          creditAmountText: exactText,
          movements: z.array(Movement).meta({ description: 'By day.' }),
          openItems: z.array(OpenItem).meta({
            description: 'Together, less the credit, they are the closing balance.',
          }),
        }),
      )
      .meta({ description: 'Two currencies are never added.' }),
  })
  .meta({
    id: 'AccountStatement',
    description: 'Account activity between two days, with opening and closing balance.',
  })

export type AccountOfDays = z.output<typeof AccountOfDays>

const selection = {
  minDate: unixTime('movements of this day or later; without it, of the first of the month of the last day'),
  maxDate: unixTime('movements of this day or earlier; without it, of today'),
  filter: optionalFilter(['billingProfile', 'currency'], 'billingProfile:default|currency:EUR'),
}

const DESCRIPTION =
  'The opening balance, each movement, the closing balance and the open items of the last day, which may be any past day. Payments that were made before payments were recorded count from the date of their invoice on. At most 10,000 movements and 10,000 open items: else `invalid_request`, narrow the days or filters.'

export const readAccount = contract({
  ...accountRoutes.readAccount,
  summary: 'The account between two days, with opening and closing balance',
  permission: 'invoice-viewer',
  description: DESCRIPTION,
  query: z.object(selection),
  output: AccountOfDays,
  problems: ['invalid_request'],
  examples: examples.readAccount,
})

export const exportAccount = contract({
  ...accountRoutes.exportAccount,
  summary: 'The movements of an account between two days, as a CSV file',
  permission: 'invoice-viewer',
  description: 'The movements of `readAccount`, with its limits.',
  query: z.object({ ...selection, ...dialect }),
  output: csvFile(),
  problems: ['invalid_request'],
  examples: examples.exportAccount,
})

export const exportAccountXlsx = contract({
  ...accountRoutes.exportAccountXlsx,
  summary: 'The movements of an account between two days, as a workbook',
  permission: 'invoice-viewer',
  description: 'The movements of `readAccount`, with its limits.',
  query: z.object(selection),
  output: xlsxFile(),
  problems: ['invalid_request'],
  examples: examples.exportAccountXlsx,
})

export const exportAccountPdf = contract({
  ...accountRoutes.exportAccountPdf,
  summary: 'The account between two days, as a PDF',
  permission: 'invoice-viewer',
  description: 'All that `readAccount` has: at most 2,000 movements and 2,000 open items.',
  query: z.object(selection),
  output: file('application/pdf', 'A PDF. Binary, so without an example.'),
  problems: ['invalid_request'],
  examples: examples.exportAccountPdf,
})
