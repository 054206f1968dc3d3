import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { bytea, createdAt, customerId, day, decimal, key, sortable } from '../columns.ts'
import { billingProfiles, customers } from '../customers.ts'
import { imports } from '../imports.ts'
import { parties } from './parties.ts'
import { invoicePosting, linePosting } from './posting.ts'

export const invoices = pgTable(
  'invoices',
  {
    customerId: customerId().references(() => customers.id),
    /** On the wire, for ever: the number, where no other of the customer's invoices had it first. */
    id: key('id').notNull(),
    /** As its issuer numbers it; of one issuer, no two that are not voided have the same. */
    number: key('number').notNull(),
    /** False: its issuer gave no number, and we made one of its account, period and currency. */
    isNumbered: boolean('is_numbered').notNull().default(true),
    documentState: text('document_state', { enum: ['draft', 'issued', 'voided'] })
      .notNull()
      .default('issued'),
    /** An issued invoice, or a summary of charges without a document of the vendor. */
    form: text('form', { enum: ['invoice', 'summary'] })
      .notNull()
      .default('invoice'),
    billingProfileId: key('billing_profile_id').notNull(),
    platform: text('platform').notNull(),
    issuer: key('issuer').notNull(),
    invoiceDate: day('invoice_date').notNull(),
    dueDate: day('due_date').notNull(),
    currency: text('currency').notNull(),
    totalAmount: decimal('total_amount').notNull(),
    balanceAmount: decimal('balance_amount').notNull(),
    /**
     * What can be paid of the balance, or is left of a credit, where that is another amount: in whole minor units, and less
     * the credit notes that are set off against the invoice. `keep_payable_amounts` of the migration `payable-amounts`, a
     * trigger of `invoices`, writes it. Null: the balance itself.
     */
    payableAmount: decimal('payable_amount'),
    totalSort: sortable('total_sort', 'total_amount'),
    balanceSort: sortable('balance_sort', 'balance_amount'),
    /** The issuer's account of the customer, and the period that is billed; the end is exclusive. */
    billingAccount: key('billing_account'),
    periodStart: day('period_start'),
    periodEnd: day('period_end'),
    /** The number of the same issuer's invoice that this credit note or correction refers to. */
    corrects: key('corrects'),
    ...invoicePosting(),
    /** The invoice that came into the place of this voided one. */
    replacedBy: key('replaced_by'),
    /** The day on which an issued invoice was voided. Null: it was never owed, or was voided before this was kept. */
    voidedOn: day('voided_on'),
    /** Imported for the record only: without reminders. */
    isHistory: boolean('is_history').notNull().default(false),
    /** Import that added the invoice; null: from before imports were recorded. */
    importId: key('import_id'),
    /** Seller and buyer at the time of the import, or when the draft was issued. */
    sellerId: key('seller_id').notNull(),
    buyerId: key('buyer_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('invoices_newest').on(t.customerId, t.invoiceDate, t.id),
    index('invoices_platform_newest').on(t.customerId, t.platform, t.invoiceDate, t.id),
    index('invoices_due').on(t.customerId, t.dueDate, t.id),
    index('invoices_total').on(t.customerId, t.totalSort, t.id),
    index('invoices_balance').on(t.customerId, t.balanceSort, t.id),
    // Without the id: rows of one import have one time, which a btree stores once (deduplication).
    index('invoices_by_arrival').on(t.customerId, t.createdAt).concurrently(),
    index('invoices_unsettled').on(t.customerId, t.dueDate, t.id).where(sql`${t.balanceAmount} <> 0`),
    index('invoices_statement')
      .on(t.customerId, t.currency, t.billingProfileId, t.dueDate, t.id)
      .where(sql`${t.balanceAmount} <> 0`),
    // Of the voided ones, each may have the number of another.
    uniqueIndex('invoices_number').on(
      t.customerId,
      t.issuer,
      t.number,
      sql`(case when ${t.documentState} = 'voided' then ${t.id} else '' end)`,
    ),
    // What bills a period of an account, by whatever issuer.
    index('invoices_account')
      .on(t.customerId, t.billingAccount, t.periodStart, t.issuer, t.isNumbered)
      .where(sql`${t.billingAccount} IS NOT NULL`)
      .concurrently(),
    index('invoices_not_issued')
      .on(t.customerId, t.invoiceDate, t.id)
      .where(sql`${t.documentState} <> 'issued'`),
    index('invoices_payable')
      .on(t.customerId, t.invoiceDate, t.id)
      .where(sql`${t.payableAmount} IS NOT NULL`)
      .concurrently(),
    index('invoices_correcting').on(t.customerId, t.issuer, t.corrects).where(sql`${t.corrects} IS NOT NULL`),
    index('invoices_replaced').on(t.customerId, t.replacedBy).where(sql`${t.replacedBy} IS NOT NULL`),
    foreignKey({ columns: [t.customerId, t.replacedBy], foreignColumns: [t.customerId, t.id] }),
    foreignKey({ columns: [t.customerId, t.importId], foreignColumns: [imports.customerId, imports.id] }),
    foreignKey({ columns: [t.customerId, t.sellerId], foreignColumns: [parties.customerId, parties.id] }),
    foreignKey({ columns: [t.customerId, t.buyerId], foreignColumns: [parties.customerId, parties.id] }),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    check('invoices_currency', sql`${t.currency} ~ '^[A-Z]{3}$'`),
    check('invoices_state', sql`${t.documentState} in ('draft', 'issued', 'voided')`),
    check('invoices_form', sql`${t.form} in ('invoice', 'summary')`),
    check('invoices_owed', sql`${t.documentState} = 'issued' or ${t.balanceAmount} = 0`),
    check('invoices_replaced_by', sql`${t.documentState} = 'voided' or ${t.replacedBy} is null`),
    check('invoices_period', sql`${t.periodStart} < ${t.periodEnd}`),
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
    price: decimal('price').notNull(),
    qty: decimal('qty').notNull(),
    currency: text('currency').notNull(),
    details: text('details'),
    ...linePosting(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
  ],
)

/**
 * Calculation of a reseller's price of a line, for operators only: the database roles for customers' requests have no
 * privilege on it.
 */
export const linePrices = pgTable(
  'line_prices',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    position: integer('position').notNull(),
    /** Text of the rule: `+8 %`, `4.50 each`, `ListCost`. */
    rule: text('rule').notNull(),
    /** What the vendor billed for the line, exactly. */
    billedCost: decimal('billed_cost').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId, t.position],
      foreignColumns: [lineItems.customerId, lineItems.invoiceId, lineItems.position],
    }).onDelete('cascade'),
  ],
)

