import { dayText, monthAndYear } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import type { Renewal } from './contract.ts'

type Cost = NonNullable<Renewal['cost']>

const PER: Record<Cost['per'], string> = {
  month: 'a month',
  year: 'a year',
  bill: 'per billing period',
}

/** Returns `1,044.00 USD a month`. */
export function costText({ amount, currency, per }: Cost): string {
  return `${moneyText(amount, currency)} ${PER[per]}`
}

/**
 * Returns the cost after the end of the commitment, at the last price: `Then 1,075.32 USD a month, with a surcharge of
 * 3 % (the vendor’s published figure)`; undefined where it is unknown.
 */
export function nextCostText({
  outcome,
  nextCost,
  surchargePercent,
}: Pick<Renewal, 'outcome' | 'nextCost' | 'surchargePercent'>): string | undefined {
  if (outcome === 'ends') return 'No charges after that'
  if (!nextCost) return undefined
  const isExtended = outcome === 'extended-term' && surchargePercent !== undefined
  const how = isExtended ? `, with a surcharge of ${surchargePercent} % (the vendor’s published figure)` : ''
  return `Then ${costText(nextCost)}${how}`
}

/** Returns `120 licenses`; with another total ordered for the next term: `120 licenses, 96 from 3 Dec 2026`. */
export function licensesText({
  purchased,
  nextTotal,
  time,
}: Pick<Renewal, 'purchased' | 'nextTotal' | 'time'>) {
  const now = `${countText(purchased)} ${purchased === 1 ? 'license' : 'licenses'}`
  return nextTotal === undefined ? now : `${now}, ${countText(nextTotal)} from ${dayText(time)}`
}

/** Returns the outcome at the end: `Renews with the licenses in use`. An unknown outcome is shown as the end only. */
export function happensText({ happens }: Pick<Renewal, 'happens'>): string {
  return happens ?? 'Commitment ends'
}

/** Returns `1 plan`, `12 plans`. */
export function plansText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'plan' : 'plans'}`
}

/** Returns the selected time of renewals: `in December 2026`, `in Q1 2027`. */
export function periodText({ month, quarter }: { month?: string | undefined; quarter?: string | undefined }) {
  if (month !== undefined) return `in ${monthAndYear(`${month}-01`)}`
  return quarter === undefined ? 'in the next 12 months' : `in ${quarter.split('-').reverse().join(' ')}`
}

export function countText(count: number): string {
  return count.toLocaleString('en')
}
