import Big from 'big.js'
import type { BilledPart, Cause } from '#lib/costs/causes/cause.ts'
import { daysOf, findSeatChanges, isLicensed, type LicensedAsset } from '#lib/costs/causes/licensed-assets.ts'
import { stableProductOf } from '#lib/costs/causes/line-match.ts'
import { causesOf } from '#lib/costs/causes/product.ts'
import type { TaxPlacement } from '#lib/costs/causes/rules.ts'
import { taxCauses, taxLineCauses, taxNameOf } from '#lib/costs/causes/tax.ts'
import { DAY_MS, dayOf, epochOfDay, monthBegin } from '#lib/platform/values/days.ts'
import type { MonthRows, PartRow, Side, TotalRow } from './store.ts'

/** Cause with its platform; without a description where it concerns no single product. */
export type PlacedCause = Cause & { platform: string; description?: string }

/** Explanation of the difference between two months' invoices in one currency. */
export type CurrencyExplanation = {
  currency: string
  from: { count: number; total: Big }
  to: { count: number; total: Big }
  /** Causes, grouped by product, largest effect first. They add up to `to` less `from`, exactly. */
  causes: PlacedCause[]
  /** Products that both months bill alike. */
  unchanged: number
  /** Placement of the tax on the invoices; absent where none has tax information, or the lines do not add up. */
  tax?: TaxPlacement
}

/** The causes of each currency, the one with the most invoices first. */
export function explain(
  { totals, parts, smaller }: MonthRows,
  assets: readonly LicensedAsset[],
  month: Month,
): CurrencyExplanation[] {
  const byCurrency = Map.groupBy(totals, ({ currency }) => currency)
  const all = [...byCurrency].map(([currency, currencyTotals]): CurrencyExplanation => {
    const [taxes, others] = partsOf(parts.filter((part) => part.currency === currency))
    const products = Map.groupBy(others, (part) => `${part.platform} ${stableProductOf(part)}`)
    const productCauses = [...products.values()].map((lines) => causesOfProduct(lines, assets, month))
    const less = smaller.filter((one) => one.currency === currency)
    const rest = less.map(({ platform, differing, effect }) => [
      { kind: 'smaller' as const, platform, products: differing, effect: new Big(effect) },
    ])
    const groups = [
      ...productCauses,
      ...rest,
      ...causesOfTaxLines(taxes, currencyTotals),
      ...causesOfTotals(currencyTotals),
    ]
    return {
      currency,
      from: sumOf(currencyTotals, 'from'),
      to: sumOf(currencyTotals, 'to'),
      causes: groups
        .map((causes) => causes.filter(({ effect }) => !effect.eq(0)))
        .filter((causes) => causes.length > 0)
        .sort(byEffect)
        .flat(),
      unchanged:
        productCauses.filter((causes) => causes.length === 0).length +
        less.reduce((sum, { unchanged }) => sum + unchanged, 0),
      ...taxPlacementOf(currencyTotals),
    }
  })
  const count = ({ from, to }: CurrencyExplanation) => from.count + to.count
  return all.sort((a, b) => count(b) - count(a) || byText(a.currency, b.currency))
}

/** Lines that are nothing but tax, and the others. */
function partsOf(parts: readonly PartRow[]): [taxes: PartRow[], others: PartRow[]] {
  const isTax = ({ tax, amount }: PartRow) => !new Big(amount).eq(0) && new Big(tax).eq(amount)
  return [parts.filter(isTax), parts.filter((part) => !isTax(part))]
}

/** The causes of each tax that lines of its own bill. */
function causesOfTaxLines(taxes: readonly PartRow[], totals: readonly TotalRow[]): PlacedCause[][] {
  return [...Map.groupBy(taxes, ({ platform }) => platform)].flatMap(([platform, platformTaxes]) => {
    const names = [...Map.groupBy(platformTaxes, (row) => taxNameOf(billedPart(row))).values()]
    const base = (side: Side) => sumOfField(totals, { platform, side }, 'taxLineBase')
    const bases = names.length === 1 ? { from: base('from'), to: base('to') } : undefined
    return names.map((lines): PlacedCause[] => {
      const partsOf = (side: Side) => lines.filter((line) => line.side === side).map(billedPart)
      const [from, to] = [partsOf('from'), partsOf('to')]
      const description = (to[0] ?? from[0])?.description ?? ''
      return taxLineCauses(from, to, bases).map((cause) => ({ ...cause, platform, description }))
    })
  })
}

function sumOfField(
  totals: readonly TotalRow[],
  { platform, side }: { platform: string; side: Side },
  field: 'tax' | 'taxBase' | 'taxLineBase' | 'rounding' | 'notItemized' | 'withoutTax',
): Big {
  const platformTotals = totals.filter((row) => row.platform === platform && row.side === side)
  return platformTotals.reduce((sum, row) => sum.plus(row[field]), new Big(0))
}

