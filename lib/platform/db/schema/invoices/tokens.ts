import { date, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, key } from '../columns.ts'

/**
 * What invoices are found by: of each number and purchase order the part from each of its letters on, so that a part of
 * one is the start of a token, and btrees find starts. Month by month, so that a search finds the newest without reading
 * all of them. Triggers of `invoices` keep it, whoever writes there: `keep_invoice_tokens` of the migration `invoice-orders`.
 * A token leads to an invoice and proves nothing: whoever asks compares the invoice itself.
 */
export const invoiceTokens = pgTable(
  'invoice_tokens',
  {
    customerId: customerId(),
    /** The first day of the month of the invoice's date. */
    month: date('month').notNull(),
    /** At most 12 characters in small letters; behind `^`, where it is the start of a text. */
    token: key('token').notNull(),
    invoiceId: key('invoice_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.month, t.token, t.invoiceId] })],
)
