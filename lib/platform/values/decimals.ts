import Big from 'big.js'
import { type Decimal, minorUnit } from './money.ts'

// Exact decimals: money, prices and metered quantities never pass through a float on their way.

/** Enough for any product of two amounts; only `roundTo` ever rounds. */
export const Exact = Big()

const SHAPE = /^[+-]?(?:\d{1,80}(?:\.\d{0,80})?|\.\d{1,80})(?:[eE][+-]?\d{1,3})?$/
/** A quadrillion is more than any invoice, and far less than what slows arithmetic down. */
export const MAX_INTEGER_DIGITS = 15
/** Metered charges come as fractions of a cent with the digits of a 64-bit float behind them. */
export const MAX_DECIMALS = 60

/**
 * Reads a decimal that somebody else wrote, exactly; also in scientific notation.
 * @returns undefined where the text is none, or has more digits than `MOST_WHOLE` before its point or `MOST_DECIMALS`
 * after it
 */
export function decimalOf(text: string): Big | undefined {
  if (!SHAPE.test(text)) return undefined
  // big.js knows no plus sign.
  const value = new Big(text.startsWith('+') ? text.slice(1) : text)
  return value.e >= MAX_INTEGER_DIGITS || value.c.length - 1 - value.e > MAX_DECIMALS ? undefined : value
}

/** Half away from zero. */
export function roundTo(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

/** The one rounding of money: to the currency's minor unit, half away from zero. */
export function roundMoney(value: Big, currency: string): Big {
  return roundTo(value, minorUnit(currency))
}

/** Returns the payable part of a balance, in whole minor units: rounded only where the balance is finer. */
export function payableOf(balanceAmount: Decimal, currency: string): string {
  const rounded = roundMoney(new Exact(balanceAmount), currency)
  return (rounded.eq(0) ? rounded.abs() : rounded).toFixed()
}

/** A sum on the wire: a JSON number under its name, and its decimal text beside it where that number is another one. */
export type Summed<Name extends string> = { [Field in Name]: number } & { [Field in `${Name}Text`]?: string }

/** Returns a sum as a JSON number, and with its exact text where the number can't represent it. */
export function summed<Name extends string>(name: Name, exact: Big | string): Summed<Name> {
  const text = new Exact(exact).toFixed()
  const number = Number(text)
  const isExact = new Exact(String(number)).eq(text)
  return { [name]: number, ...(isExact ? {} : { [`${name}Text`]: text }) } as Summed<Name>
}

/** Returns the reason why an amount can't be paid in a currency; undefined if it can. */
export function amountError(amount: Big, currency: string): string | undefined {
  if (amount.lte(0)) return 'must be above 0'
  if (!roundMoney(amount, currency).eq(amount)) return `is finer than ${currency} can be paid`
  return undefined
}
