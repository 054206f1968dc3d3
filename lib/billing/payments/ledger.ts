import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { recordPaymentEvent } from '#lib/platform/outbox/events.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { listPayments, type PaymentRow } from './read.ts'
import { type Allocation, decideAllocation, decideWriteOff, type Part, partsOf } from './rules.ts'
import {
  findPayment,
  hasCreditFor,
  insertEntries,
  insertPayment,
  isAssigned,
  readCredit,
  readPaidInvoices,
  readPayables,
  type StoredPayment,
} from './store.ts'

// The operator's writes. Each is idempotent by its reference, and runs under the lock of the customer's imports, which the
// caller holds; the triggers of the ledger lock payments and invoices as well.

/** Invoice by its id on the wire, and the amount for it; without an amount, as much as is open. */
export type InvoicePart = { id: string; amount?: string | undefined }

export type NewPayment = {
  kind: 'payment' | 'refund'
  paidOn: string
  /** Above 0, also for a refund. */
  amount: string
  currency: string
  reference: string
  method?: string | undefined
  payer?: string | undefined
  endToEndId?: string | undefined
  remittance?: string | undefined
  /** Reference of the payment that a refund pays back in part. */
  refundOf?: string | undefined
  invoices: readonly InvoicePart[]
}

/** Outcome of a write: the parts by invoice, and the customer's credit. */
export type Outcome = {
  what: 'recorded' | 'unchanged'
  parts: { id: string; amount: string }[]
  credit: string
  currency: string
}

/**
 * Records a payment or a refund, and settles invoices with it. The same reference again changes nothing.
 * @throws Problem `invalid_request` if the reference names another payment, or an invoice can't be settled
 */
export async function recordPayment(
  tx: Transaction,
  customerId: CustomerId,
  payment: NewPayment,
  requestId: string,
): Promise<Outcome> {
  const { kind, paidOn, currency, reference } = payment
  const amount = new Exact(payment.amount).times(kind === 'refund' ? -1 : 1).toFixed()
  const stored = await findPayment(tx, customerId, reference)
  if (stored) return unchanged(stored, { kind, paidOn, amount, currency }, reference)
  await checkDay(tx, paidOn)
  const refunded =
    payment.refundOf === undefined ? undefined : await requirePayment(tx, customerId, payment.refundOf)
  if (refunded) checkRefund(refunded, payment)
  const targets = await readTargets(tx, customerId, payment.invoices)
  const allocation = requireAllowed(decideAllocation(amount, currency, targets))
  if (kind === 'refund' && !refunded && !new Exact(allocation.rest).eq(0))
    throw invalid('A refund pays back a credit note (--invoice) or the credit of a payment (--refund-of).')
  const id = randomUUID()
  await insertPayment(tx, customerId, { ...payment, id, amount, refundOf: refunded?.id })
  await insertEntries(tx, customerId, { paymentId: id, parts: partsOf(allocation, paidOn), cause: 'applied' })
  recordEvents(tx, customerId, id, allocation)
  const outcome = outcomeOf(allocation, currency)
  await record(tx, customerId, {
    action: kind === 'refund' ? 'payment.refunded' : 'payment.added',
    subject: reference,
    requestId,
    details: { ...detailsOf(outcome), amount: payment.amount, currency, paidOn },
  })
  return outcome
}

/**
 * Settles invoices with the credit that is left of a payment.
 * @throws Problem `invalid_request` if nothing is left of it, or an invoice can't be settled
 */
