import Big from 'big.js'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Part } from './line-match.ts'

/** Price per unit; not single where lines of several prices are one part. */
export type UnitPrice = { price: Big; isSingle: boolean }

/** Decimal places of a price that is the quotient of an amount and a quantity. */
const QUOTIENT = 8

/**
 * Returns the price as written, where it results in the amount; else the amount per unit. Undefined for a quantity of
 * 0.
 */
export function unitPriceOf({ price, qty, amount, lines }: Part, currency: string): UnitPrice | undefined {
  if (price && roundMoney(price.times(qty), currency).minus(amount).abs().lte(unitsOf(lines, currency)))
    return { price, isSingle: true }
  if (qty.eq(0)) return undefined
  return { price: amount.div(qty).round(QUOTIENT), isSingle: price !== undefined || lines === 1 }
}

/** Returns the maximum rounding difference of lines, each rounded: one minor unit per line. */
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
  return prices
    .filter((price) => price.gt(0))
    .reduce<Big | undefined>((most, price) => (most?.gte(price) ? most : price), undefined)
}

type MeteredLine = {
  price: string
  qty: string
  details: string | null
  usedQuantity: string | null
  usedUnit: string | null
  sku: string | null
  subAccount: string | null
}

/**
 * The quantity of a line, the price of one, and by what it is told from others: those of its charges, where the line itself is
 * 1 of their sum. `lib/costs/explanations/lines.ts` has the same rule in SQL.
 * @param amount what the line comes to
 */
export function quantityOfLine(
  line: MeteredLine,
  amount: Big,
): Pick<Part, 'price' | 'qty' | 'details' | 'isMetered'> {
  const used = line.usedQuantity === null ? undefined : new Big(line.usedQuantity)
  if (!used || used.eq(0))
    return { price: new Big(line.price), qty: new Big(line.qty), details: line.details }
  const named = [line.details, line.sku, line.subAccount, line.usedUnit].filter((text) => text !== null)
  const details = named.length > 0 ? named.join(', ') : null
  return { price: amount.div(used).round(METERED_PLACES), qty: used, details, isMetered: true }
}

/** Decimal places of a price that is calculated from charges. */
export const METERED_PLACES = 12

/** Returns whether a metered amount has the price of before, except for the rounding of both amounts. */
export function isAtPriceOf(from: Part, to: Part, currency: string): boolean {
  if (!from.isMetered || !to.isMetered || from.qty.eq(0)) return false
  const share = to.qty.div(from.qty)
  const room = unitsOf(1, currency)
    .div(2)
    .times(from.lines)
    .times(share.abs())
    .plus(unitsOf(to.lines, currency).div(2))
  return from.amount.times(share).minus(to.amount).abs().lte(room)
}
