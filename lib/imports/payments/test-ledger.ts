import fc from 'fast-check'
import { expect } from 'vitest'
import { minorUnit, UNITS } from '#lib/platform/values/money.ts'
import { PUBLISHED } from '#lib/platform/values/test-iso-4217.ts'
import type { NewInvoice } from '../schemas.ts'

// The independent ledger of the property tests, and the commands that they try.

/** Date of each invoice; payments are of the days after it. */
export const INVOICE_DAY = '2026-01-01'

/** Each ISO 4217 currency comes up in some run; these four in every second one. */
const ALL_CURRENCIES = [...new Set([...PUBLISHED.map(({ code }) => code), ...UNITS.keys()])]
const currency = fc.oneof(fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'), fc.constantFrom(...ALL_CURRENCIES))

export type Command =
  | { do: 'issue'; slot: number; currency: string; total: bigint; paid: bigint | null }
  | { do: 'report'; slot: number; balance: bigint }
  | { do: 'pay'; amount: bigint; slots: number[]; currency: string }
  | { do: 'assign'; payment: number; slot: number }
  | { do: 'refund'; payment: number; amount: bigint }
  | { do: 'reverse'; payment: number }
  | { do: 'write-off'; slot: number }
  | { do: 'correct'; slot: number; total: bigint }
  | { do: 'void'; slot: number }
  | { do: 'replay'; index: number }

export const slot = fc.nat({ max: 3 })
const payment = fc.nat({ max: 5 })
export const units = fc.bigInt({ min: 1n, max: 3000n })
export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('issue' as const),
      slot,
      currency,
      total: units,
      paid: fc.option(fc.bigInt({ min: 0n, max: 500n })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      slot,
      balance: fc.bigInt({ min: -200n, max: 4000n }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      amount: units,
      slots: fc.uniqueArray(slot, { maxLength: 3 }),
      currency,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('assign' as const), payment, slot }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refund' as const), payment, amount: units }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse' as const), payment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('write-off' as const), slot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct' as const), slot, total: units }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('void' as const), slot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replay' as const), index: fc.nat({ max: 30 }) }) },
)

export type Invoice = {
  number: string
  currency: string
  total: bigint
  balance: bigint
  state: 'issued' | 'voided'
  /** Settled amounts as the issuer reported them, the oldest first. */
  reported: { amount: bigint; at: number }[]
}
export type Payment = {
  reference: string
  kind: 'payment' | 'refund' | 'write-off'
  currency: string
  amount: bigint
  day: string
  parts: Map<string, bigint>
  /** When a part was first applied to an invoice. */
  since: Map<string, number>
  credit: bigint
  refundOf?: string
  reversed: boolean
}

/** Returns the smallest of these. */
export function least(...values: bigint[]): bigint {
  return values.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
}

/** The independent ledger: whole minor units, one rule for each command, no SQL. */
export class Model {
  /** Number of the current step. */
  clock = 0
  readonly invoices = new Map<number, Invoice>()
  readonly payments: Payment[] = []

  invoice(at: number): Invoice | undefined {
    return this.invoices.get(at)
  }

  freeOf(paid: Payment): bigint {
    const refunds = this.payments.filter((one) => one.refundOf === paid.reference && !one.reversed)
    return refunds.reduce((rest, { amount }) => rest - amount, paid.credit)
  }

  pay(paid: Payment, invoice: Invoice, most: bigint): bigint {
    const part = invoice.balance <= 0n ? 0n : least(invoice.balance, most)
    if (part > 0n) this.move(paid, invoice, part)
    return part
  }

  move(paid: Payment, invoice: Invoice, part: bigint): void {
    paid.parts.set(invoice.number, (paid.parts.get(invoice.number) ?? 0n) + part)
    if (!paid.since.has(invoice.number)) paid.since.set(invoice.number, this.clock)
    invoice.balance -= part
  }

  /** Settles an invoice as its issuer reports it: contrary reports are reversed first, the newest first. */
  report(invoice: Invoice, balance: bigint): void {
    const difference = invoice.balance - balance
    const size = (value: bigint) => (value < 0n ? -value : value)
    let covered = 0n
    for (const row of invoice.reported.toReversed()) {
      if (size(covered) >= size(difference)) break
      if (row.amount > 0n === difference > 0n) continue
      invoice.reported.splice(invoice.reported.indexOf(row), 1)
      covered -= row.amount
    }
    if (difference !== covered) invoice.reported.push({ amount: difference - covered, at: this.clock })
    invoice.balance = balance
  }

  /** Reverts a part. An amount that the issuer has reported as open since the part was paid is open once, not twice. */
  revert(paid: Payment, invoice: Invoice): void {
    const part = paid.parts.get(invoice.number) ?? 0n
    paid.parts.delete(invoice.number)
    invoice.balance += part
    const since = paid.since.get(invoice.number) ?? 0
    const newer = invoice.reported.filter(({ amount, at }) => amount < 0n && at > since)
    const missing = newer.reduce((all, { amount }) => all - amount, 0n)
    const twice = least(part, invoice.balance - invoice.total, missing)
    if (twice > 0n) this.report(invoice, invoice.balance - twice)
  }

  release(invoice: Invoice): Map<Payment, bigint> {
    const released = new Map<Payment, bigint>()
    for (const paid of this.payments) {
      const part = paid.parts.get(invoice.number) ?? 0n
      if (part === 0n) continue
      paid.parts.delete(invoice.number)
      paid.since.delete(invoice.number)
      if (paid.kind === 'write-off') paid.reversed = true
      else {
        paid.credit += part
        released.set(paid, part)
      }
    }
    invoice.balance = 0n
    invoice.reported = []
    invoice.state = 'voided'
    return released
  }
}

export const amountText = (value: bigint, code: string): string => {
  const decimals = minorUnit(code)
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const text = decimals > 0 ? `${whole}.${digits.slice(-decimals)}` : whole
  return value < 0n ? `-${text}` : text
}
export const unitsOf = (text: string, code: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  const decimals = minorUnit(code)
  expect(fraction.slice(decimals).replaceAll('0', '')).toBe('')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

export const fileOf = (
  { number, currency: code, total }: Pick<Invoice, 'number' | 'currency' | 'total'>,
  fields: Partial<NewInvoice> = {},
): NewInvoice => ({
  number,
  platform: 'web-services',
  issuer: 'Reseller',
  invoiceDate: INVOICE_DAY,
  dueDate: '2026-12-31',
  currency: code,
  totalAmount: amountText(total, code),
  lines: [{ type: 'web-services', description: 'Compute', price: amountText(total, code), qty: '1' }],
  ...fields,
})