export async function assignCredit(
  tx: Transaction,
  customerId: CustomerId,
  {
    reference,
    invoices,
    day,
  }: { reference: string; invoices: readonly InvoicePart[]; day?: string | undefined },
  requestId: string,
): Promise<Outcome> {
  const payment = await requirePayment(tx, customerId, reference)
  if (payment.kind !== 'payment' || payment.reversedOn)
    throw invalid(
      `"${reference}" is ${payment.reversedOn ? 'reversed' : `a ${payment.kind}`}: nothing can be assigned.`,
    )
  const credit = await readCredit(tx, customerId, payment.id)
  const targets = await readTargets(tx, customerId, invoices)
  const requested = targets.map(({ invoice, amount }) => ({ invoiceId: invoice.id, amount }))
  // Without an amount, an invoice has its part if nothing of it is open.
  const hasNoneLeft = targets.every(
    ({ invoice, amount }) => amount !== undefined || new Exact(invoice.payableAmount).lte(0),
  )
  if (hasNoneLeft && (await isAssigned(tx, customerId, payment.id, requested)))
    return { what: 'unchanged', parts: [], credit, currency: payment.currency }
  if (new Exact(credit).eq(0)) {
    const paidInvoices = await readPaidInvoices(tx, customerId, payment.id)
    if (!targets.every(({ invoice }) => paidInvoices.has(invoice.id)))
      throw invalid(`Nothing is left to assign of "${reference}".`)
    return { what: 'unchanged', parts: [], credit, currency: payment.currency }
  }
  const bookedOn = latest(day ?? (await readToday(tx)), payment.paidOn)
  await checkDay(tx, bookedOn)
  const allocation = requireAllowed(decideAllocation(credit, payment.currency, targets))
  if (allocation.parts.length === 0) throw invalid('Nothing is open of these invoices.')
  const parts = partsOf(allocation, bookedOn, { isCredit: true })
  if (!(await hasCreditFor(tx, customerId, payment.id, parts)))
    throw invalid(`"${reference}" has less credit than that on ${bookedOn}: give a later day.`)
  await insertEntries(tx, customerId, { paymentId: payment.id, parts, cause: 'assigned' })
  recordEvents(tx, customerId, payment.id, allocation)
  const outcome = outcomeOf(allocation, payment.currency)
  await record(tx, customerId, {
    action: 'payment.assigned',
    subject: reference,
    requestId,
    details: detailsOf(outcome),
  })
  return outcome
}

/**
 * Reverses a payment, a refund or a write-off: its rows stay, and each entry is booked back.
 * @returns false if it is reversed already
 * @throws Problem `not_found`, or `invalid_request` if the issuer reported it or a part of it was refunded
 */
export async function reversePayment(
  tx: Transaction,
  customerId: CustomerId,
  { reference, reason, day }: { reference: string; reason: string; day?: string | undefined },
  requestId: string,
): Promise<boolean> {
  const payment = await requirePayment(tx, customerId, reference)
  if (payment.reversedOn) return false
  const refunds = await tx.execute<{ reference: string }>(sql`
    SELECT reference FROM payments
    WHERE customer_id = ${customerId} AND refund_of = ${payment.id} AND reversed_on IS NULL ORDER BY reference LIMIT 1`)
  const [refund] = refunds.rows
  if (refund) throw invalid(`"${reference}" is refunded by "${refund.reference}": reverse that one first.`)
  const reversalDay = day ?? (await readToday(tx))
  await checkDay(tx, reversalDay)
  if (reversalDay < payment.paidOn)
    throw invalid(`"${reference}" is of ${payment.paidOn}: it can't be reversed before.`)
  // An entry of a later day is booked back on that day, so that nothing counts from the reversal on.
  const { rows: parts } = await tx.execute<Part>(sql`
    SELECT invoice_id AS "invoiceId", (-sum(amount))::text AS amount, greatest(booked_on, ${reversalDay}::date)::text AS "bookedOn"
    FROM payment_entries WHERE customer_id = ${customerId} AND payment_id = ${payment.id}
    GROUP BY 1, 3 HAVING sum(amount) <> 0 ORDER BY 3, 1`)
  await tx.execute(sql`
    UPDATE payments SET reversed_on = ${reversalDay}::date, reversal_reason = ${reason}, reversed_by = ${OPERATOR.name}
    WHERE customer_id = ${customerId} AND id = ${payment.id}`)
  await insertEntries(tx, customerId, { paymentId: payment.id, parts, cause: 'reversed' })
  const { currency, amount } = payment
  await record(tx, customerId, {
    action: 'payment.reversed',
    subject: reference,
    requestId,
    details: { amount, currency, reason },
  })
  return true
}

