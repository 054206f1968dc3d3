import Big from 'big.js'
import { minorUnit } from './rules.ts'

/** Enough for any product of two amounts; only `roundTo` ever rounds. */
export const Exact = Big()

/** A decimal, exact: as text, or as a JSON number, which stands for its shortest text. */
export type Decimal = string | number

type Labelled = { label: string; amount: string }

/** From an invoice's total to what is left of it; amounts are plain decimal text in its currency. */
export type Settlement = {
  total: string
  /** Balance less total, with its reason: what was paid, credited, refunded or added since. */
  settled: Labelled
  balance: Labelled
}

export function settlementOf(invoice: { totalAmount: Decimal; balanceAmount: Decimal }): Settlement {
  const total = new Exact(invoice.totalAmount)
  const balance = new Exact(invoice.balanceAmount)
  return {
    total: total.toFixed(),
    settled: { label: settledLabel(total, balance), amount: balance.minus(total).toFixed() },
    balance: { label: balance.lt(0) ? 'Credit balance' : 'Balance due', amount: balance.toFixed() },
  }
}

/**
 * Writes a decimal for people: thousands separated, a real minus, at least `decimals` places. None of its
 * places is lost.
 */
export function formatDecimal(value: Decimal, decimals = 0): string {
  const exact = new Exact(value)
  const plain = exact.abs().toFixed()
  const own = plain.split('.')[1]?.length ?? 0
  const [whole = '', fraction] = exact.abs().toFixed(Math.max(own, decimals)).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${exact.lt(0) ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`
}

/** Writes an amount for programs: no separators, with at least its currency's own places; none of its own is lost. */
export function plainAmount(value: Decimal, currency: string): string {
  const exact = new Exact(value)
  const own = exact.toFixed().split('.')[1]?.length ?? 0
  return exact.toFixed(Math.max(own, minorUnit(currency)))
}

/** Writes an amount with its currency's own number of places: `39,004.92`, in JPY `39,005`. */
export function formatAmount(value: Decimal, currency: string): string {
  return formatDecimal(value, minorUnit(currency))
}

/** Half away from zero. */
export function roundTo(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

function settledLabel(total: Big, balance: Big): string {
  const moved = balance.minus(total)
  if (moved.gt(0)) return total.lt(0) ? 'Refunded or used' : 'Added since'
  return 'Paid or credited'
}
