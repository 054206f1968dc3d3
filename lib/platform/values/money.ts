// Amounts as text, identical on screen and in PDF, CSV and mail. Also used in browsers: small, and without a library.

/** Exact decimal: text, or a JSON number, which counts as its shortest text. */
export type Decimal = string | number

/**
 * Returns the minor unit of a currency as a number of decimals: 2 for USD and HUF, 0 for JPY, 3 for KWD. Does not use
 * Intl, which follows cash in circulation and changes with its version. Codes without a minor unit in ISO 4217 (gold,
 * drawing rights), and invalid stored codes, have 2.
 */
export function minorUnit(currency: string): number {
  return UNITS.get(currency) ?? DEFAULT_DECIMALS
}

/** Decimals of currencies that are not in `UNITS`. */
export const DEFAULT_DECIMALS = 2

/**
 * Currencies with other than 2 decimals (ISO 4217 as published on 2026-01-01). `lib/platform/values/currency-codes.ts` has
 * all codes.
 */
export const UNITS: ReadonlyMap<string, number> = new Map([
  ...codes('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF', 0),
  // Withdrawn currencies, with their former units.
  ...codes('ADP BEC BEF BEL BYB BYR ESA ESB ESP GRD ITL LUC LUF LUL MGF PTE ROL TPE TRL', 0),
  ...codes('BHD IQD JOD KWD LYD OMR TND', 3),
  ...codes('CLF UYW', 4),
])

function codes(text: string, unit: number) {
  return text.split(' ').map((code) => [code, unit] as const)
}

/**
 * Returns a decimal for people: with thousands separators, a minus sign (U+2212), and at least `decimals` places. No
 * digit is lost.
 */
export function formatDecimal(value: Decimal, decimals = 0): string {
  const [sign, whole, fraction] = partsOf(value, decimals)
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign ? '−' : ''}${grouped}${fraction && `.${fraction}`}`
}

/** Returns an amount with its currency's number of decimals, or more if it has more: `39,004.92`, in JPY `39,005`. */
export function formatAmount(value: Decimal, currency: string): string {
  return formatDecimal(value, minorUnit(currency))
}

/**
 * Returns the amount like `formatDecimal`, followed by the currency's code, never a symbol: `$` is a dozen currencies.
 */
export function moneyText(value: Decimal, currency: string): string {
  return `${formatAmount(value, currency)} ${currency}`
}

/** Returns an amount for programs: without separators, with at least its currency's decimals; no digit is lost. */
export function plainAmount(value: Decimal, currency: string): string {
  return plainText(partsOf(value, minorUnit(currency)))
}

/** Returns whether an amount has more decimals than its currency, and so can't be paid exactly. */
export function isFiner(value: Decimal, currency: string): boolean {
  return partsOf(value, 0)[2].length > minorUnit(currency)
}

/**
 * Returns the exact sum of prices, each times a whole number, as plain decimal text. For browsers, which lack big.js.
 */
export function sumOf(parts: readonly (readonly [price: Decimal, times: number])[]): string {
  const terms = parts.map(([price, times]) => ({ price: partsOf(price, 0), times: BigInt(times) }))
  const decimals = Math.max(0, ...terms.map(({ price }) => price[2].length))
  const sum = terms.reduce(
    (all, { price: [sign, whole, fraction], times }) =>
      all + BigInt(sign + whole + fraction.padEnd(decimals, '0')) * times,
    0n,
  )
  return plainText(partsOf(`${sum}e-${decimals}`, 0))
}

function plainText([sign, whole, fraction]: Parts): string {
  return `${sign}${whole}${fraction && `.${fraction}`}`
}

type Parts = [sign: string, whole: string, fraction: string]

/** Returns sign, integer part and fraction, without superfluous zeros beyond `decimals` places. Zero has no sign. */
function partsOf(value: Decimal, decimals: number): Parts {
  const [, minus, before = '', after = '', exponent = '0'] =
    /^\+?(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(value)) ?? []
  if (before + after === '') throw new RangeError(`${value} is no decimal`)
  const point = before.length + Number(exponent)
  const digits = '0'.repeat(Math.max(0, -point)) + (before + after).padEnd(point, '0')
  const cut = Math.max(0, point)
  const whole = digits.slice(0, cut).replace(/^0+(?=\d)/, '') || '0'
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return [minus && /[1-9]/.test(digits) ? '-' : '', whole, fraction.padEnd(decimals, '0')]
}
