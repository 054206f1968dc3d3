import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { visibleTo } from '#lib/billing/invoices/selection.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import type { Part, Payable, PaymentKind } from './rules.ts'

/** Values of a new row of `payments`; the amount is exact decimal text with its sign. */
export type NewRow = {
  id: string
  kind: PaymentKind
  paidOn: string
  amount: string
  currency: string
  reference: string
  method?: string | undefined
  payer?: string | undefined
  endToEndId?: string | undefined
  remittance?: string | undefined
  /** Id of the payment that is refunded. */
  refundOf?: string | undefined
}

/** Payment as it is stored. */
export type StoredPayment = {
  id: string
  kind: PaymentKind
  paidOn: string
  amount: string
  currency: string
  reversedOn: string | null
  refundOf: string | null
}

/** Reads invoices with their payable amounts, by id, locked until the transaction ends. */
export async function readPayables(
  tx: Transaction,
  owner: { customerId: CustomerId; billingProfiles: readonly string[] },
  condition: SQL,
): Promise<Payable[]> {
  const { rows } = await tx.execute<Payable>(sql`
    SELECT id, ${wireIdOf('invoices', sql`${owner.customerId}`)} AS "wireId", billing_profile_id AS "billingProfileId", currency, document_state AS "documentState", invoice_date::text AS "invoiceDate",
      trim_scale(balance_amount)::text AS "balanceAmount",
      trim_scale(coalesce(payable_amount, balance_amount))::text AS "payableAmount"
    FROM invoices WHERE ${sql.join(visibleTo(owner), sql` AND `)} AND ${condition} ORDER BY id FOR NO KEY UPDATE`)
  return rows
}

export async function insertPayment(tx: Transaction, customerId: CustomerId, payment: NewRow): Promise<void> {
  const { id, kind, paidOn, amount, currency, reference, method, payer, endToEndId, remittance, refundOf } =
    payment
  await tx.execute(sql`
    INSERT INTO payments (customer_id, id, kind, paid_on, amount, currency, reference, method, payer, end_to_end_id,
      remittance, refund_of, entered_by)
    VALUES (${customerId}, ${id}, ${kind}, ${paidOn}, ${amount}, ${currency}, ${reference}, ${method ?? null},
      ${payer ?? null}, ${endToEndId ?? null}, ${remittance ?? null}, ${refundOf ?? null}, ${OPERATOR.name})`)
}

/** Adds entries to a payment. Their triggers move the invoices' balances. */
export async function insertEntries(
  tx: Transaction,
  customerId: CustomerId,
  {
    paymentId,
    parts,
    cause,
  }: { paymentId: string; parts: readonly Part[]; cause: 'applied' | 'assigned' | 'reversed' },
): Promise<void> {
  const { rows } = await tx.execute<{ position: number }>(sql`
    SELECT coalesce(max(position), 0)::int AS position FROM payment_entries
    WHERE customer_id = ${customerId} AND payment_id = ${paymentId}`)
  const first = (rows[0]?.position ?? 0) + 1
  const values = parts.map(
    ({ invoiceId, amount, bookedOn }, at) =>
      sql`(${customerId}, ${paymentId}, ${first + at}::int, ${invoiceId}, ${amount}::numeric, ${bookedOn}::date, ${cause})`,
  )
  await tx
    .execute(sql`
      INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
      VALUES ${sql.join(values, sql`, `)}`)
    .catch((error: unknown) => {
      throw errorCode(error) === LEDGER_ERROR ? new Problem('invalid_request', messageOf(error)) : error
    })
}

/** SQLSTATE of an entry that the ledger's trigger refuses, with the reason as its message. */
const LEDGER_ERROR = 'PY001'

function messageOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if (errorCode(at) === LEDGER_ERROR && !(at.cause instanceof Error)) return at.message
  return String(error)
}

export async function findPayment(
  tx: Transaction,
  customerId: CustomerId,
  reference: string,
): Promise<StoredPayment | undefined> {
  const { rows } = await tx.execute<StoredPayment>(sql`
    SELECT id, kind, paid_on::text AS "paidOn", trim_scale(amount)::text AS amount, currency,
      reversed_on::text AS "reversedOn", refund_of AS "refundOf"
    FROM payments WHERE customer_id = ${customerId} AND reference = ${reference} FOR NO KEY UPDATE`)
  return rows[0]
}

/** Returns the credit that is left of a payment, less its refunds. */
export async function readCredit(tx: Transaction, customerId: CustomerId, id: string): Promise<string> {
  const { rows } = await tx.execute<{ credit: string }>(sql`
    SELECT trim_scale(coalesce(sum(e.amount), 0))::text AS credit
    FROM payments p JOIN payment_entries e ON e.customer_id = ${customerId} AND e.payment_id = p.id AND e.invoice_id IS NULL
    WHERE p.customer_id = ${customerId} AND (p.id = ${id} OR p.refund_of = ${id})`)
  return rows[0]?.credit ?? '0'
}

/** Returns whether the credit of a payment covers these parts on their days, and on each day after them. */
export async function hasCreditFor(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  parts: readonly Part[],
): Promise<boolean> {
  const used = JSON.stringify(parts.filter(({ invoiceId }) => invoiceId === null))
  const { rows } = await tx.execute<{ covered: boolean }>(sql`
    WITH used AS (SELECT * FROM json_to_recordset(${used}::json) AS u (amount numeric, "bookedOn" date)),
    moves AS (
      SELECT e.booked_on AS day, e.amount
      FROM payments p JOIN payment_entries e ON e.customer_id = ${customerId} AND e.payment_id = p.id AND e.invoice_id IS NULL
      WHERE p.customer_id = ${customerId} AND (p.id = ${id} OR p.refund_of = ${id})
      UNION ALL SELECT "bookedOn", amount FROM used)
    SELECT coalesce(bool_and(credit >= 0), true) AS covered
    FROM (SELECT day, sum(sum(amount)) OVER (ORDER BY day) AS credit FROM moves GROUP BY day) AS days
    WHERE day >= (SELECT min("bookedOn") FROM used)`)
  return rows[0]?.covered ?? false
}

/** Returns the invoices that a payment settles. */
export async function readPaidInvoices(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<Set<string>> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT invoice_id AS id FROM payment_entries
    WHERE customer_id = ${customerId} AND payment_id = ${id} AND invoice_id IS NOT NULL
    GROUP BY 1 HAVING sum(amount) <> 0`)
  return new Set(rows.map((row) => row.id))
}

/** Returns whether the credit of a payment was assigned to these parts; without an amount, to any part of the invoice. */
export async function isAssigned(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  parts: readonly { invoiceId: string; amount?: string | undefined }[],
): Promise<boolean> {
  const paidInvoices = await readPaidInvoices(tx, customerId, id)
  const { rows } = await tx.execute<{ invoiceId: string; amount: string }>(sql`
    SELECT invoice_id AS "invoiceId", trim_scale(amount)::text AS amount FROM payment_entries
    WHERE customer_id = ${customerId} AND payment_id = ${id} AND invoice_id IS NOT NULL AND cause = 'assigned'`)
  return parts.every(
    ({ invoiceId, amount }) =>
      paidInvoices.has(invoiceId) &&
      (amount === undefined ||
        rows.some((row) => row.invoiceId === invoiceId && new Exact(row.amount).eq(amount))),
  )
}
