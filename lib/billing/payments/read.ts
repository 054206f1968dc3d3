import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { type Owner, preparedForOwner, visibleTo } from '#lib/billing/invoices/selection.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value, written } from '#lib/platform/db/prepared-queries.ts'
import { type Cursor, type KeyColumn, pageByKey } from '#lib/platform/lists/paging.ts'
import type { PaymentKind } from './rules.ts'

/** Payments that are asked for, among those that the caller may see; days `YYYY-MM-DD`, both inclusive. */
export type PaymentSelection = {
  filter?:
    | Partial<Record<'kind' | 'currency' | 'state' | 'invoice', readonly string[] | undefined>>
    | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Part of a payment that settles an invoice; the amount is exact decimal text. */
export type PaymentPart = { id: string; wireId: string; number: string; amount: string; bookedOn: string }

/** Payment as a caller may see it. Amounts are exact decimal text, days `YYYY-MM-DD`. */
export type PaymentRow = {
  id: string
  kind: PaymentKind
  paidOn: string
  amount: string
  currency: string
  reference: string | null
  method: string | null
  payer: string | null
  endToEndId: string | null
  remittance: string | null
  refundOf: string | null
  enteredBy: string
  reversedOn: string | null
  reversalReason: string | null
  parts: PaymentPart[]
  /** The part that is the customer's credit. */
  credit: string
  /** Whether the caller sees all that the payment settles. */
  isWhole: boolean
}

/** Payment of one invoice; `amount` is the part for that invoice. */
export type InvoicePaymentRow = Pick<
  PaymentRow,
  'id' | 'kind' | 'amount' | 'reference' | 'method' | 'reversedOn' | 'reversalReason'
> & { bookedOn: string }

const KEY: KeyColumn[] = [
  { column: sql`p.paid_on`, read: (text) => sql`${text}::date` },
  { column: sql`p.id` },
]

/** Returns the sort key of a payment, for page tokens. */
export function keyOf({ paidOn, id }: PaymentRow): string[] {
  return [paidOn, id]
}

/** Condition that the caller sees all billing profiles of the customer, and so payments without an invoice. */
export function seesAll({ customerId, billingProfiles }: Owner): SQL<boolean> {
  return sql`(SELECT NOT EXISTS (SELECT FROM billing_profiles b
    WHERE b.customer_id = ${customerId} AND NOT b.id = ANY (${sql.param([...billingProfiles])}::text[])))`
}

/** The entries of a payment, but for those of its reversal. */
const entriesOf = (payment: SQL, customerId: Owner['customerId']) => sql`
  payment_entries e WHERE e.customer_id = ${customerId} AND e.payment_id = ${payment} AND e.cause <> 'reversed'`

/** Lists payments, the newest first. */
export async function listPayments(
  tx: Transaction,
  owner: Owner,
  selection: PaymentSelection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
): Promise<PaymentRow[]> {
  const { customerId } = owner
  const { beyond } = pageByKey(KEY, cursor)
  const direction = cursor?.direction === 'newer' ? sql`asc` : sql`desc`
  const isVisible = sql.join(visibleTo(owner), sql` AND `)
  const access = await tx.execute<{ all: boolean }>(sql`SELECT ${seesAll(owner)} AS all`)
  const isUnlimited = access.rows[0]?.all === true
  const hasVisibleInvoice = sql`EXISTS (
    SELECT FROM ${entriesOf(sql`p.id`, customerId)} AND EXISTS (SELECT FROM invoices WHERE ${isVisible} AND invoices.id = e.invoice_id))`
  const { rows } = await tx.execute<PaymentRow>(sql`
    SELECT p.id, p.kind, p.paid_on::text AS "paidOn", trim_scale(p.amount)::text AS amount, p.currency, p.reference,
      p.method, p.payer, p.end_to_end_id AS "endToEndId", p.remittance, p.entered_by AS "enteredBy",
      (SELECT r.reference FROM payments r WHERE r.customer_id = ${customerId} AND r.id = p.refund_of) AS "refundOf",
      p.reversed_on::text AS "reversedOn", p.reversal_reason AS "reversalReason",
      coalesce(settled.parts, '[]') AS parts, trim_scale(rest.credit)::text AS credit,
      ${isUnlimited} OR (NOT rest.has_credit AND rest.count = coalesce(settled.count, 0)) AS "isWhole"
    FROM (
      SELECT p.* FROM payments p WHERE ${sql.join(conditionsOf(owner, selection, isUnlimited), sql` AND `)}
        ${isUnlimited ? sql`` : sql`AND ${hasVisibleInvoice}`} ${beyond ? sql`AND ${beyond}` : sql``}
      ORDER BY p.paid_on ${direction}, p.id ${direction} LIMIT ${limit}) AS p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount) FILTER (WHERE invoice_id IS NULL AND p.reversed_on IS NULL), 0) AS credit,
        coalesce(bool_or(invoice_id IS NULL), false) AS has_credit,
        count(*) FILTER (WHERE invoice_id IS NOT NULL)::int AS count
      FROM (SELECT e.invoice_id, sum(e.amount) AS amount FROM ${entriesOf(sql`p.id`, customerId)}
        GROUP BY 1 HAVING sum(e.amount) <> 0) AS nets) AS rest
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, json_agg(json_build_object('id', invoices.id, 'wireId', ${wireIdOf('invoices', sql`${customerId}`)},
          'number', invoices.number, 'amount', trim_scale(nets.amount)::text, 'bookedOn', nets.booked_on::text)
          ORDER BY nets.booked_on, invoices.id) AS parts
      FROM (SELECT e.invoice_id, sum(e.amount) AS amount, max(e.booked_on) AS booked_on
        FROM ${entriesOf(sql`p.id`, customerId)} AND e.invoice_id IS NOT NULL
        GROUP BY 1 HAVING sum(e.amount) <> 0) AS nets
      JOIN invoices ON ${isVisible} AND invoices.id = nets.invoice_id) AS settled
    ORDER BY p.paid_on ${direction}, p.id ${direction}`)
  return rows
}

function conditionsOf(
  { customerId }: Owner,
  { filter, from, to }: PaymentSelection,
  isUnlimited: boolean,
): SQL[] {
  const among = (column: SQL, values: readonly string[]) =>
    sql`${column} = ANY (${sql.param([...values])}::text[])`
  const conditions: (SQL | undefined)[] = [
    sql`p.customer_id = ${customerId}`,
    filter?.kind && among(sql`p.kind`, filter.kind),
    // For the index of the others.
    filter?.kind && !filter.kind.includes('reported') ? sql`p.kind <> 'reported'` : undefined,
    filter?.currency && among(sql`p.currency`, filter.currency),
    filter?.state &&
      sql`(${sql.join(
        filter.state.map((state) => ofState(state, customerId, isUnlimited)),
        sql` OR `,
      )})`,
    filter?.invoice &&
      sql`p.id IN (SELECT e.payment_id FROM payment_entries e
        WHERE e.customer_id = ${customerId} AND ${among(sql`e.invoice_id`, filter.invoice)})`,
    from === undefined ? undefined : sql`p.paid_on >= ${from}::date`,
    to === undefined ? undefined : sql`p.paid_on <= ${to}::date`,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

function ofState(state: string, customerId: Owner['customerId'], isUnlimited: boolean): SQL {
  if (state === 'reversed') return sql`p.reversed_on IS NOT NULL`
  if (state === 'recorded') return sql`p.reversed_on IS NULL`
  // Whether a payment has credit is for callers who see that credit.
  if (!isUnlimited) return sql`false`
  return sql`(p.reversed_on IS NULL AND p.kind = 'payment' AND p.id IN (
    SELECT coalesce(r.refund_of, r.id) FROM payment_entries e JOIN payments r
      ON r.customer_id = ${customerId} AND r.id = e.payment_id
    WHERE e.customer_id = ${customerId} AND e.invoice_id IS NULL GROUP BY 1 HAVING sum(e.amount) <> 0))`
}

/** Customer's credit in one currency, exact decimal text. */
export type Credit = { currency: string; amount: string }

/** Adds up the parts of payments that settle no invoice, by currency; none for callers of some billing profiles only. */
export async function sumCredits(
  tx: Transaction,
  owner: Owner,
  currencies?: readonly string[],
): Promise<Credit[]> {
  const { customerId } = owner
  const { rows } = await tx.execute<Credit>(sql`
    SELECT p.currency, trim_scale(sum(e.amount))::text AS amount
    FROM payment_entries e JOIN payments p ON p.customer_id = ${customerId} AND p.id = e.payment_id
    WHERE e.customer_id = ${customerId} AND e.invoice_id IS NULL AND ${seesAll(owner)}
      ${currencies ? sql`AND p.currency = ANY (${sql.param([...currencies])}::text[])` : sql``}
    GROUP BY 1 HAVING sum(e.amount) <> 0 ORDER BY 1`)
  return rows
}

const paymentsOf = preparedForOwner<{ rows: InvoicePaymentRow[] }>((tx, owner) => {
  const { customerId } = owner
  const invoiceId = value('invoice')
  return written(
    tx,
    sql`
    SELECT p.id, p.kind, trim_scale(sum(e.amount))::text AS amount, p.reference, p.method,
      p.reversed_on::text AS "reversedOn", p.reversal_reason AS "reversalReason", max(e.booked_on)::text AS "bookedOn"
    FROM payment_entries e JOIN payments p ON p.customer_id = ${customerId} AND p.id = e.payment_id
    WHERE e.customer_id = ${customerId} AND e.invoice_id = ${invoiceId} AND e.cause <> 'reversed'
      AND EXISTS (SELECT FROM invoices WHERE ${sql.join(visibleTo(owner), sql` AND `)} AND invoices.id = ${invoiceId})
    GROUP BY p.customer_id, p.id HAVING sum(e.amount) <> 0
    ORDER BY max(e.booked_on), p.created_at, p.id`,
  )
})

/** Lists the payments of an invoice that the caller may see, oldest first; reversed ones with their reversal. */
export async function listInvoicePayments(
  tx: Transaction,
  owner: Owner,
  invoiceId: string,
): Promise<InvoicePaymentRow[]> {
  const { rows } = await paymentsOf(tx, owner, { invoice: invoiceId })
  return rows
}
