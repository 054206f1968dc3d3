import Big from 'big.js'
import { minorUnit } from './rules.ts'

// Enough for any product of two amounts; only `round` below ever rounds.
const Exact = Big()

/** A decimal, exact: as text, or as a JSON number, which stands for its shortest text. */
export type Decimal = string | number

type Totals = { totalAmount: Decimal; balanceAmount: Decimal; currency: string }
type Line = { price: Decimal; qty: Decimal; currency: string }
type Labelled = { label: string; amount: string }

/** What stands under the line items of an invoice; amounts are plain decimal text in its currency. */
export type Sums = {
  /** One amount per line: price × qty, rounded to the line's minor unit. */
  amounts: string[]
  /** The lines together, without lines in another currency. */
  lineItems: string
  /** What the lines leave out of the total, or have above it; absent when they add up. */
  notItemized?: string
  total: string
  /** Balance less total, with its reason: what was paid, credited, refunded or added since. */
  settled: Labelled
  balance: Labelled
}

/** Adds up an invoice's lines and sets them against its total and balance, without any float. */
export function sumsOf(invoice: Totals, lines: readonly Line[]): Sums {
  const unit = minorUnit(invoice.currency)
  const amounts = lines.map(amountOf)
  const own = lines.flatMap((line, index) => (line.currency === invoice.currency ? [index] : []))
  const total = new Exact(invoice.totalAmount)
  // Some issuers round each line, some only the sum: either adds up.
  const rounded = own.reduce((sum, index) => sum.plus(amounts[index] ?? 0), new Exact(0))
  const exact = own.reduce((sum, index) => sum.plus(product(lines[index])), new Exact(0))
  const lineItems = [exact, round(exact, unit)].find((sum) => sum.eq(total)) ?? rounded
  const missing = total.minus(lineItems)
  const balance = new Exact(invoice.balanceAmount)
  return {
    amounts,
    lineItems: lineItems.toFixed(),
    ...(missing.eq(0) ? {} : { notItemized: missing.toFixed() }),
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

function amountOf(line: Line): string {
  return round(product(line), minorUnit(line.currency)).toFixed()
}

function product(line: Line | undefined): Big {
  return line ? new Exact(line.price).times(line.qty) : new Exact(0)
}

function round(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

function settledLabel(total: Big, balance: Big): string {
  const moved = balance.minus(total)
  if (moved.gt(0)) return total.lt(0) ? 'Refunded or used' : 'Added since'
  return 'Paid or credited'
}
