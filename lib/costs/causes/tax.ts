import Big from 'big.js'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import type { BilledPart, Cause, Product } from './cause.ts'
import { stableProductOf } from './line-match.ts'
import { sumOf, unitsOf } from './unit-price.ts'

/**
 * The first four letters of the details of lines that are tax and nothing else: files of charges name the category there
 * (`Tax, 3 charges`).
 */
export const TAX_STARTS = ['Tax', 'Tax,']

/** The category that issuers' own files name it by. */
export const TAX_CATEGORY = 'Tax'
const PERCENT = '[0-9]{1,2}(?:[.,][0-9]{1,3})? ?%'
const NAMES = [
  ...[
    'vat',
    'value[- ]added tax',
    'sales tax',
    'tax(?:es)?',
    'gst',
    'hst',
    'pst',
    'qst',
    'gst/hst',
    'mwst\\.?',
    'ust\\.?',
  ],
  ...['mehrwertsteuer', 'umsatzsteuer', 'tva', 'iva', 'btw', 'moms'],
]
/**
 * Pattern of a description that names a tax, and at most its rate and its base; in the regex grammar that SQL shares.
 */
export const TAX_NAME = `^(?:${PERCENT} ?)?(?:${NAMES.join('|')})(?:[ :]*[(]?${PERCENT}[)]?)?(?: (?:on|for|of) .*)?$`
const NAMED = new RegExp(TAX_NAME, 'i')

type TaxLine = { details: string | null; description: string; chargeCategory?: string | null | undefined }

/** Returns whether a line is only tax. */
export function isTaxLine({ details, description, chargeCategory }: TaxLine): boolean {
  return (
    TAX_STARTS.includes((details ?? '').slice(0, 4)) ||
    chargeCategory === TAX_CATEGORY ||
    NAMED.test(description)
  )
}

/**
 * Returns the part of a line's amount that is a separate tax cause: the amount of a tax-only line. Other lines with tax
 * are explained including the tax; for lines without tax, `itemize` has the tax. `lib/costs/explanations/lines.ts` has the
 * same rule in SQL.
 */
export function taxWithin(line: TaxLine, amount: Big): Big {
  return isTaxLine(line) ? amount : new Big(0)
}

/** Tax with its base, the number of roundings in it, and the percents that its bills state, if any. */
export type Taxed = { tax: Big; base: Big; roundings: number; rates?: readonly Big[] | undefined }

/**
 * Explains a different tax by its rate, for the new base, and by its base, at the rate before. The rates follow from
 * taxes and bases, except for rounding; where one rate explains both sides, the rate is unchanged.
 */
export function taxCauses(from: Taxed, to: Taxed, currency: string): Cause[] {
  const effect = to.tax.minus(from.tax)
  const [before, after] = [rateWithin(from, currency), rateWithin(to, currency)]
  if (!before || !after || before.eq(after) || isRate(before, to, currency)) return [{ kind: 'tax', effect }]
  const ofRate = roundMoney(to.base.times(after.minus(before)).div(100), currency)
  return ratedCauses(effect, ofRate, { from: before, to: after })
}

const ratedCauses = (effect: Big, ofRate: Big, taxRate: { from: Big; to: Big }): Cause[] => [
  { kind: 'taxRate', effect: ofRate, taxRate },
  { kind: 'tax', effect: effect.minus(ofRate) },
]

/**
 * Returns the only percent that bills state, or else the roundest one that explains a tax; undefined where no rate
 * does.
 */
function rateWithin(taxed: Taxed, currency: string): Big | undefined {
  if (taxed.base.lte(0) || taxed.tax.lte(0)) return undefined
  const [stated] = taxed.rates ?? []
  if (stated) {
    const isOne = taxed.rates?.every((rate) => rate.eq(stated)) && isRate(stated, taxed, currency)
    return isOne ? stated : undefined
  }
  const exact = taxed.tax.times(100).div(taxed.base)
  return [0, 1].map((places) => exact.round(places)).find((rate) => isRate(rate, taxed, currency))
}

function isRate(rate: Big, { tax, base, roundings }: Taxed, currency: string): boolean {
  return base
    .times(rate)
    .div(100)
    .minus(tax)
    .abs()
    .lte(unitsOf(Math.max(1, roundings), currency))
}

/** A line of tax on one of two bills. */
type TaxPart = Pick<BilledPart, 'description' | 'amount' | 'currency' | 'lines'>

/** Returns the name in tax lines, without rate and dates: lines with one name are one tax. */
export function taxNameOf(part: BilledPart): string {
  return stableProductOf({ ...part, description: part.description.replace(RATE, '#') })
}

const RATE = new RegExp(PERCENT, 'g')

/**
 * Why the lines of one tax come to more or less. Lines that name their rate are compared by it: a rate that only one side
 * has is the other side's new one. Without rates in their names, the rates follow from what is taxed.
 * @param bases what the other lines come to, where this is the only tax of these bills
 */
export function taxLineCauses(
  from: readonly TaxPart[],
  to: readonly TaxPart[],
  bases: { from: Big; to: Big } | undefined,
): Cause[] {
  const currency = (to[0] ?? from[0])?.currency ?? ''
  const [before, after] = [byRate(from), byRate(to)]
  const effect = sumOfTax(to).minus(sumOfTax(from))
  const [left, come] = [only(before, after), only(after, before)]
  const [former, present] = [left[0], come[0]]
  if (former && present && left.length === 1 && come.length === 1 && former[0] !== '' && present[0] !== '') {
    const [rate, next] = [new Big(former[0]), new Big(present[0])]
    const atFormer = next.eq(0) ? present[1] : roundMoney(present[1].times(rate).div(next), currency)
    return ratedCauses(effect, present[1].minus(atFormer), { from: rate, to: next })
  }
  if (!bases || [...before.keys(), ...after.keys()].some((rate) => rate !== ''))
    return [{ kind: 'tax', effect }]
  const roundings = (parts: readonly TaxPart[]) => parts.reduce((sum, { lines }) => sum + lines, 0)
  return taxCauses(
    { tax: sumOfTax(from), base: bases.from, roundings: roundings(from) },
    { tax: sumOfTax(to), base: bases.to, roundings: roundings(to) },
    currency,
  )
}

function byRate(parts: readonly TaxPart[]): Map<string, Big> {
  const groups = Map.groupBy(parts, ({ description }) => statedRate(description))
  return new Map([...groups].map(([rate, lines]) => [rate, sumOfTax(lines)]))
}

/** The percent that a description names, as plain decimal text; empty where it names none. */
function statedRate(description: string): string {
  const [text] = description.match(RATE) ?? []
  return text === undefined ? '' : new Big(text.replace(',', '.').replace(/ ?%/, '')).toFixed()
}

const only = (some: ReadonlyMap<string, Big>, others: ReadonlyMap<string, Big>) =>
  [...some].filter(([rate]) => !others.has(rate))

const sumOfTax = (parts: readonly TaxPart[]) =>
  parts.reduce((sum, { amount }) => sum.plus(amount), new Big(0))

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

/** Returns one unit of the last digit of a price, at two decimals at least. */
function lastDigitValue(price: Big): Big {
  const decimals = price.toFixed().split('.')[1]?.length ?? 0
  return new Big(10).pow(-Math.max(decimals, 2))
}
