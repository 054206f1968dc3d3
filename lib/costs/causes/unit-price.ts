import Big from 'big.js'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Part } from './line-match.ts'

/** What one of a thing costs; not single where lines of several prices are one part. */
export type UnitPrice = { price: Big; isSingle: boolean }

/** So many decimals a price has that is the quotient of an amount and a number. */
const QUOTIENT = 8

/** As it is written, where that makes the amount; else what the amount comes to for one. Undefined for none of it. */
export function unitPriceOf({ price, qty, amount, lines }: Part, currency: string): UnitPrice | undefined {
  if (price && roundMoney(price.times(qty), currency).minus(amount).abs().lte(unitsOf(lines, currency)))
    return { price, isSingle: true }
  if (qty.eq(0)) return undefined
  return { price: amount.div(qty).round(QUOTIENT), isSingle: price !== undefined || lines === 1 }
}

/** What so many lines may be out by, each rounded: a minor unit for each. */
export function unitsOf(lines: number, currency: string): Big {
  return new Big(lines).times(new Big(10).pow(-minorUnit(currency)))
}

export function sumOf(parts: readonly Part[]): Big {
  return parts.reduce((sum, { amount }) => sum.plus(amount), new Big(0))
}

export function quantityOf(parts: readonly Part[]): Big {
  return parts.reduce((sum, { qty }) => sum.plus(qty), new Big(0))
}

/** The highest price of some parts, which is that of a whole period; undefined where none has one above 0. */
export function fullPriceOf(parts: readonly Part[], currency: string): Big | undefined {
  const prices = parts.flatMap((part) =>
    part.amount.gt(0) ? (unitPriceOf(part, currency)?.price ?? []) : [],
  )
  return prices.reduce<Big | undefined>((most, price) => (most?.gte(price) ? most : price), undefined)
}
