import { randomUUID } from 'node:crypto'
import {
  assignCredit,
  type InvoicePart,
  type Outcome,
  recordPayment,
  reversePayment,
  writeOff,
} from '#lib/billing/payments/ledger.ts'
import { paymentSettings } from '#lib/billing/payments/settings.ts'
import { isDay } from '#lib/imports/payments/transaction.ts'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { amountError, decimalOf } from '#lib/platform/values/decimals.ts'
import { checkedText, customerNamed } from '../command.ts'
import { interruption, note, UsageError } from '../terminal.ts'

type Add = {
  customer: string
  date: string
  amount: string
  currency: string
  reference: string
  invoice?: string[]
  method?: string
  payer?: string
  note?: string
  refund?: boolean
  refundOf?: string
}

export async function add(options: Add): Promise<void> {
  const currency = currencyOf(options.currency)
  const payment = {
    kind: options.refund || options.refundOf !== undefined ? ('refund' as const) : ('payment' as const),
    paidOn: dayOption(options.date),
    amount: amountOf(options.amount, currency),
    currency,
    reference: checkedText('reference', options.reference),
    method: options.method && checkedText('method', options.method, 100),
    payer: options.payer && checkedText('payer', options.payer, 300),
    remittance: options.note && checkedText('note', options.note, 2000),
    refundOf: options.refundOf,
    invoices: (options.invoice ?? []).map((text) => partOf(text, currency)),
  }
  const outcome = await inLedger(options.customer, (tx, customerId) =>
    recordPayment(tx, customerId, payment, randomUUID()),
  )
  report(payment.reference, outcome)
}

export async function assign(
  reference: string,
  { customer, invoice, date }: { customer: string; invoice: string[]; date?: string },
): Promise<void> {
  const day = date === undefined ? undefined : dayOption(date)
  const outcome = await inLedger(customer, (tx, customerId) =>
    assignCredit(
      tx,
      customerId,
      { reference, invoices: invoice.map((text) => partOf(text)), day },
      randomUUID(),
    ),
  )
  report(reference, outcome)
}

export async function reverse(
  reference: string,
  { customer, reason, date }: { customer: string; reason: string; date?: string },
): Promise<void> {
  const day = date === undefined ? undefined : dayOption(date)
  const reversal = { reference, reason: checkedText('reason', reason, 500), day }
  const isReversed = await inLedger(customer, (tx, customerId) =>
    reversePayment(tx, customerId, reversal, randomUUID()),
  )
  note(isReversed ? `${reference} is reversed.` : `${reference} was reversed before: nothing was changed.`)
}

export async function writeOffRest(
  invoice: string,
  { customer, reference, date }: { customer: string; reference: string; date?: string },
): Promise<void> {
  const day = date === undefined ? undefined : dayOption(date)
  const { writeOffLimits: limits } = paymentSettings()
  const outcome = await inLedger(customer, (tx, customerId) =>
    writeOff(
      tx,
      customerId,
      { invoice, reference: checkedText('reference', reference), day, limits },
      randomUUID(),
    ),
  )
  report(reference, outcome)
}

/** Runs a write under the lock of the customer's imports, which payments share. */
export async function inLedger<T>(
  customer: string,
  work: (tx: Transaction, customerId: CustomerId) => Promise<T>,
): Promise<T> {
  const { customerId } = await customerNamed(customer)
  return scope({ customerId }, async (tx) => {
    await lockImports(tx, customerId, { signal: interruption.signal })
    return work(tx, customerId)
  })
}

function report(reference: string, outcome: Outcome): void {
  note(`${reference} is ${outcome.what === 'unchanged' ? UNCHANGED : `recorded: ${partsText(outcome)}`}.`)
}

const UNCHANGED = 'recorded already: nothing was changed'

function partsText({ parts, credit, currency }: Outcome): string {
  const invoiceTexts = parts.map(({ id, amount }) => `${amount} ${currency} of ${id}`)
  const rest = /[1-9]/.test(credit) ? [`${credit} ${currency} is the customer’s credit`] : []
  return [...invoiceTexts, ...rest].join(', ') || 'nothing was open'
}

/** Reads `INV-7` or `INV-7=12.50`. */
function partOf(text: string, currency?: string): InvoicePart {
  const [, id = text, amount] = /^(.*)=([^=]*)$/.exec(text) ?? []
  return amount === undefined ? { id } : { id, amount: amountOf(amount, currency) }
}

function amountOf(text: string, currency?: string): string {
  const amount = decimalOf(text)
  const wrong = amount ? amountError(amount, currency ?? 'CLF') : 'is no amount such as 12.50'
  if (!amount || wrong) throw new UsageError(`"${text}" ${wrong}.`)
  return amount.toFixed()
}

function currencyOf(text: string): string {
  const wrong = currencyError(text)
  if (wrong) throw new UsageError(`The currency ${wrong}.`)
  return text
}

function dayOption(text: string): string {
  if (!isDay(text)) throw new UsageError(`"${text}" is no day such as 2026-11-20.`)
  return text
}
