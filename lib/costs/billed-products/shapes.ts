import { z } from 'zod'
import { day } from '#lib/billing/invoices/document/shapes.ts'
import { count, currency, money, platform } from '#lib/billing/invoices/shapes.ts'

const BilledProduct = z
  .object({
    product: z.string().meta({ description: 'The `description` of its line items.' }),
    platform,
    currency,
    amount: money.meta({ description: 'What its months come to.' }),
    months: z
      .array(
        z.object({
          month: day.meta({
            description: 'Its first day: epoch time in milliseconds of its midnight in UTC.',
          }),
          qty: z.number().meta({ description: 'The quantities of its line items together.' }),
          amount: money.meta({ description: 'What its line items come to.' }),
          count: count.meta({ description: 'Invoices that have it.' }),
        }),
      )
      .meta({ description: 'By invoice date, the newest first; no month without it.' }),
  })
  .meta({ id: 'BilledProduct', description: 'What was billed for a product, by month.' })

/** An addition: what was billed for products, by month. */
export const BilledProducts = z
  .object({
    products: z.array(BilledProduct).meta({
      description: 'The one with the most invoices first, then by name; two currencies are never added.',
    }),
    otherCount: count.meta({ description: 'Further products, which are not told.' }),
  })
  .meta({ id: 'BilledProducts', description: 'What was billed for products, by month.' })
