import { z } from 'zod'

const day = z.int().meta({ description: 'A day: epoch time in milliseconds of its midnight in UTC.' })
export const money = z.number().meta({ description: 'An exact decimal inside; a JSON number on the wire.' })
export const currency = z.string().meta({ description: 'Three-letter code, ISO 4217.' })

/** spec 2.4 */
export const LineItem = z
  .object({
    type: z.string().meta({ description: 'Platform of the item.' }),
    description: z.string(),
    price: money.meta({ description: 'Per unit.' }),
    qty: z.number(),
    currency,
    Details: z.string().optional(),
  })
  .meta({ id: 'LineItem' })

/** spec 2.3 */
export const Invoice = z
  .object({
    id: z.string().meta({ description: 'Invoice number.' }),
    invoiceDate: day,
    platform: z.string().meta({ description: 'Same kind of value as an asset type.' }),
    dueDate: day,
    status: z.enum(['OPEN', 'PAST DUE', 'PAID']).meta({ description: 'Derived from balance and due date.' }),
    totalAmount: money,
    balanceAmount: money.meta({ description: 'Outstanding. May be negative, or above the total.' }),
    currency,
    url: z.string().meta({ description: 'The invoice as a PDF file.' }),
  })
  .meta({ id: 'Invoice' })

export const InvoiceWithLines = Invoice.extend({ lineItems: z.array(LineItem).min(1) }).meta({
  id: 'InvoiceWithLines',
})
