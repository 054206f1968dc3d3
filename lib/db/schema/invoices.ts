import { sql } from 'drizzle-orm'
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, sortable } from './columns.ts'
import { billingProfiles, customers } from './customers.ts'

/** Who sends a customer's invoices, with what the paper says of them. An invoice names its issuer by name. */
export const issuers = pgTable(
  'issuers',
  {
    customerId: customerId().references(() => customers.id),
    name: key('name').notNull(),
    /** One line of the address per line. */
    address: text('address'),
    taxId: text('tax_id'),
    bank: text('bank'),
    iban: text('iban'),
    bic: text('bic'),
    /** Of a bank without IBAN: account and routing number, in one line. */
    account: text('account'),
    /** What was agreed on payment, in words. */
    terms: text('terms'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.name] })],
)

export const invoices = pgTable(
  'invoices',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    platform: text('platform').notNull(),
    issuer: text('issuer').notNull(),
    invoiceDate: date('invoice_date').notNull(),
    dueDate: date('due_date').notNull(),
    currency: text('currency').notNull(),
    totalAmount: numeric('total_amount').notNull(),
    balanceAmount: numeric('balance_amount').notNull(),
    totalSort: sortable('total_sort', 'total_amount'),
    balanceSort: sortable('balance_sort', 'balance_amount'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('invoices_newest').on(t.customerId, t.invoiceDate, t.id),
    index('invoices_platform_newest').on(t.customerId, t.platform, t.invoiceDate, t.id),
    index('invoices_due').on(t.customerId, t.dueDate, t.id),
    index('invoices_total').on(t.customerId, t.totalSort, t.id),
    index('invoices_balance').on(t.customerId, t.balanceSort, t.id),
    index('invoices_arrived').on(t.customerId, t.createdAt, t.id),
    index('invoices_unsettled').on(t.customerId, t.dueDate, t.id).where(sql`${t.balanceAmount} <> 0`),
    index('invoices_statement')
      .on(t.customerId, t.currency, t.billingProfileId, t.dueDate, t.id)
      .where(sql`${t.balanceAmount} <> 0`),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    check('invoices_currency', sql`${t.currency} ~ '^[A-Z]{3}$'`),
    check('invoices_dates', sql`${t.dueDate} >= ${t.invoiceDate}`),
  ],
)

export const lineItems = pgTable(
  'line_items',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    position: integer('position').notNull(),
    type: text('type').notNull(),
    description: text('description').notNull(),
    /** Per unit. */
    price: numeric('price').notNull(),
    qty: numeric('qty').notNull(),
    currency: text('currency').notNull(),
    details: text('details'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
  ],
)
