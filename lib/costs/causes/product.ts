import Big from 'big.js'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import type { BilledPart, Cause, Product } from './cause.ts'
import { licenseCauses, namedCauses } from './licenses.ts'
import { matchLines, type Pair, type Part } from './line-match.ts'
import type { CauseKind } from './rules.ts'
import { atFormerRate } from './tax.ts'
import { fullPriceOf, isAtPriceOf, quantityOf, sumOf, unitPriceOf } from './unit-price.ts'

/**
 * Explains why a product's bills differ. Each amount counts once, and the effects add up to the difference exactly: tax
 * first, then negative amounts, then another tax rate, then licenses with the members who changed them, then line by
 * line.
 */
export function causesOf(product: Product): Cause[] {
  const [from, to] = comparable(netOf(product.from), netOf(product.to))
  const billed = { ...product, from: from.filter(isCharge), to: to.filter(isCharge) }
  const taxed = atFormerRate(billed)
  const charges = taxed ? { ...billed, to: taxed.to } : billed
  return [
    cause('tax', taxOf(product.to).minus(taxOf(product.from))),
    cause('credit', sumOf(to.filter(isCredit)).minus(sumOf(from.filter(isCredit)))),
    ...(taxed ? [taxed.cause] : []),
    ...(licenseCauses(charges) ?? causesByNumber(charges)),
  ].filter(({ effect }) => !effect.eq(0))
}

/** Compares sums on both sides where the charges of only one bill have quantities. */
function comparable(from: BilledPart[], to: BilledPart[]): [BilledPart[], BilledPart[]] {
  const [one, other] = [from, to].map((parts) => parts.some(({ isMetered }) => isMetered))
  if (one === other || from.length === 0 || to.length === 0) return [from, to]
  return [from.map(asSum), to.map(asSum)]
}

function asSum(part: BilledPart): BilledPart {
  if (!part.isMetered) return part
  const price = part.lines === 1 ? part.amount : undefined
  return { ...part, qty: new Big(part.lines), price, isMetered: false }
}

const cause = (kind: CauseKind, effect: Big): Cause => ({ kind, effect })
const isCredit = ({ amount }: Part) => amount.lt(0)
const isCharge = (part: Part) => !isCredit(part)

function taxOf(parts: readonly BilledPart[]): Big {
  return parts.reduce((sum, { tax }) => sum.plus(tax), new Big(0))
}

/** Returns the parts without tax. A part that is only tax is dropped. */
function netOf(parts: readonly BilledPart[]): BilledPart[] {
  return parts
    .filter(({ amount, tax }) => tax.eq(0) || !tax.eq(amount))
    .map((part) => (part.tax.eq(0) ? part : { ...part, amount: part.amount.minus(part.tax) }))
}

/**
 * Explains a product by line, with quantity and price; each kind once per product, and licenses with the members who
 * changed them.
 */
function causesByNumber(product: Product): Cause[] {
  const causes = together(matchLines(product.from, product.to).flatMap(ofPair(product)))
  const number = causes.find(({ kind }) => kind === 'licenses' || kind === 'usage')
  if (!number?.quantity) return causes
  const whole = { from: quantityOf(product.from), to: quantityOf(product.to) }
  const moved = number.quantity.to.minus(number.quantity.from)
  // Differences that both bills share belong to the quantity, too.
  const quantity = whole.to.minus(whole.from).eq(moved) ? whole : number.quantity
  const described = moved.eq(0)
    ? [mixed(number, product)]
    : (namedCauses(product, number.effect) ?? [{ ...number, quantity }])
  return together(causes.flatMap((one) => (one === number ? described : [one])))
}

/** Returns the cause of an unchanged quantity at other prices: the average price. */
function mixed({ effect }: Cause, { from, to }: Product): Cause {
  const [before, after] = [quantityOf(from), quantityOf(to)]
  if (before.eq(0) || after.eq(0)) return { kind: 'amount', effect }
  const price = { from: sumOf(from).div(before).round(8), to: sumOf(to).div(after).round(8) }
  return { kind: 'price', effect, price }
}

/**
 * Returns the causes of two lines that bill the same item. Where quantity and price both differ, the quantity counts at
 * the price before, rounded to the minor unit, and the price is the remainder, so the two add up.
 */
