import Big from 'big.js'

const SHAPE = /^[+-]?(?:\d{1,80}(?:\.\d{0,80})?|\.\d{1,80})(?:[eE][+-]?\d{1,3})?$/
/** A quadrillion is more than any invoice, and far less than what slows arithmetic down. */
const MOST_WHOLE = 15
/** Metered charges come as fractions of a cent with the digits of a 64-bit float behind them. */
const MOST_DECIMALS = 60

/**
 * An exact decimal number; also in scientific notation.
 * @returns undefined where it is none, or has too many digits: `decimalFault` says why
 */
export function decimalOf(text: string): Big | undefined {
  if (!SHAPE.test(text)) return undefined
  // big.js knows no plus sign.
  const value = new Big(text.startsWith('+') ? text.slice(1) : text)
  return value.e >= MOST_WHOLE || value.c.length - 1 - value.e > MOST_DECIMALS ? undefined : value
}

/** Why text is no number for `decimalOf`. */
export function decimalFault(text: string): string {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.slice(0, 1000)))
    return `${quoted(text)} is out of range: at most ${MOST_WHOLE} digits before the point and ${MOST_DECIMALS} after it`
  const hint = text.includes(',') ? ' (write 1234.5, without separators)' : ''
  return `${quoted(text)} is not a number${hint}`
}

/** Text as a message shows it: short, and on one line. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text
  return JSON.stringify(short)
}
