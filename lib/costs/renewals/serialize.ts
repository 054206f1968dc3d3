import 'server-only'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { atEndText, EXTENDED_TERM, outcomeOf } from '#lib/licenses/assets/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { dayBegin, dayOf, epochOfDay, monthBegin, quarterOf } from '#lib/platform/values/days.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import type { Renewal as Item, RenewalList } from './contract.ts'
import type { RenewalData } from './read.ts'
import { byMonth, type Money, nextCostOf, quartersFrom, type Renewal, type Renewed, sumsOf } from './rules.ts'

/** Selection of the renewals to show. `month` as in `2026-12`, `quarter` as in `2027-Q1`. */
export type Selection = {
  month?: string | undefined
  quarter?: string | undefined
  filter?: { type?: string[] } | undefined
}

/**
 * Returns the renewals of the selected month and quarter, or all without a selection.
 * @throws Problem `invalid_request` for a quarter that is not read to its end
 */
export function chosenOf(
  { now, renewals }: Pick<RenewalData, 'now' | 'renewals'>,
  { month, quarter, filter }: Selection,
): Renewal[] {
  if (quarter !== undefined) checkQuarter(quarter, now)
  return ofTypes(renewals, filter).filter(
    ({ at }) =>
      (month === undefined || monthOf(monthBegin(at)) === month) &&
      (quarter === undefined || quarterOf(at) === quarter),
  )
}

function checkQuarter(quarter: string, now: number): void {
  const quarters = quartersFrom(now)
  if (quarters.includes(quarter)) return
  const detail = `must be one of ${quarters.join(', ')}`
  throw new Problem('invalid_request', `quarter: ${detail}`, { errors: [{ parameter: 'quarter', detail }] })
}

/** @param baseUrl the console's public address, without a trailing slash */
export function serializeRenewals(data: RenewalData, selection: Selection, baseUrl: string): RenewalList {
  const { now, renewals, isWhole, seesPrices } = data
  const chosen = chosenOf(data, selection)
  const types = Map.groupBy(renewals, ({ asset }) => asset.type)
  return {
    today: dayBegin(now),
    months: byMonth(ofTypes(renewals, selection.filter), now).map(({ begin, ...month }) => ({
      month: monthOf(begin),
      ...month,
    })),
    types: [...types].map(([type, { length: count }]) => ({ type, count })).sort(byType),
    sums: sumsOf(chosen).map(({ amount, idleAmount, ...sum }) => ({
      ...sum,
      amount: toJsonNumber(amount),
      idleAmount: toJsonNumber(idleAmount),
    })),
    ...(seesPrices ? { unpriced: chosen.filter(({ cost }) => !cost?.yearly).length } : {}),
    isWhole,
    renewals: chosen.map((one) => serializeRenewal(one, baseUrl)),
  }
}

function serializeRenewal(renewal: Renewal, baseUrl: string): Item {
  const { asset, at, renewalType, price, decideBy, scheduledTotal: _, ...others } = renewal
  const { cost, idleCost, nextCost, ...rest } = others
  const nextTotal = nextTotalOf(renewal)
  const outcome = outcomeOf(renewalType)
  return {
    ...rest,
    asset,
    time: at,
    decideBy: epochOfDay(decideBy),
    ...(renewalType && outcome ? { renewalType, outcome, happens: atEndText(renewalType) } : {}),
    ...(outcome === 'extended-term' ? extendedTermSettings() : {}),
    ...(nextTotal === undefined ? {} : { nextTotal }),
    ...(price ? { price: priceIn(price) } : {}),
    ...(cost ? { cost: moneyIn(cost) } : {}),
    ...(idleCost ? { idleCost: moneyIn(idleCost) } : {}),
    ...(nextCost ? { nextCost: moneyIn(nextCost) } : {}),
    url: `${baseUrl}/assets/${encodeURIComponent(asset.id)}`,
  }
}

/** Returns the ordered total for the next term, as scheduled by the vendor. */
export function nextTotalOf({ scheduledTotal }: Pick<Renewal, 'scheduledTotal'>): number | undefined {
  return scheduledTotal ?? undefined
}

function priceIn({ price, currency, months, invoiceId, invoiceDate }: LastPrice): Item['price'] {
  return {
    amount: toJsonNumber(price),
    currency,
    ...(months === null ? {} : { months }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
    invoiceDate: epochOfDay(invoiceDate),
  }
}

export function moneyIn({ amount, currency, per, yearly }: Money): NonNullable<Item['cost']> {
  return {
    amount: toJsonNumber(amount),
    currency,
    per,
    ...(yearly === null ? {} : { yearlyAmount: toJsonNumber(yearly) }),
  }
}

/**
 * Returns the costs after the end of a plan's commitment, at the last price: as the vendor shows the end, and as an
 * Extended Service Term.
 */
export function serializeNextCosts(
  plan: Renewed,
  price: LastPrice | undefined,
): Partial<Record<'next' | 'extended', NonNullable<Item['nextCost']>>> {
  const { surchargePercent } = extendedTermSettings()
  const next = price && nextCostOf(plan, price, surchargePercent)
  const extended = price && nextCostOf({ ...plan, renewalType: EXTENDED_TERM }, price, surchargePercent)
  return { ...(next ? { next: moneyIn(next) } : {}), ...(extended ? { extended: moneyIn(extended) } : {}) }
}

function ofTypes(renewals: readonly Renewal[], filter: Selection['filter']): readonly Renewal[] {
  const types = filter?.type
  return types ? renewals.filter(({ asset }) => types.includes(asset.type)) : renewals
}

/** Returns the month of a time, as in `2026-12`. */
function monthOf(begin: number): string {
  return dayOf(begin).slice(0, 7)
}

function byType(a: { type: string }, b: { type: string }): number {
  return a.type < b.type ? -1 : 1
}
