import type { NewLineItem } from '#lib/imports/schemas.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Random } from '../random.ts'

// Rough value of a dollar; amounts of two currencies are never added or converted.
const RATES: Record<string, number> = { USD: 1, EUR: 0.9137, GBP: 0.7864, JPY: 151 }
// Prices have four decimals and are counted in ten-thousandths, so that all numbers are whole.
const PARTS = 10_000

/**
 * Returns a month's usage of some services. Quantities make each line's amount a whole number of the currency's minor
 * unit, as an invoice prints it.
 * @param size of the month's usage, 1 being a busy month
 */
export function usageLines(random: Random, { type, services, currency, size, details }: UsageMonth): Lines {
  const decimals = minorUnit(currency)
  const lines = services.map((service) => {
    const parts = priceParts(service.price, currency, decimals)
    const step = wholeAmountStep(parts, decimals)
    const target = service.quantity * size * random.around(0.12)
    const quantity = Math.max(1, Math.round(target / step)) * step
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
  /** Beginning of each line's details: the period, preceded by the account where there are several. */
  details: string
}

/** Returns the price in ten-thousandths of the currency. From 1 on it is in minor units; yen are in twentieths. */
function priceParts(dollars: number, currency: string, decimals: number): number {
  const parts = Math.round(dollars * (RATES[currency] ?? 1) * PARTS)
  const unit = decimals === 0 ? PARTS / 20 : parts < PARTS ? 1 : PARTS / 10 ** decimals
  return Math.max(unit, Math.round(parts / unit) * unit)
}

/** Returns the smallest quantity whose amount has no fraction of a minor unit. */
function wholeAmountStep(parts: number, decimals: number): number {
  const perMinorUnit = PARTS / 10 ** decimals
  return perMinorUnit / greatestDivisor(parts, perMinorUnit)
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

function decimal(parts: number): string {
  return (parts / PARTS).toFixed(4).replace(/\.?0+$/, '')
}

/** Charge of a usage-based platform. Prices in US dollars per unit, quantities of one busy month. */
export type Service = { name: string; unit: string; price: number; quantity: number }

/** Invented services of the type `web-services`, the dearest first. */
export const WEB_SERVICES: readonly Service[] = [
  { name: 'Compute, general purpose, on demand', unit: 'hour', price: 0.0928, quantity: 187_400 },
  { name: 'Compute, memory optimized, on demand', unit: 'hour', price: 0.2412, quantity: 41_760 },
  { name: 'Managed relational database, two zones', unit: 'hour', price: 0.6838, quantity: 11_680 },
  { name: 'Object storage, standard class', unit: 'GB-month', price: 0.0219, quantity: 318_200 },
  { name: 'Data transfer to the internet', unit: 'GB', price: 0.0847, quantity: 52_900 },
  { name: 'Block storage, solid state', unit: 'GB-month', price: 0.0812, quantity: 46_300 },
  { name: 'Search cluster', unit: 'hour', price: 0.3345, quantity: 8_760 },
  { name: 'In-memory cache', unit: 'hour', price: 0.1567, quantity: 13_140 },
  { name: 'Data transfer between regions', unit: 'GB', price: 0.0193, quantity: 71_600 },
  { name: 'Load balancing', unit: 'hour', price: 0.0237, quantity: 29_200 },
  { name: 'Functions, compute time', unit: 'thousand GB-seconds', price: 0.0164, quantity: 48_700 },
  { name: 'Metrics and alarms', unit: 'metric', price: 0.2911, quantity: 2_140 },
  { name: 'Object storage, archive class', unit: 'GB-month', price: 0.0037, quantity: 204_000 },
  { name: 'Message queues', unit: 'million requests', price: 0.3862, quantity: 1_310 },
  { name: 'Encryption keys', unit: 'key', price: 0.97, quantity: 214 },
  { name: 'Hosted DNS zones', unit: 'zone', price: 0.48, quantity: 96 },
]

/** Invented services of the type `cloud-platform`, the dearest first. */
export const CLOUD_SERVICES: readonly Service[] = [
  { name: 'Balanced machines, cores', unit: 'core-hour', price: 0.0313, quantity: 412_000 },
  { name: 'Managed PostgreSQL, 16 cores, high availability', unit: 'instance', price: 1842.17, quantity: 3 },
  { name: 'Warehouse, bytes scanned', unit: 'TiB', price: 6.1873, quantity: 870 },
  { name: 'Balanced machines, memory', unit: 'GiB-hour', price: 0.0042, quantity: 1_140_000 },
  { name: 'Object storage, two regions', unit: 'GiB-month', price: 0.0257, quantity: 161_300 },
  { name: 'Accelerators, inference', unit: 'hour', price: 0.5716, quantity: 4_380 },
  { name: 'Network egress, worldwide', unit: 'GiB', price: 0.1082, quantity: 18_900 },
  { name: 'Log ingestion', unit: 'GiB', price: 0.4983, quantity: 2_960 },
  { name: 'Container clusters, control plane', unit: 'hour', price: 0.0991, quantity: 5_840 },
  { name: 'Warehouse, active storage', unit: 'GiB-month', price: 0.0198, quantity: 24_600 },
  { name: 'Address look-ups', unit: 'thousand requests', price: 4.7312, quantity: 88 },
  { name: 'Secrets, versions', unit: 'version', price: 0.0587, quantity: 1_420 },
]
