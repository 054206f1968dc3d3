import type { NewLineItem } from '#lib/imports/shapes.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Random } from '../random.ts'
import type { Service } from './usage-services.ts'

// Roughly what a dollar is worth; nothing adds or converts amounts of two currencies.
const RATES: Record<string, number> = { USD: 1, EUR: 0.9137, GBP: 0.7864, JPY: 151 }
// Prices have four decimals: they are counted in ten-thousandths, so that all stays whole numbers.
const PARTS = 10_000

/**
 * A month's usage of some services. Quantities are chosen so that each line's amount is a whole number of
 * the currency's minor unit, as an invoice prints it.
 * @param size of the month's usage, 1 being a busy month
 */
export function usageLines(random: Random, { type, services, currency, size, details }: UsageMonth): Lines {
  const places = minorUnit(currency)
  const lines = services.map((service) => {
    const parts = priceParts(service.price, currency, places)
    const step = wholeAmountStep(parts, places)
    const wanted = service.quantity * size * random.around(0.12)
    const quantity = Math.max(1, Math.round(wanted / step)) * step
    return {
      type,
      description: service.name,
      price: decimal(parts),
      qty: String(quantity),
      details: `${details}, per ${service.unit}`,
    }
  })
  return lines as Lines
}

/** An invoice has one line at least. */
export type Lines = [NewLineItem, ...NewLineItem[]]

export type UsageMonth = {
  type: string
  services: readonly Service[]
  currency: string
  size: number
  /** What each line's details begin with: the period, with the account before it where there are several. */
  details: string
}

/** The price in ten-thousandths of the currency. From 1 on it is in minor units; yen are in twentieths. */
function priceParts(dollars: number, currency: string, places: number): number {
  const parts = Math.round(dollars * (RATES[currency] ?? 1) * PARTS)
  const unit = places === 0 ? PARTS / 20 : parts < PARTS ? 1 : PARTS / 10 ** places
  return Math.max(unit, Math.round(parts / unit) * unit)
}

/** The smallest quantity whose amount has no fraction of a minor unit. */
function wholeAmountStep(parts: number, places: number): number {
  const perMinorUnit = PARTS / 10 ** places
  return perMinorUnit / greatestDivisor(parts, perMinorUnit)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

function decimal(parts: number): string {
  return (parts / PARTS).toFixed(4).replace(/\.?0+$/, '')
}
