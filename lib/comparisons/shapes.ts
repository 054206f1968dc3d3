import { z } from 'zod'
import { currency, Invoice, money } from '#lib/invoices/shapes.ts'

const comparedLines = z.object({
  description: z.string(),
  Details: z.string().optional(),
  qty: z.number(),
  price: money
    .optional()
    .meta({ description: 'Per unit. Absent where lines of several prices are one here.' }),
  amount: money.meta({ description: 'As rounded on the lines.' }),
  lineCount: z.int().min(1).meta({ description: 'More than 1 where a line was split.' }),
})

/** An addition: lines that bill the same thing on two invoices. */
export const InvoiceChange = z
  .object({
    change: z.enum(['added', 'gone', 'changed', 'unchanged']),
    reasons: z
      .array(z.enum(['quantity', 'price', 'amount']))
      .meta({ description: 'What has changed; `amount`: only the rounding of split lines.' }),
    type: z.string().meta({ description: 'Platform of the lines.' }),
    currency,
    effectAmount: money.meta({ description: 'What it adds to the sum of the lines, or takes away.' }),
    from: comparedLines.optional(),
    to: comparedLines.optional(),
  })
  .meta({ id: 'InvoiceChange' })

const difference = z.object({ fromAmount: money, toAmount: money, effectAmount: money })

/** An addition: why one invoice is dearer than another. */
export const InvoiceComparison = z
  .object({
    from: Invoice,
    to: Invoice,
    lineItems: difference.meta({
      description: "The lines' amounts; the changes' effects add up to its own.",
    }),
    rounding: difference.meta({ description: 'Of the sum of the lines, where the issuer rounds that only.' }),
    notItemized: difference.meta({ description: 'What no line shows.' }),
    total: difference.meta({ description: 'The three above together.' }),
    changes: z.array(InvoiceChange).meta({
      description: 'The largest effect first; lines in another currency at the end, and in no sum.',
    }),
    unchanged: z.array(InvoiceChange),
  })
  .meta({ id: 'InvoiceComparison' })
