import { foreignKey, integer, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { customerId, key } from '../columns.ts'
import { lineItems } from './invoices.ts'

/** How a reseller's price of a line was made, for operators alone: a role that answers customers can't read it. */
export const linePrices = pgTable(
  'line_prices',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    position: integer('position').notNull(),
    /** The rule in words: `+8 %`, `4.50 each`, `ListCost`. */
    rule: text('rule').notNull(),
    /** What the vendor billed for the line, exactly. */
    billedCost: numeric('billed_cost').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId, t.position],
      foreignColumns: [lineItems.customerId, lineItems.invoiceId, lineItems.position],
    }).onDelete('cascade'),
  ],
)
