import { z } from 'zod'
import { currency, money } from '#lib/billing/invoices/contract.ts'
import { seats } from '#lib/licenses/assets/contract.ts'
import { outcome, surchargePercent } from '#lib/licenses/renewal-orders/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { timeOf } from '#lib/platform/lists/parameters.ts'
import { renewalRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { MONTHS } from './rules.ts'

const asset = z.object({
  id: z.string().meta({ description: 'The asset.' }),
  name: z.string().meta({ description: 'Its name for people.' }),
  type: z.string().meta({ description: 'Product type.' }),
})

export const cost = z.object({
  amount: money.meta({ description: 'At the price that was billed last, rounded to the currency.' }),
  currency,
  per: z.enum(['month', 'year', 'bill']).meta({
    description: 'As the plan is paid. `bill`: for what was billed last, whose time is not whole months.',
  }),
  yearlyAmount: money.optional().meta({ description: 'The same for a year; absent for `bill`.' }),
})

const price = z.object({
  amount: money.meta({ description: 'Of one license, as it was billed last.' }),
  currency,
  months: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The months that it is for; absent where that is not told.' }),
  invoiceId: z.string().optional().meta({ description: 'The invoice, for who may see it.' }),
  invoiceDate: timeOf('Its date'),
})

const NOT_SEEN = 'Absent where no price is known, or may be seen.'

/** An addition: a commitment that ends. */
const Renewal = z
  .object({
    asset: asset.meta({ description: 'Which plan it is.' }),
    domain: z.string().meta({ description: 'The domain that it is for.' }),
    planName: z.string().meta({ description: 'As the vendor calls it.' }),
    time: timeOf('When the commitment ends'),
    decideBy: timeOf('The last whole day of UTC before that, on which the next term can be decided on'),
    purchased: seats.meta({ description: 'Purchased licenses.' }),
    assigned: seats.meta({ description: 'Assigned to users.' }),
    idle: seats.meta({ description: 'Unassigned licenses.' }),
    renewalType: z.string().optional().meta({
      description: 'What happens by itself, as the vendor calls it. Absent where nothing is known.',
    }),
    outcome: outcome.optional(),
    happens: z.string().optional().meta({ description: 'The same in words.' }),
    surchargePercent: surchargePercent.optional(),
    nextTotal: seats.optional().meta({ description: 'The total for the next term, where one is ordered.' }),
    price: price.optional().meta({ description: `What one license cost when last billed. ${NOT_SEEN}` }),
    cost: cost.optional().meta({ description: `What the licenses cost. ${NOT_SEEN}` }),
    idleCost: cost.optional().meta({ description: `Cost of the unassigned licenses. ${NOT_SEEN}` }),
    nextCost: cost.optional().meta({
      description: `What follows the end costs: the next term, or an Extended Service Term with its surcharge. Absent where the plan ends, switches to flexible, or nothing is stated. ${NOT_SEEN}`,
    }),
    url: z.url().meta({ description: 'The page of the asset in the console.' }),
  })
  .meta({ id: 'Renewal', description: 'A plan whose commitment ends.' })

/** From 1970 on, because times are milliseconds since then. */
const MONTH = '^(19[7-9]\\d|[2-9]\\d{3})-(0[1-9]|1[0-2])$'

const QUARTER = '^(19[7-9]\\d|[2-9]\\d{3})-Q[1-4]$'

const month = z.object({
  month: z.string().regex(new RegExp(MONTH)).meta({ description: 'As in `2026-12`.' }),
  count: z.int().min(0).meta({ description: 'Plans whose commitment ends in it.' }),
  licenses: seats.meta({ description: 'Their purchased licenses.' }),
  idle: seats.meta({ description: 'Unassigned licenses among them.' }),
})

const sum = z.object({
  currency,
  count: z.int().min(1).meta({ description: 'The plans that are in it.' }),
  amount: money.meta({ description: 'What they cost in a year.' }),
  idleAmount: money.meta({ description: 'Yearly cost of their unassigned licenses.' }),
})

const RenewalList = z
  .object({
    today: timeOf('The midnight of UTC with which today begins'),
    months: z
      .array(month)
      .meta({ description: `This month and those after it, ${MONTHS} in all, with the filter alone.` }),
    types: z
      .array(
        z.object({
          type: z.string().meta({ description: 'Product type.' }),
          count: z.int().min(1).meta({ description: 'Plans of it.' }),
        }),
      )
      .meta({ description: 'In all of these months, without the filter.' }),
    sums: z
      .array(sum)
      .meta({ description: 'Yearly cost of the renewals below. Two currencies are never added.' }),
    unpriced: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Those that are in none of these sums. Absent for who may not see prices.' }),
    isWhole: z
      .boolean()
      .meta({ description: 'Whether these are all; else those that end first, 1,000 before any filter.' }),
    renewals: z.array(Renewal).meta({ description: 'The one that ends first comes first.' }),
  })
  .meta({ id: 'RenewalList', description: 'Commitments that end.' })

export type Renewal = z.output<typeof Renewal>
export type RenewalList = z.output<typeof RenewalList>

const selection = {
  month: z
    .string({ error: 'must be a month, as in 2026-12' })
    .regex(new RegExp(MONTH), 'must be a month, as in 2026-12')
    .optional()
    .meta({
      description: 'The month of UTC in which the commitment ends. Absent: this one and the eleven after it.',
      json: { type: 'string', pattern: MONTH },
    } satisfies ParameterMeta & { description: string }),
  quarter: z
    .string({ error: 'must be a quarter, as in 2027-Q1' })
    .regex(new RegExp(QUARTER), 'must be a quarter, as in 2027-Q1')
    .optional()
    .meta({
      description:
        'The calendar quarter of UTC in which the commitment ends: this one, of which past months are not listed, or one of the three after it.',
      json: { type: 'string', pattern: QUARTER },
    } satisfies ParameterMeta & { description: string }),
  filter: optionalFilter(['type'], 'type:workspace-suite'),
}

const ofLicenses = { permission: 'licenses-manager', query: z.object(selection) } as const

/** An addition. */
export const listRenewals = contract({
  ...ofLicenses,
  ...renewalRoutes.listRenewals,
  summary: 'Commitments that end in the next twelve months',
  description:
    'Active plans with a commitment that ends in this month or the eleven after it: how many licenses each has and how many are unassigned, what they cost at the last price as far as the caller may see it, what happens by itself, and until when that can be decided.',
  cachedBy: ['day', 'roles', 'billingProfiles'],
  output: RenewalList,
  examples: examples.listRenewals,
})

/** An addition. */
export const exportRenewals = contract({
  ...ofLicenses,
  ...renewalRoutes.exportRenewals,
  query: z.object({ ...selection, ...dialect }),
  summary: 'Commitments that end in the next twelve months, as a CSV file',
  description: 'A row for each plan, the one that ends first first.',
  output: csvFile(),
  examples: examples.exportRenewals,
})

export const exportRenewalsXlsx = contract({
  ...ofLicenses,
  ...renewalRoutes.exportRenewalsXlsx,
  summary: 'Commitments that end in the next twelve months, as a workbook',
  description: 'A row for each plan, the one that ends first first.',
  output: xlsxFile(),
  examples: examples.exportRenewalsXlsx,
})