function ofPair(product: Product) {
  const { currency, isLicensed } = product
  const isOnBoth = product.from.length > 0 && product.to.length > 0
  return ({ from, to }: Pair): Cause[] => {
    if (!from || !to) return isOnBoth ? more(product, from, to) : [oneSided(from, to)]
    const effect = to.amount.minus(from.amount)
    const counted = from.qty.eq(to.qty) ? new Big(0) : countedOf(from, to, currency)
    // The price of a single charge equals its amount, and is no unit price.
    const isCharge = !isLicensed && from.qty.eq(1) && to.qty.eq(1)
    const price = isCharge ? undefined : newPrice(from, to, currency)
    const left = effect.minus(counted)
    return [
      { kind: isLicensed ? 'licenses' : 'usage', effect: counted, quantity: { from: from.qty, to: to.qty } },
      price ? { kind: 'price', effect: left, price } : { kind: 'amount', effect: left },
    ]
  }
}

/** Returns the effect of a quantity change at the price before; the whole difference where the price is unchanged. */
function countedOf(from: Part, to: Part, currency: string): Big {
  const before = unitPriceOf(from, currency)
  const effect = to.amount.minus(from.amount)
  if (!before || (isSingle(from, to, currency) && !newPrice(from, to, currency))) return effect
  return roundMoney(to.qty.minus(from.qty).times(before.price), currency)
}

function isSingle(from: Part, to: Part, currency: string): boolean {
  return [from, to].every((part) => unitPriceOf(part, currency)?.isSingle)
}

/** Both prices, where each side has one and they differ. */
function newPrice(from: Part, to: Part, currency: string): Cause['price'] {
  if (isAtPriceOf(from, to, currency)) return undefined
  const [before, after] = [unitPriceOf(from, currency), unitPriceOf(to, currency)]
  if (!before?.isSingle || !after?.isSingle || before.price.eq(after.price)) return undefined
  return { from: before.price, to: after.price }
}

/**
 * Explains an added or removed line of a product that both bills have as a change of quantity. Added lines count at the
 * prices before where the full price changed. Single charges have no quantity: the amount changes.
 */
function more(product: Product, from: Part | undefined, to: Part | undefined): Cause[] {
  const { currency, isLicensed } = product
  const effect = (to?.amount ?? new Big(0)).minus(from?.amount ?? 0)
  const all = [...product.from, ...product.to]
  if (!isLicensed && all.every(({ qty }) => qty.eq(1))) return [{ kind: 'amount', effect }]
  const [before, after] = [fullPriceOf(product.from, currency), fullPriceOf(product.to, currency)]
  const isDearer = to && before && after && !before.eq(after) && !after.eq(0)
  const counted = isDearer ? roundMoney(effect.times(before).div(after), currency) : effect
  const quantity = { from: from?.qty ?? new Big(0), to: to?.qty ?? new Big(0) }
  return [
    { kind: isLicensed ? 'licenses' : 'usage', effect: counted, quantity },
    ...(isDearer
      ? [{ kind: 'price' as const, effect: effect.minus(counted), price: { from: before, to: after } }]
      : []),
  ]
}

function oneSided(from: Part | undefined, to: Part | undefined): Cause {
  const [before, after] = [from ? [from] : [], to ? [to] : []]
  const quantity = { from: quantityOf(before), to: quantityOf(after) }
  return { ...cause(from ? 'gone' : 'new', sumOf(after).minus(sumOf(before))), quantity }
}

/** Merges causes of one kind, where a product has several lines; several prices are left out. */
function together(causes: readonly Cause[]): Cause[] {
  // License changes stay separate.
  const kinds = Map.groupBy(
    causes.filter(({ effect }) => !effect.eq(0)),
    ({ kind, change }) => `${kind} ${change ? `${change.at} ${change.from}` : ''}`,
  )
  return [...kinds.values()].flatMap(([first, ...others]) => (first ? [others.reduce(joined, first)] : []))
}

function joined(one: Cause, other: Cause): Cause {
  const { price, quantity, ...rest } = one
  const [a, b] = [quantity, other.quantity]
  const isOne = price && other.price && price.from.eq(other.price.from) && price.to.eq(other.price.to)
  return {
    ...rest,
    ...(isOne ? { price } : {}),
    effect: one.effect.plus(other.effect),
    ...(a && b ? { quantity: { from: a.from.plus(b.from), to: a.to.plus(b.to) } } : {}),
  }
}
