import Big from 'big.js'
import type { SeatChange } from '#lib/costs/seat-check.ts'
import { DAY_MS, dayBegin, daysBetween } from '#lib/platform/values/days.ts'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import type { BilledChange, BilledPart, Cause, Days, Product } from './cause.ts'
import type { BilledFor } from './rules.ts'
import { quantityOf, sumOf, unitPriceOf, unitsOf } from './unit-price.ts'

/** Maximum number of a product's changes that are listed one by one. */
const MAX_CHANGES = 12
/** Share of a period that is billed for a change made on a day: all, nothing, or pro rata. */
type Model = { how: BilledFor; share: (day: number, days: Days) => Big }

// The order decides where two explain the same difference: most bills count the licenses at the end of the period.
const MODELS: readonly Model[] = [
  { how: 'wholePeriod', share: (day, { to }) => new Big(day <= to ? 1 : 0) },
  { how: 'days', share: (day, days) => shareOf(day, days) },
  { how: 'days', share: (day, days) => shareOf(day + DAY_MS, days) },
  { how: 'nextPeriod', share: (day, { from }) => new Big(day < from ? 1 : 0) },
]

/**
 * Explains a product's difference by known changes of its licenses: each change with its effect on the two periods.
 * Returns undefined where no reading of the bill fits them: then no member is named.
 */
export function licenseCauses(product: Product): Cause[] | undefined {
  const { isLicensed, seatChanges, from, to } = product
  const days = { from: daysOf(from, product.during.from), to: daysOf(to, product.during.to) }
  const changes = (seatChanges?.changes ?? []).filter(({ at }) => liesIn(at, days.from, days.to))
  if (!isLicensed || !seatChanges || changes.length === 0 || changes.length > MAX_CHANGES) return undefined
  for (const counts of countsOf(product)) {
    const fits = MODELS.flatMap((model) => fitOf(model, counts, changes, days) ?? [])
    const fit = fits.find(({ model }) => isLevel(model, counts, changes, days.to)) ?? fits[0]
    if (fit) return explainFit(product, counts, fit, days)
  }
  return undefined
}

/**
 * Returns the known license changes that add up to the quantities as written, with the effect of the quantity as a
 * whole: bills with several tiers have no single price. Undefined where the changes do not add up.
 */
export function namedCauses(product: Product, effect: Big): Cause[] | undefined {
  const { isLicensed, seatChanges, from, to, currency } = product
  const days = { from: daysOf(from, product.during.from), to: daysOf(to, product.during.to) }
  const changes = (seatChanges?.changes ?? []).filter(({ at }) => liesIn(at, days.from, days.to))
  const [before, after] = [quantityOf(from), quantityOf(to)]
  if (!isLicensed || changes.length === 0 || changes.length > MAX_CHANGES || before.eq(after))
    return undefined
  const price = effect.div(after.minus(before))
  const counts = { from: before, to: after, price, isSamePrice: true, slack: new Big(CUT_OFF) }
  const fits = MODELS.flatMap((model) => fitOf(model, counts, changes, days) ?? [])
  const fit = fits.find(({ model }) => isLevel(model, counts, changes, days.to)) ?? fits[0]
  if (!fit) return undefined
  const causes = fit.moved.map(({ change, licenses }) => ({
    kind: 'licenses' as const,
    effect: roundMoney(licenses.times(price), currency),
    change: billedChange(change, { model: fit.model, days, price, product }),
  }))
  return exactly(causes, effect)
}

type Moved = { change: SeatChange; licenses: Big }
type Fit = { model: Model; moved: Moved[] }
type Periods = { from: Days; to: Days }

/** The changes that explain the difference by a model; undefined where they do not. */
function fitOf(model: Model, counts: Counts, changes: readonly SeatChange[], days: Periods): Fit | undefined {
  const moved = changes
    .map((change) => ({ change, licenses: movedBy(change, days, model.share) }))
    .filter(({ licenses }) => !licenses.eq(0))
  const all = moved.reduce((sum, { licenses }) => sum.plus(licenses), new Big(0))
  const isMet = all.minus(counts.to).plus(counts.from).abs().lte(counts.slack)
  return moved.length > 0 && isMet ? { model, moved } : undefined
}

/**
 * Returns whether the second bill counts the licenses that a model predicts: breaks the tie where two models explain
 * the difference.
 */
function isLevel({ how }: Model, { to, slack }: Counts, changes: readonly SeatChange[], days: Days): boolean {
  const end = how === 'nextPeriod' ? days.from : days.to + DAY_MS
  const level = changes.findLast(({ at }) => at < end)?.to ?? changes.find(({ at }) => at >= end)?.from ?? 0
  return how !== 'days' && to.minus(level).abs().lte(slack)
}

function explainFit(product: Product, counts: Counts, { model, moved }: Fit, days: Periods): Cause[] {
  const { from, to, currency } = product
  const effect = sumOf(to).minus(sumOf(from))
  const counted = counts.isSamePrice
    ? effect
    : roundMoney(counts.to.minus(counts.from).times(counts.price), currency)
  const causes = moved.map(({ change, licenses }) => ({
    kind: 'licenses' as const,
    effect: roundMoney(licenses.times(counts.price), currency),
    change: billedChange(change, { model, days, price: counts.price, product }),
  }))
  return [...exactly(causes, counted), ...priceCause(product, effect.minus(counted))]
}

