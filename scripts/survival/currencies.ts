import Big from 'big.js'
import { minorUnit } from '#lib/platform/values/money.ts'
import { PUBLISHED, UNITLESS, WITHDRAWN } from '#lib/platform/values/test-iso-4217.ts'

/** All currencies of possible invoices: in use, without a minor unit, withdrawn. */
export const CURRENCIES = [
  ...PUBLISHED.map(({ code }) => code),
  ...UNITLESS.filter((code) => code !== 'XXX' && code !== 'XTS'),
  ...WITHDRAWN,
]

const units = new Map(PUBLISHED.map(({ code, unit }) => [code, unit]))

/** The published minor unit; the product's own only if none is published. */
export function unitOf(currency: string): number {
  return units.get(currency) ?? minorUnit(currency)
}

/** Returns an amount as a PDF has to show it, without the formatter under test. */
export function pdfAmount(amount: string | Big, currency: string): string {
  const value = new Big(amount)
  const decimals = value.toFixed().split('.')[1]?.length ?? 0
  const [whole = '', fraction] = value
    .abs()
    .toFixed(Math.max(decimals, unitOf(currency)))
    .split('.')
  const grouped = BigInt(whole).toLocaleString('en-US')
  return `${value.lt(0) ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`
}
