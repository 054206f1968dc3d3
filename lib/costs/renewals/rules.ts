import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { decideBy, outcomeOf } from '#lib/licenses/assets/rules.ts'
import { monthBegin, quarterOf } from '#lib/platform/values/days.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'

/** Number of months with renewals, including the present one. */
export const MONTHS = 12

/** A plan whose commitment ends. Times in epoch milliseconds. */
export type Plan = {
  asset: { id: string; name: string; type: string }
  domain: string
  planName: string
  purchased: number
  assigned: number
  /** End of the commitment. */
  at: number
  renewalType: string | null
  /** Total for the next term, where its vendor has an order for it. */
  scheduledTotal: number | null
}

/** Money for a plan's licenses at the last price, rounded once to the currency's minor unit. Amounts are exact text. */
export type Money = {
  amount: string
  currency: string
  /** Payment interval of the plan; `bill`: the last billed period, which is not whole months. */
  per: 'month' | 'year' | 'bill'
  /** Amount per year; null where the period is unknown. */
  yearly: string | null
}

/** Renewal of a plan. */
export type Renewal = Plan & {
  /** Number of licenses unassigned now. */
  idle: number
  /** The last day on which its next term can be decided on, `YYYY-MM-DD`. */
  decideBy: string
  /** Last billed price of a license; absent where unknown or hidden from the reader. */
  price?: LastPrice
  cost?: Money
  /** Cost of the idle licenses. */
  idleCost?: Money
  /** Cost after the end of the commitment; absent where the plan ends, too. */
  nextCost?: Money
}

/** Renewals of a month. */
export type Month = {
  /** Its midnight of UTC, in epoch milliseconds. */
  begin: number
  count: number
  licenses: number
  idle: number
}

/** Renewals in one currency, per year. */
export type Sum = { currency: string; count: number; amount: string; idleAmount: string }

/** @param surchargePercent of an Extended Service Term */
export function renewalOf(plan: Plan, price: LastPrice | undefined, surchargePercent: number): Renewal {
  const idle = Math.max(0, plan.purchased - plan.assigned)
  const renewal = { ...plan, idle, decideBy: decideBy(plan.at) }
  if (!price) return renewal
  const { planName, purchased } = plan
  const idleCost = idle > 0 ? { idleCost: moneyOf(idle, price, planName) } : {}
  const next = nextCostOf(plan, price, surchargePercent)
  return {
    ...{ ...renewal, price, cost: moneyOf(purchased, price, planName), ...idleCost },
    ...(next ? { nextCost: next } : {}),
  }
}

/** Licenses that the outcome of a commitment's end applies to. */
export type Renewed = Pick<Plan, 'planName' | 'purchased' | 'assigned' | 'renewalType' | 'scheduledTotal'>

/**
 * Returns the cost after the end of a commitment, at the last price: of the ordered licenses, of those in use where the
 * vendor renews these, or of an Extended Service Term with its surcharge, which is paid by the month. Undefined where
 * the plan ends, switches to flexible, or nothing is stated.
 */
export function nextCostOf(plan: Renewed, price: LastPrice, surchargePercent: number): Money | undefined {
  const { planName, purchased, assigned, renewalType, scheduledTotal } = plan
  const outcome = outcomeOf(renewalType) ?? (scheduledTotal === null ? undefined : 'renews')
  if (outcome === 'extended-term') {
    const surcharged = new Exact(price.price).times(new Exact(surchargePercent).plus(100)).div(100).toFixed()
    return moneyOf(purchased, { ...price, price: surcharged }, MONTHLY)
  }
  if (outcome !== 'renews') return undefined
  const isInUse = renewalType?.startsWith('RENEW_CURRENT_USERS')
  return moneyOf(scheduledTotal ?? (isInUse ? assigned : purchased), price, planName)
}

/** Plan that is paid by the month. */
const MONTHLY = 'FLEXIBLE'

/** Returns the cost of a number of licenses per the plan's payment interval: year, else month. */
export function moneyOf(count: number, { price, currency, months }: LastPrice, planName: string): Money {
  const whole = new Exact(price).times(count)
  // A division is to 20 places, far below any minor unit.
  const rounded = (times: number) => roundMoney(whole.times(times).div(months ?? 1), currency).toFixed()
  if (months === null) return { amount: rounded(1), currency, per: 'bill', yearly: null }
  const yearly = rounded(12)
  if (/YEARLY/.test(planName)) return { amount: yearly, currency, per: 'year', yearly }
  return { amount: rounded(1), currency, per: 'month', yearly }
}

/** Returns the midnights at the start of this and the following months. @param now in epoch milliseconds */
export function monthsFrom(now: number): number[] {
  return Array.from({ length: MONTHS }, (_, offset) => monthBegin(now, offset))
}

/** Groups renewals by month, including empty months. */
export function byMonth(renewals: readonly Renewal[], now: number): Month[] {
  const renewalsByMonth = Map.groupBy(renewals, ({ at }) => monthBegin(at))
  return monthsFrom(now).map((begin) => {
    const its = renewalsByMonth.get(begin) ?? []
    const sum = (amountOf: (one: Renewal) => number) => its.reduce((total, one) => total + amountOf(one), 0)
    return {
      begin,
      count: its.length,
      licenses: sum(({ purchased }) => purchased),
      idle: sum(({ idle }) => idle),
    }
  })
}

/** Returns the quarters whose end is within the months with renewals, this one first. */
export function quartersFrom(now: number): string[] {
  return Array.from({ length: MONTHS / 3 }, (_, quarters) => quarterOf(now, quarters))
}

/** Sums renewals by currency per year, adding up the rows as shown. Currencies are never added to each other. */
export function sumsOf(renewals: readonly Renewal[]): Sum[] {
  const priced = renewals.flatMap(({ cost, idleCost }) =>
    cost?.yearly ? [{ currency: cost.currency, yearly: cost.yearly, idle: idleCost?.yearly ?? '0' }] : [],
  )
  return [...Map.groupBy(priced, ({ currency }) => currency)]
    .map(([currency, its]) => {
      const sum = (amountOf: (one: (typeof its)[number]) => string) =>
        its.reduce((total, one) => total.plus(amountOf(one)), new Exact(0)).toFixed()
      return {
        currency,
        count: its.length,
        amount: sum((one) => one.yearly),
        idleAmount: sum((one) => one.idle),
      }
    })
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}
