// Amounts as text, in the one way of screen, PDF, CSV and mail. Browsers have it too: it is small, and needs no library.

/** A decimal, exact: as text, or as a JSON number, which stands for its shortest text. */
export type Decimal = string | number

/**
 * The minor unit of a currency as a number of decimals: 2 for USD and HUF, 0 for JPY, 3 for KWD. Intl is not asked: it
 * follows what is in people's purses, and moves with its version. What ISO 4217 has no unit for (gold, drawing rights),
 * and what is stored with a code that is none, has 2.
 */
export function minorUnit(currency: string): number {
  return UNITS.get(currency) ?? DEFAULT_DECIMALS
}

/** What a currency has whose code `UNITS` does not name. */
export const DEFAULT_DECIMALS = 2

/** ISO 4217 as published on 2026-01-01: what has not 2 decimals. `lib/platform/values/currencies.ts` has all codes. */
export const UNITS: ReadonlyMap<string, number> = new Map([
  ...codes('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF', 0),
  // Withdrawn, with what they had.
  ...codes('ADP BEC BEF BEL BYB BYR ESA ESB ESP GRD ITL LUC LUF LUL MGF PTE ROL TPE TRL', 0),
  ...codes('BHD IQD JOD KWD LYD OMR TND', 3),
  ...codes('CLF UYW', 4),
])

function codes(text: string, unit: number) {
  return text.split(' ').map((code) => [code, unit] as const)
}

/** Writes a decimal for people: thousands separated, a real minus, at least so many places. None of its own is lost. */
export function formatDecimal(value: Decimal, decimals = 0): string {
  const [sign, whole, fraction] = partsOf(value, decimals)
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign ? '−' : ''}${grouped}${fraction && `.${fraction}`}`
}

/** Writes an amount with its currency's own number of places, or more if it has more: `39,004.92`, in JPY `39,005`. */
export function formatAmount(value: Decimal, currency: string): string {
  return formatDecimal(value, minorUnit(currency))
}

/** The same with the currency's code after it, never a symbol: `$` is a dozen currencies. */
export function moneyText(value: Decimal, currency: string): string {
  return `${formatAmount(value, currency)} ${currency}`
}

/** Writes an amount for programs: no separators, with at least its currency's own places; none of its own is lost. */
export function plainAmount(value: Decimal, currency: string): string {
  return plainText(partsOf(value, minorUnit(currency)))
}

/** Whether an amount has more decimals than its currency: nobody can pay it exactly. */
export function isFiner(value: Decimal, currency: string): boolean {
  return partsOf(value, 0)[2].length > minorUnit(currency)
}

/** Adds up prices, each times a whole number, exactly; as plain decimal text. For browsers, which have no big.js. */
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

/** Without zeros at the ends but for those that the places ask for. Zero has no sign. */
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
