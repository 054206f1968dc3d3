import Big from 'big.js'
import type { BilledPart, Product } from './cause.ts'
import { quantityOf, sumOf, unitPriceOf, unitsOf } from './unit-price.ts'

/** What a bill may have cut off from a number of licenses that is none: `55.10` for 55.0968. */
const CUT_OFF = 0.005

/** The numbers of licenses that two bills come to at the full price of a period, and what they may be out by. */
export type Counts = { from: Big; to: Big; price: Big; isSamePrice: boolean; slack: Big }

/**
 * How many licenses the bills may be read to count, the likeliest reading first: the amounts at one full price, where a
 * bill charges days by a lower price or by lines of their own; and the numbers as they are written.
 */
export function countsOf({ from, to, currency }: Product): Counts[] {
  const [before, after] = [pricesOf(from, currency), pricesOf(to, currency)]
  const price = before?.full ?? after?.full
  if (!price) return []
  const asWritten = {
    from: quantityOf(from),
    to: quantityOf(to),
    price,
    isSamePrice: price.eq(after?.full ?? price),
    slack: new Big(CUT_OFF),
  }
  const isUniform = (before?.isUniform ?? true) && (after?.isUniform ?? true)
  if (isUniform && asWritten.isSamePrice) return [asWritten]
  const full = after?.full.gt(price) ? after.full : price
  const lines = [...from, ...to].reduce((sum, part) => sum + part.lines, 0)
  const atFullPrice = {
    from: sumOf(from).div(full),
    to: sumOf(to).div(full),
    price: full,
    isSamePrice: true,
    slack: unitsOf(lines, currency).div(full).plus(CUT_OFF),
  }
  return isUniform ? [atFullPrice, asWritten] : [atFullPrice]
}

/** The highest price of some parts, which is that of a whole period, and whether all have it. */
export function pricesOf(parts: readonly BilledPart[], currency: string) {
  const prices = parts.flatMap((part) => (part.amount.gt(0) ? (unitPriceOf(part, currency) ?? []) : []))
  const [first] = prices
  if (!first) return undefined
  const full = prices.reduce((most, { price }) => (price.gt(most) ? price : most), first.price)
  return { full, isUniform: prices.every(({ price, isSingle }) => isSingle && price.eq(full)) }
}
