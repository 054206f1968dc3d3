import { createHash } from 'node:crypto'
import Big from 'big.js'
import { addDays, dayOf } from '#lib/days.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { minorUnit } from '#lib/money.ts'
import type { Bill, ChargeGroup } from './bill.ts'
import type { Platforms } from './platforms.ts'
import { roundTogether } from './rounding.ts'

export type Terms = {
  platforms: Platforms
  /** Whole days from the invoice date. */
  dueDays: number
  /** Nothing is left to pay. Otherwise the file says nothing of payments. */
  paid: boolean
}

/** A bill as an invoice: the exact sum rounded to the minor unit, one line per group of charges. */
export function invoiceOf(bill: Bill, { platforms, dueDays, paid }: Terms): NewInvoice {
  const charges = bill.charges.toSorted(dearestFirst)
  const costs = charges.map(({ cost }) => cost)
  const { total, shares } = roundTogether(costs, minorUnit(bill.currency))
  // The end is exclusive, so the last day of the period is the one that holds the moment before.
  const last = bill.end - 1
  return {
    number: bill.invoiceId ?? numberOf(bill),
    platform: mainPlatform(charges, platforms),
    issuer: bill.issuer,
    invoiceDate: dayOf(last),
    dueDate: addDays(dayOf(last), dueDays),
    currency: bill.currency,
    totalAmount: total,
    ...(paid ? { balanceAmount: '0' } : {}),
    lines: charges.map(({ provider, service, category, count }, index) => ({
      type: platforms(provider),
      description: service,
      price: shares[index] ?? '0',
      qty: '1',
      details: `${category}, ${count.toLocaleString('en-US')} ${count === 1 ? 'charge' : 'charges'}`,
    })),
  }
}

/** The period and a short digest of what tells this bill from others of it: the same in every run. */
function numberOf({ issuer, account, currency, start, end }: Bill): string {
  const whole = JSON.stringify([issuer, account, currency, dayOf(start), dayOf(end)])
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${dayOf(start).slice(0, 7)}-${digest}`
}

/** The platform whose charges weigh most, of either sign; nearly always it is the only one. */
function mainPlatform(charges: readonly ChargeGroup[], platforms: Platforms): string {
  const weights = new Map<string, Big>()
  for (const { provider, cost } of charges) {
    const platform = platforms(provider)
    weights.set(platform, (weights.get(platform) ?? new Big(0)).plus(cost.abs()))
  }
  const [[heaviest] = ['']] = [...weights].sort(([a, x], [b, y]) => y.cmp(x) || byText(a, b))
  return heaviest
}

function dearestFirst(a: ChargeGroup, b: ChargeGroup): number {
  return (
    b.cost.cmp(a.cost) ||
    byText(a.service, b.service) ||
    byText(a.category, b.category) ||
    byText(a.provider, b.provider)
  )
}

/** By code unit: the same order everywhere. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
