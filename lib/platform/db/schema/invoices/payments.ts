import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, day, decimal, key } from '../columns.ts'
import { customers } from '../customers.ts'
import { invoices } from './invoices.ts'

/**
 * Payments, refunds and write-offs. Only the reversal of a row is ever added to it. The invoices that they settle are in
 * `payment_entries`.
 */
export const payments = pgTable(
  'payments',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    /**
     * `reported`: a balance of the issuer, from a file. `opening`: an amount that was settled before payments were
     * recorded. Triggers of `invoices` write both.
     */
    kind: text('kind', { enum: ['payment', 'refund', 'write-off', 'reported', 'opening'] }).notNull(),
    paidOn: day('paid_on').notNull(),
    /** Negative for refunds, and for reported amounts that raise a balance. */
    amount: decimal('amount').notNull(),
    currency: text('currency').notNull(),
    /** The bank's or the operator's; the same reference is never recorded twice. Null: reported and opening. */
    reference: key('reference'),
    method: text('method'),
    payer: text('payer'),
    endToEndId: text('end_to_end_id'),
    remittance: text('remittance'),
    /** The payment that a refund pays back in part. */
    refundOf: key('refund_of'),
    /** The invoice of a reported or opening row. */
    invoiceId: key('invoice_id'),
    enteredBy: text('entered_by').notNull(),
    reversedOn: day('reversed_on'),
    reversalReason: text('reversal_reason'),
    reversedBy: text('reversed_by'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('payments_newest').on(t.customerId, t.paidOn, t.id),
    // Most rows are as reported by an issuer, and imports write them: they are found by the index before.
    index('payments_kind_newest')
      .on(t.customerId, t.kind, t.paidOn, t.id)
      .where(sql`${t.kind} <> 'reported'`),
    uniqueIndex('payments_reference').on(t.customerId, t.reference).where(sql`${t.reference} IS NOT NULL`),
    index('payments_invoice').on(t.customerId, t.invoiceId).where(sql`${t.invoiceId} IS NOT NULL`),
    index('payments_refunds').on(t.customerId, t.refundOf).where(sql`${t.refundOf} IS NOT NULL`),
    foreignKey({ columns: [t.customerId, t.refundOf], foreignColumns: [t.customerId, t.id] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('payments_kind', sql`${t.kind} in ('payment', 'refund', 'write-off', 'reported', 'opening')`),
    check(
      'payments_amount',
      sql`case ${t.kind} when 'payment' then ${t.amount} > 0 when 'refund' then ${t.amount} < 0 else ${t.amount} <> 0 end`,
    ),
    check('payments_currency', sql`${t.currency} ~ '^[A-Z]{3}$'`),
    check(
      'payments_reference_given',
      sql`(${t.kind} in ('reported', 'opening')) = (${t.reference} is null) and (${t.kind} in ('reported', 'opening')) = (${t.invoiceId} is not null)`,
    ),
    check('payments_refund_of', sql`${t.refundOf} is null or ${t.kind} = 'refund'`),
    check('payments_reversed', sql`${t.reversedOn} >= ${t.paidOn}`),
  ],
)

/**
 * The ledger of payments: the part of each payment for each invoice, by day. Rows are only added; those of a
 * payment add up to its amount, or to 0 once it is reversed. `keep_settled_balances` of the migration `payments`, a
 * trigger, moves the invoices' balances.
 */
export const paymentEntries = pgTable(
  'payment_entries',
  {
    customerId: customerId(),
    paymentId: key('payment_id').notNull(),
    position: integer('position').notNull(),
    /** Null: the customer's credit. */
    invoiceId: key('invoice_id'),
    amount: decimal('amount').notNull(),
    bookedOn: day('booked_on').notNull(),
    /** `released`: the invoice was voided, and the amount is the customer's credit again. */
    cause: text('cause', { enum: ['applied', 'assigned', 'released', 'reversed'] }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.paymentId, t.position] }),
    index('payment_entries_invoice').on(t.customerId, t.invoiceId).where(sql`${t.invoiceId} IS NOT NULL`),
    index('payment_entries_credit').on(t.customerId, t.paymentId).where(sql`${t.invoiceId} IS NULL`),
    index('payment_entries_day').on(t.customerId, t.bookedOn, t.paymentId, t.position),
    foreignKey({
      columns: [t.customerId, t.paymentId],
      foreignColumns: [payments.customerId, payments.id],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('payment_entries_amount', sql`${t.amount} <> 0`),
    check('payment_entries_cause', sql`${t.cause} in ('applied', 'assigned', 'released', 'reversed')`),
  ],
)
