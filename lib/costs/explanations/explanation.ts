import Big from 'big.js'
import type { BilledPart, Cause } from '#lib/costs/causes/cause.ts'
import { daysOf, findSeatChanges, isLicensed, type LicensedAsset } from '#lib/costs/causes/licensed-assets.ts'
import { stableProductOf } from '#lib/costs/causes/line-match.ts'
import { causesOf } from '#lib/costs/causes/product.ts'
import type { TaxPlacement } from '#lib/costs/causes/rules.ts'
import { DAY_MS, dayOf, epochOfDay, monthBegin } from '#lib/platform/values/days.ts'
import type { MonthRows, PartRow, Side, TotalRow } from './store.ts'

/** A cause and where it is; what concerns no single product has no description. */
export type PlacedCause = Cause & { platform: string; description?: string }

/** Why one month's invoices come to more or less than those of the month before, in one currency. */
export type CurrencyExplanation = {
  currency: string
  from: { count: number; total: Big }
  to: { count: number; total: Big }
  /** Those of a product together, the one with the largest effect first. They add up to `to` less `from`, exactly. */
  causes: PlacedCause[]
  /** Products that both months bill alike. */
  unchanged: number
  /** Where the tax of the invoices stands; absent where nobody told of any, or their lines do not add up. */
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
    const products = Map.groupBy(
      parts.filter((part) => part.currency === currency),
      (part) => `${part.platform} ${stableProductOf(part)}`,
    )
    const productCauses = [...products.values()].map((lines) => causesOfProduct(lines, assets, month))
    const others = smaller.filter((one) => one.currency === currency)
    const rest = others.map(({ platform, differing, effect }) => [
      { kind: 'smaller' as const, platform, products: differing, effect: new Big(effect) },
    ])
    const groups = [...productCauses, ...rest, ...causesOfTotals(currencyTotals)]
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
        others.reduce((sum, { unchanged }) => sum + unchanged, 0),
      ...taxPlacementOf(currencyTotals),
    }
  })
  const count = ({ from, to }: CurrencyExplanation) => from.count + to.count
  return all.sort((a, b) => count(b) - count(a) || byText(a.currency, b.currency))
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
  const part = { type, description, details, currency, lines, amount, tax, qty, days }
  const decimal = (value: string | null) => (value === null ? undefined : new Big(value))
  return { ...part, price: decimal(price), taxRate: decimal(taxRate) }
}

/** What no line tells: of each platform the tax of lines without it, the rounding of sums, and what is not itemized. */
function causesOfTotals(totals: readonly TotalRow[]): PlacedCause[][] {
  return [...Map.groupBy(totals, ({ platform }) => platform)].flatMap(([platform, platformTotals]) =>
    (['tax', 'rounding', 'notItemized'] as const).map((kind) => {
      const sum = (side: Side) =>
        platformTotals
          .filter((row) => row.side === side)
          .reduce((sum, row) => sum.plus(row[kind]), new Big(0))
      return [{ kind, platform, effect: sum('to').minus(sum('from')) }]
    }),
  )
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

/** By code unit: the same order everywhere. */
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