function causesOfProduct(
  lines: readonly PartRow[],
  assets: readonly LicensedAsset[],
  month: Month,
): PlacedCause[] {
  const linesOf = (side: Side) => lines.filter((line) => line.side === side)
  const [from, to] = [linesOf('from'), linesOf('to')]
  const named = to[0] ?? from[0]
  if (!named) return []
  const { type, description, platform, currency } = named
  const causes = causesOf({
    currency,
    isLicensed: isLicensed(type),
    from: from.map(billedPart),
    to: to.map(billedPart),
    during: {
      from: { from: epochOfDay(month.before), to: epochOfDay(month.begin) - DAY_MS },
      to: { from: epochOfDay(month.begin), to: epochOfDay(month.end) },
    },
    seatChanges: isLicensed(type) ? findSeatChanges(named, assets) : undefined,
  })
  return causes.map((cause) => ({ ...cause, platform, description }))
}

function billedPart(row: PartRow): BilledPart {
  const { type, description, details, currency, price, taxRate, lines } = row
  const [amount, tax, qty] = [new Big(row.amount), new Big(row.tax), new Big(row.qty)]
  const days = daysOf(details, { from: epochOfDay(row.firstDay), to: epochOfDay(row.lastDay) })
  const { isMetered } = row
  const part = { type, description, details, currency, lines, amount, tax, qty, days, isMetered }
  const decimal = (value: string | null) => (value === null ? undefined : new Big(value))
  return { ...part, price: decimal(price), taxRate: decimal(taxRate) }
}

/**
 * Returns the causes outside the lines, per platform: tax of net lines, rounding of sums, and amounts that are not
 * itemized.
 */
function causesOfTotals(totals: readonly TotalRow[]): PlacedCause[][] {
  const platforms = [...new Set(totals.map(({ platform }) => platform))]
  return platforms.flatMap((platform) => {
    const sumOfSide = (side: Side, field: Parameters<typeof sumOfField>[2]) =>
      sumOfField(totals, { platform, side }, field)
    const taxed = (side: Side) => ({
      ...{ tax: sumOfSide(side, 'tax'), base: sumOfSide(side, 'taxBase') },
      roundings: Number(sumOfSide(side, 'withoutTax')),
      rates: totals
        .filter((row) => row.platform === platform && row.side === side)
        .flatMap(({ lowRate, highRate }) => [lowRate, highRate])
        .flatMap((rate) => (rate === null ? [] : [new Big(rate)])),
    })
    const taxes = taxCauses(taxed('from'), taxed('to'), totals[0]?.currency ?? '')
    const rest = (['rounding', 'notItemized'] as const).map((kind): PlacedCause[] => [
      { kind, platform, effect: sumOfSide('to', kind).minus(sumOfSide('from', kind)) },
    ])
    return [taxes.map((cause) => ({ ...cause, platform })), ...rest]
  })
}

function taxPlacementOf(totals: readonly TotalRow[]): { tax?: TaxPlacement } {
  const isWith = totals.some(({ withTax }) => withTax > 0)
  const isWithout = totals.some(({ withoutTax }) => withoutTax > 0)
  if (!isWith && !isWithout) return {}
  return { tax: isWith && isWithout ? 'BOTH' : isWith ? 'IN_LINES' : 'BESIDE_LINES' }
}

function sumOf(totals: readonly TotalRow[], side: Side) {
  const sideTotals = totals.filter((row) => row.side === side)
  return {
    count: sideTotals.reduce((sum, row) => sum + row.count, 0),
    total: sideTotals.reduce((sum, row) => sum.plus(row.total), new Big(0)),
  }
}

/** The product with the largest effect first, up or down; then by text. */
function byEffect(a: readonly PlacedCause[], b: readonly PlacedCause[]): number {
  const sum = (causes: readonly PlacedCause[]) =>
    causes.reduce((all, { effect }) => all.plus(effect), new Big(0))
  const name = ([first]: readonly PlacedCause[]) =>
    `${first?.platform} ${first?.description ?? ''} ${first?.kind}`
  return sum(b).abs().cmp(sum(a).abs()) || byText(name(a), name(b))
}

/** Compares by code unit, independent of the locale. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The days of a month and of the one before, as `YYYY-MM-DD`. */
export type Month = {
  /** The first day of the month before. */
  before: string
  /** The first day of the month, and its last one. */
  begin: string
  end: string
}

/** @param month as `YYYY-MM` */
export function monthOf(month: string): Month {
  const begin = `${month}-01`
  return {
    before: dayOf(monthBegin(begin, -1)),
    begin,
    end: dayOf(monthBegin(begin, 1) - DAY_MS),
  }
}