/** Documents of an invoice, with the bytes of their first creation or arrival; never overwritten. */
export const invoiceFiles = pgTable(
  'invoice_files',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    /** Origin: rendered by us, the issuer's PDF or XML, or rendered again because the first rendering was wrong. */
    kind: key('kind').notNull(),
    /** File name of the issuer's document. */
    name: text('name'),
    /** SHA-256 of the bytes, in hexadecimal digits. */
    digest: text('digest').notNull(),
    bytes: bytea('bytes').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.kind] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('invoice_files_kind', sql`${t.kind} in ('drawn', 'redrawn', 'original-pdf', 'original-xml')`),
  ],
)

/**
 * Sums of a customer's issued invoices, so that requests don't aggregate all invoices. Maintained by triggers of
 * `invoices` for all writers: `keep_invoice_sums` of the migration `invoice-sums`. A migration that changes invoices
 * must therefore bypass row-level security on both tables. Without foreign keys: each row is derived from invoices,
 * which have them.
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
    month: day('month').notNull(),
    /** Of invoices that are to be paid by then; null: of settled ones, whose balance is 0 or below. */
    dueDate: day('due_date'),
    count: integer('count').notNull(),
    total: decimal('total').notNull(),
    balance: decimal('balance').notNull(),
    /**
     * Number of invoices with a negative balance. Their amount is the balance of the row, because paid invoices have
     * none.
     */
    creditCount: integer('credit_count').notNull(),
  },
  (t) => [
    unique('invoice_sums_place')
      .on(t.customerId, t.billingProfileId, t.issuer, t.platform, t.currency, t.month, t.dueDate)
      .nullsNotDistinct(),
    check('invoice_sums_month', sql`extract(day from ${t.month}) = 1`),
  ],
)

/**
 * Search tokens of invoices: for each number and purchase order, the suffix from each character on, so that any
 * substring is the prefix of a token, which a btree finds. By month, so that a search reads the newest months first.
 * Maintained by triggers of `invoices` for all writers: `keep_invoice_tokens` of the migration `invoice-orders`. A
 * token may be outdated: each search compares the invoice, too.
 */
export const invoiceTokens = pgTable(
  'invoice_tokens',
  {
    customerId: customerId(),
    /** The first day of the month of the invoice's date. */
    month: day('month').notNull(),
    /** At most 12 characters in lower case; with a leading `^` at the start of a text. */
    token: key('token').notNull(),
    invoiceId: key('invoice_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.month, t.token, t.invoiceId] })],
)