/**
 * Writes off the open amount of an invoice, up to the limit of its currency.
 * @param limits largest amounts by currency, as exact decimal text
 * @throws Problem `invalid_request` above the limit, or if nothing is open
 */
export async function writeOff(
  tx: Transaction,
  customerId: CustomerId,
  {
    invoice: id,
    reference,
    day,
    limits,
  }: { invoice: string; reference: string; day?: string | undefined; limits: ReadonlyMap<string, string> },
  requestId: string,
): Promise<Outcome> {
  const [target] = await readTargets(tx, customerId, [{ id }])
  const invoice = target?.invoice
  if (!invoice) throw new Problem('not_found', `There is no invoice "${id}".`)
  const stored = await findPayment(tx, customerId, reference)
  if (stored) {
    const paidInvoices = await readPaidInvoices(tx, customerId, stored.id)
    if (stored.kind !== 'write-off' || !paidInvoices.has(invoice.id)) throw usedReference(reference, stored)
    return { what: 'unchanged', parts: [], credit: '0', currency: stored.currency }
  }
  const decision = decideWriteOff(invoice, limits)
  if (!decision.allowed) throw invalid(decision.reason)
  const paidOn = day ?? (await readToday(tx))
  await checkDay(tx, paidOn)
  const { amount } = decision
  const { currency } = invoice
  const payment = { id: randomUUID(), kind: 'write-off' as const, paidOn, amount, currency, reference }
  await insertPayment(tx, customerId, payment)
  const bookedOn = latest(paidOn, invoice.invoiceDate)
  await insertEntries(tx, customerId, {
    paymentId: payment.id,
    parts: [{ invoiceId: invoice.id, amount, bookedOn }],
    cause: 'applied',
  })
  const parts = [{ id: invoice.wireId, amount }]
  await record(tx, customerId, {
    action: 'invoice.written-off',
    subject: invoice.wireId,
    requestId,
    details: { amount, currency, reference },
  })
  return { what: 'recorded', parts, credit: '0', currency }
}

/** Most payments of one list for an operator. */
const MAX_ROWS = 10_000

/**
 * Lists a customer's payments for an operator, the newest first.
 * @param options.invoice id on the wire of the only invoice whose payments are listed
 * @throws Problem `not_found` for an unknown invoice
 */
export async function listAllPayments(
  tx: Transaction,
  customerId: CustomerId,
  { unassigned = false, invoice }: { unassigned?: boolean; invoice?: string },
): Promise<PaymentRow[]> {
  const billingProfiles = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const owner = { customerId, billingProfiles }
  const key = invoice === undefined ? undefined : await findKey(tx, owner, invoice)
  if (invoice !== undefined && key === undefined)
    throw new Problem('not_found', `There is no invoice "${invoice}".`)
  const filter = {
    ...(unassigned ? { state: ['unassigned'] } : {}),
    ...(key === undefined ? {} : { invoice: [key] }),
  }
  return listPayments(tx, owner, { filter }, { limit: MAX_ROWS })
}

/** Reads invoices for an operator, locked until the transaction ends. @throws Problem `not_found` */
async function readTargets(tx: Transaction, customerId: CustomerId, invoices: readonly InvoicePart[]) {
  if (invoices.length === 0) return []
  const billingProfiles = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const keys: string[] = []
  for (const { id } of invoices) {
    const key = await findKey(tx, { customerId, billingProfiles }, id)
    if (key === undefined) throw new Problem('not_found', `There is no invoice "${id}".`)
    if (keys.includes(key)) throw invalid(`Invoice ${id} is named twice.`)
    keys.push(key)
  }
  const payables = await readPayables(
    tx,
    { customerId, billingProfiles },
    sql`id = ANY (${sql.param(keys)}::text[])`,
  )
  return keys.flatMap((key, at) => {
    const invoice = payables.find(({ id }) => id === key)
    return invoice ? [{ invoice, amount: invoices[at]?.amount }] : []
  })
}

