import { z } from 'zod'
import { count, currency, day, exactText, money } from '#lib/billing/invoices/contract.ts'
import { TAX_PLACEMENTS } from '#lib/costs/causes/rules.ts'
import { DifferenceCause } from '#lib/costs/causes/serialize.ts'
import { contract } from '#lib/platform/api/contract.ts'
import type { ParameterMeta } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { optionalFilter } from '#lib/platform/lists/filter.ts'
import { explanationRoutes } from '../routes.ts'
import * as examples from './examples.ts'

const CurrencyExplanation = z
  .object({
    currency,
    fromCount: count.meta({ description: 'Invoices of the month before.' }),
    toCount: count.meta({ description: 'Invoices of the month.' }),
    fromAmount: money.meta({ description: 'Sum of the previous month.' }),
    fromAmountText: exactText,
    toAmount: money.meta({ description: 'Sum of the month.' }),
    toAmountText: exactText,
    effectAmount: money.meta({ description: 'The difference. The effects of the causes add up to it.' }),
    effectAmountText: exactText,
    causes: z.array(DifferenceCause).meta({
      description: 'Grouped by product, the largest effect first.',
    }),
    unchangedCount: count.meta({ description: 'Products that both months bill alike.' }),
    tax: z.enum(TAX_PLACEMENTS).optional().meta({
      description:
        'Where the tax is. `IN_LINES`: in the lines, so that effects are with tax. `BESIDE_LINES`: in causes `tax` of their own. Absent where none is known.',
    }),
  })
  .meta({
    id: 'CurrencyExplanation',
    description: 'Why a month costs more than the previous one, in one currency.',
  })

/** An addition: why a month costs more than the previous one. */
const InvoiceExplanation = z
  .object({
    month: day.meta({ description: 'Its first day: epoch time in milliseconds of its midnight in UTC.' }),
    previousMonth: day.meta({ description: 'The first day of the month before.' }),
    currencies: z
      .array(CurrencyExplanation)
      .meta({ description: 'The one with the most invoices first. Two currencies are never added.' }),
    months: z.array(day).meta({
      description: 'The first days of the months that have such invoices, the newest first; 120 at most.',
    }),
  })
  .meta({ id: 'InvoiceExplanation', description: 'Why a month costs more than the previous one.' })

export type InvoiceExplanation = z.output<typeof InvoiceExplanation>

/** From 1970 on, because times are milliseconds since then. */
const MONTH = '^(19[7-9]\\d|[2-9]\\d{3})-(0[1-9]|1[0-2])$'

const query = {
  month: z
    .string({ error: 'must be a month, as in 2026-10' })
    .regex(new RegExp(MONTH), 'must be a month, as in 2026-10')
    .meta({
      description: 'The month that is compared with the one before, as in `2026-10`.',
      json: { type: 'string', pattern: MONTH },
    } satisfies ParameterMeta & { description: string }),
  filter: optionalFilter(
    ['platform', 'issuer', 'billingProfile', 'currency'],
    'platform:web-services|currency:USD',
  ),
}

const explanation = { permission: 'invoice-viewer', query: z.object(query) } as const

/** An addition. */
export const explainMonth = contract({
  ...explanation,
  ...explanationRoutes.explainMonth,
  cachedBy: ['day', 'roles', 'billingProfiles'],
  summary: 'Why a month costs more than the previous one, per currency',
  description:
    'Of the issued invoices whose invoice date is in the two months: each product that costs more or less, why, and by how much. In each currency the causes add up to the difference, exactly.',
  output: InvoiceExplanation,
  examples: examples.explainMonth,
})

/** An addition. */
export const exportExplanation = contract({
  ...explanation,
  ...explanationRoutes.exportExplanation,
  query: z.object({ ...query, ...dialect }),
  summary: 'Why a month costs more than the previous one, as a CSV file',
  description: 'A row for each cause.',
  output: csvFile(),
  examples: examples.exportExplanation,
})

/** An addition. */
export const exportExplanationXlsx = contract({
  ...explanation,
  ...explanationRoutes.exportExplanationXlsx,
  summary: 'Why a month costs more than the previous one, as a workbook',
  description: 'A row for each cause.',
  output: xlsxFile(),
  examples: examples.exportExplanationXlsx,
})
