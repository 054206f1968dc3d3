import { sql } from 'drizzle-orm'
import { check, date, integer, numeric, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { customerId, key } from '../columns.ts'

/**
 * What a customer's issued invoices come to, so that no request adds up all of them. Triggers of `invoices` keep it,
 * whoever writes there: `keep_invoice_sums` of the migration `invoice-sums`. So a migration that changes invoices looks
 * past the walls of both tables. No foreign keys: each row follows from invoices, which have them.
 */
export const invoiceSums = pgTable(
  'invoice_sums',
  {
    customerId: customerId(),
    billingProfileId: key('billing_profile_id').notNull(),
    issuer: key('issuer').notNull(),
    platform: text('platform').notNull(),
    currency: text('currency').notNull(),
    /** The first day of the month of the invoice dates. */
    month: date('month').notNull(),
    /** Of invoices that are to be paid by then; null: of settled ones, whose balance is 0 or below. */
    dueDate: date('due_date'),
    count: integer('count').notNull(),
    total: numeric('total').notNull(),
    balance: numeric('balance').notNull(),
    /** How many have a balance below 0. Their amount is the balance of the row: what is settled has no other. */
    creditCount: integer('credit_count').notNull(),
  },
  (t) => [
    unique('invoice_sums_place')
      .on(t.customerId, t.billingProfileId, t.issuer, t.platform, t.currency, t.month, t.dueDate)
      .nullsNotDistinct(),
    check('invoice_sums_month', sql`extract(day from ${t.month}) = 1`),
  ],
)