async function requirePayment(
  tx: Transaction,
  customerId: CustomerId,
  reference: string,
): Promise<StoredPayment> {
  const payment = await findPayment(tx, customerId, reference)
  if (!payment) throw new Problem('not_found', `There is no payment with the reference "${reference}".`)
  return payment
}

async function checkDay(tx: Transaction, day: string): Promise<void> {
  const now = await readToday(tx)
  if (day > now) throw invalid(`${day} is in the future: today is ${now} in UTC.`)
}

function checkRefund(refunded: StoredPayment, { currency, paidOn, refundOf, invoices }: NewPayment): void {
  if (refunded.kind !== 'payment' || refunded.reversedOn)
    throw invalid(
      `"${refundOf}" is ${refunded.reversedOn ? 'reversed' : `a ${refunded.kind}`}: it can't be refunded.`,
    )
  if (refunded.currency !== currency)
    throw invalid(`"${refundOf}" is in ${refunded.currency}, not in ${currency}.`)
  if (paidOn < refunded.paidOn)
    throw invalid(`"${refundOf}" is of ${refunded.paidOn}: it can't be refunded before.`)
  if (invoices.length > 0) throw invalid('Give a credit note or a payment to refund, not both.')
}

function unchanged(
  stored: StoredPayment,
  expected: Pick<StoredPayment, 'kind' | 'paidOn' | 'amount' | 'currency'>,
  reference: string,
): Outcome {
  const isSame =
    stored.kind === expected.kind &&
    stored.paidOn === expected.paidOn &&
    stored.currency === expected.currency &&
    new Exact(stored.amount).eq(expected.amount)
  if (!isSame) throw usedReference(reference, stored)
  return { what: 'unchanged', parts: [], credit: '0', currency: stored.currency }
}

function usedReference(reference: string, { kind, amount, currency, paidOn }: StoredPayment): Problem {
  return invalid(`The reference "${reference}" has a ${kind} of ${amount} ${currency} of ${paidOn} already.`)
}

function requireAllowed(allocation: Allocation): Extract<Allocation, { allowed: true }> {
  if (!allocation.allowed) throw invalid(allocation.reason)
  return allocation
}

function outcomeOf({ parts, rest }: Extract<Allocation, { allowed: true }>, currency: string): Outcome {
  const byInvoice = parts.map(({ invoice, amount }) => ({ id: invoice.wireId, amount }))
  return { what: 'recorded', parts: byInvoice, credit: rest, currency }
}

function detailsOf({ parts, credit }: Outcome) {
  return { invoices: parts.map(({ id, amount }) => `${id}: ${amount}`), credit }
}

function record(
  tx: Transaction,
  customerId: CustomerId,
  event: {
    action: string
    subject: string
    requestId: string
    details: Record<string, string | string[]>
  },
): Promise<void> {
  return recordAudit(tx, customerId, { ...event, actor: OPERATOR })
}

/** Writes the webhooks' event of each invoice that a payment settles. */
function recordEvents(
  tx: Transaction,
  customerId: CustomerId,
  paymentId: string,
  { parts }: { parts: readonly { invoice: { id: string; billingProfileId: string } }[] },
): void {
  for (const { invoice } of parts)
    recordPaymentEvent(tx, customerId, {
      paymentId,
      invoiceId: invoice.id,
      billingProfileId: invoice.billingProfileId,
    })
}

const latest = (a: string, b: string) => (a > b ? a : b)

function invalid(text: string): Problem {
  return new Problem('invalid_request', text)
}