/** Returns the licenses that a change adds to the second period, beyond those it added to the first. */
function movedBy({ at, from, to }: SeatChange, days: Periods, share: Model['share']): Big {
  const day = dayBegin(at)
  return share(day, days.to)
    .minus(share(day, days.from))
    .times(to - from)
}

/** The share of a period's days from a day on, that one included. */
function shareOf(day: number, { from, to }: Days): Big {
  const length = daysBetween(from, to) + 1
  return new Big(Math.min(length, Math.max(0, daysBetween(day, to) + 1))).div(length)
}

function liesIn(at: number, ...periods: readonly Days[]): boolean {
  const begin = Math.min(...periods.map(({ from }) => from))
  const end = Math.max(...periods.map(({ to }) => to))
  return at >= begin && at < end + DAY_MS
}

function daysOf(parts: readonly BilledPart[], otherwise: Days): Days {
  if (parts.length === 0) return otherwise
  return {
    from: Math.min(...parts.map(({ days }) => days.from)),
    to: Math.max(...parts.map(({ days }) => days.to)),
  }
}

function billedChange(
  change: SeatChange,
  {
    model: { how, share },
    days,
    price,
    product: { currency, seatChanges },
  }: { model: Model; days: Periods; price: Big; product: Product },
): BilledChange {
  const seatChange = { ...change, sure: seatChanges?.sure ?? false }
  const period = [days.to, days.from].find((one) => liesIn(change.at, one))
  if (!period) return seatChange
  const ofDays = daysBetween(period.from, period.to) + 1
  const day = dayBegin(change.at)
  const ofThem = how === 'days' ? share(day, period) : shareOf(day, period)
  const licenses = ofThem.times(change.to - change.from)
  const daysAmount = how === 'wholePeriod' ? { daysAmount: roundMoney(licenses.times(price), currency) } : {}
  return {
    ...seatChange,
    billed: { how, days: Number(ofThem.times(ofDays).round(0)), ofDays, ...daysAmount },
  }
}

/** Adds the rounding difference to the last cause, so that the causes add up to a sum. */
function exactly(causes: readonly Cause[], sum: Big): Cause[] {
  const others = causes.slice(0, -1)
  const rest = others.reduce((left, { effect }) => left.minus(effect), sum)
  return causes.map((cause, index) => (index === others.length ? { ...cause, effect: rest } : cause))
}

function priceCause({ from, to, currency }: Product, effect: Big): Cause[] {
  const [before, after] = [pricesOf(from, currency), pricesOf(to, currency)]
  if (effect.eq(0) || !before || !after) return effect.eq(0) ? [] : [{ kind: 'amount', effect }]
  return [{ kind: 'price', effect, price: { from: before.full, to: after.full } }]
}

/** Maximum truncation of a fractional quantity on a bill: `55.10` for 55.0968. */
const CUT_OFF = 0.005

/** License counts that two bills imply at the full price of a period, and their tolerance. */
type Counts = { from: Big; to: Big; price: Big; isSamePrice: boolean; slack: Big }

/**
 * Returns possible license counts of two bills, the likeliest first: the amounts at one full price, where a bill
 * charges days by a lower price or by separate lines; then the quantities as written.
 */
function countsOf({ from, to, currency }: Product): Counts[] {
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
    slack: unitsOf(lines, currency)
      .plus(roundedOff([...from, ...to], full, currency))
      .div(full)
      .plus(CUT_OFF),
  }
  if (isUniform || !before || !after) return isUniform ? [atFullPrice, asWritten] : [atFullPrice]
  const atChangedPrices = {
    ...{ from: sumOf(from).div(before.full), to: sumOf(to).div(after.full), price },
    isSamePrice: false,
    slack: unitsOf(lines, currency)
      .div(before.full.lt(after.full) ? before.full : after.full)
      .plus(CUT_OFF),
  }
  return before.full.eq(after.full) ? [atFullPrice] : [atFullPrice, atChangedPrices]
}

/** Returns the possible rounding of pro-rata prices, each times its licenses: `8 × 2.58`. */
function roundedOff(parts: readonly BilledPart[], full: Big, currency: string): Big {
  const partial = parts.filter(({ price, qty }) => price?.lt(full) && qty.gt(1))
  return unitsOf(1, currency).div(2).times(quantityOf(partial))
}

/**
 * Returns the highest price of some parts, which is that of a whole period, and whether all have it; undefined without a
 * price above 0. A written price of 0 whose amount is one minor unit counts as none: nothing can be divided by it.
 */
function pricesOf(parts: readonly BilledPart[], currency: string) {
  const prices = parts
    .flatMap((part) => (part.amount.gt(0) ? (unitPriceOf(part, currency) ?? []) : []))
    .filter(({ price }) => price.gt(0))
  const [first] = prices
  if (!first) return undefined
  const full = prices.reduce((most, { price }) => (price.gt(most) ? price : most), first.price)
  return { full, isUniform: prices.every(({ price, isSingle }) => isSingle && price.eq(full)) }
}
