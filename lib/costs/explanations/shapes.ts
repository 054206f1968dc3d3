import { z } from 'zod'
import { day } from '#lib/billing/invoices/document/shapes.ts'
import { count, currency, money } from '#lib/billing/invoices/shapes.ts'
import { TAX_PLACES } from '#lib/costs/causes/rules.ts'
import { DifferenceCause } from '#lib/costs/causes/shapes.ts'

const CurrencyExplanation = z
  .object({
    currency,
    fromCount: count.meta({ description: 'Invoices of the month before.' }),
    toCount: count.meta({ description: 'Invoices of the month.' }),
    fromAmount: money.meta({ description: 'What those of the month before come to.' }),
    toAmount: money.meta({ description: 'What those of the month come to.' }),
    effectAmount: money.meta({ description: 'The difference. The effects of the causes add up to it.' }),
    causes: z.array(DifferenceCause).meta({
      description: 'Those of a product stand together, the product with the largest effect first.',
    }),
    unchangedCount: count.meta({ description: 'Products that both months bill alike.' }),
    tax: z.enum(TAX_PLACES).optional().meta({
      description:
        'Where the tax stands. `IN_LINES`: in the lines, so that effects are with tax. `BESIDE_LINES`: in causes `tax` of their own. Absent where none is known.',
    }),
  })
  .meta({
    id: 'CurrencyExplanation',
    description: 'Why a month is dearer than the one before, in one currency.',
  })

/** An addition: why a month is dearer than the one before. */
export const InvoiceExplanation = z
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
  .meta({ id: 'InvoiceExplanation', description: 'Why a month is dearer than the one before.' })
