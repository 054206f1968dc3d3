import Big from 'big.js'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import type { BilledPart, Cause, Product } from './cause.ts'
import { sumOf } from './unit-price.ts'

/**
 * The first four letters of the details of lines that are tax and nothing else: files of charges name the category there
 * (`Tax, 3 charges`).
 */
export const TAX_STARTS = ['Tax', 'Tax,']

/** Whether a line is tax and nothing else. */
export function isTaxLine({ details }: { details: string | null }): boolean {
  return TAX_STARTS.includes((details ?? '').slice(0, 4))
}

/**
 * The tax within a line's amount that is a cause of its own: that of a line which is nothing but tax. A line that is
 * billed with tax is told with it, and the tax of lines without it stands beside them (`itemize`).
 * `lib/costs/explanations/lines.ts` asks the same in SQL.
 */
export function taxWithin(line: { details: string | null }, amount: Big): Big {
  return isTaxLine(line) ? amount : new Big(0)
}

/**
 * The lines of a product that are billed with tax, as they would be at the tax rate of before, and the cause that the new
 * rate is; undefined where it is the same, where it is not known, or where lines of several rates bill the product.
 */
export function atFormerRate({
  from,
  to,
  currency,
}: Product): { to: BilledPart[]; cause: Cause } | undefined {
  const [before, after] = [rateOf(from), rateOf(to)]
  if (!before || !after || before.eq(after)) return undefined
  const former = to.map((part) => converted(part, { before, after, prices: pricesOf(from), currency }))
  const effect = sumOf(to).minus(sumOf(former))
  return { to: former, cause: { kind: 'taxRate', effect, taxRate: { from: before, to: after } } }
}

/** The one percent that all parts have; undefined where there is none. */
function rateOf(parts: readonly BilledPart[]): Big | undefined {
  const rate = parts[0]?.taxRate
  return rate && parts.every((part) => part.taxRate?.eq(rate)) ? rate : undefined
}

type Rates = { before: Big; after: Big; prices: readonly Big[]; currency: string }

function converted(part: BilledPart, { before, after, prices, currency }: Rates): BilledPart {
  const [share, whole] = [before.plus(100), after.plus(100)]
  const price = part.price?.times(share).div(whole)
  // Prices with tax are rounded: one that is as near to the price before as rounding explains is that price.
  const match = price && prices.find((one) => price.minus(one).abs().lte(lastDigitValue(one)))
  const amount = match
    ? part.amount.minus((part.price ?? match).minus(match).times(part.qty))
    : part.amount.times(share).div(whole)
  return { ...part, price: match ?? price, amount: roundMoney(amount, currency) }
}

function pricesOf(parts: readonly BilledPart[]): Big[] {
  return parts.flatMap(({ price }) => price ?? [])
}

/** One of the last digit that a price is written with, at two decimals at least. */
function lastDigitValue(price: Big): Big {
  const decimals = price.toFixed().split('.')[1]?.length ?? 0
  return new Big(10).pow(-Math.max(decimals, 2))
}
