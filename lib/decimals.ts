import Big from 'big.js'

// Exact decimals: money, prices and metered quantities never pass through a float on their way.

/** Enough for any product of two amounts; only `roundTo` ever rounds. */
export const Exact = Big()

/** A decimal, exact: as text, or as a JSON number, which stands for its shortest text. */
export type Decimal = string | number

const SHAPE = /^[+-]?(?:\d{1,80}(?:\.\d{0,80})?|\.\d{1,80})(?:[eE][+-]?\d{1,3})?$/
/** A quadrillion is more than any invoice, and far less than what slows arithmetic down. */
export const MOST_WHOLE = 15
/** Metered charges come as fractions of a cent with the digits of a 64-bit float behind them. */
export const MOST_DECIMALS = 60

/**
 * Reads a decimal that somebody else wrote, exactly; also in scientific notation.
 * @returns undefined where the text is none, or has more digits than `MOST_WHOLE` before its point or `MOST_DECIMALS`
 * after it
 */
export function decimalOf(text: string): Big | undefined {
  if (!SHAPE.test(text)) return undefined
  // big.js knows no plus sign.
  const value = new Big(text.startsWith('+') ? text.slice(1) : text)
  return value.e >= MOST_WHOLE || value.c.length - 1 - value.e > MOST_DECIMALS ? undefined : value
}

/** Half away from zero. */
export function roundTo(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

/**
 * Writes a decimal for people: thousands separated, a real minus, at least `decimals` places. None of its
 * places is lost.
 */
export function formatDecimal(value: Decimal, decimals = 0): string {
  const exact = new Exact(value)
  const [whole = '', fraction] = withPlaces(exact.abs(), decimals).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${exact.lt(0) ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`
}

/** Writes an amount with its currency's own number of places: `39,004.92`, in JPY `39,005`. */
export function formatAmount(value: Decimal, currency: string): string {
  return formatDecimal(value, minorUnit(currency))
}

/** Writes an amount for programs: no separators, with at least its currency's own places; none of its own is lost. */
export function plainAmount(value: Decimal, currency: string): string {
  return withPlaces(new Exact(value), minorUnit(currency))
}

/** Plain decimal text with at least so many places, and more where the value has more. */
function withPlaces(exact: Big, decimals: number): string {
  const own = exact.toFixed().split('.')[1]?.length ?? 0
  return exact.toFixed(Math.max(own, decimals))
}

const minorUnits = new Map<string, number>()

/**
 * The minor unit of a currency as a number of decimals: 2 for USD, 0 for JPY, 3 for KWD. Codes that
 * are not known have 2.
 */
export function minorUnit(currency: string): number {
  const known = minorUnits.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const found = format.resolvedOptions().maximumFractionDigits ?? 2
  minorUnits.set(currency, found)
  return found
}
