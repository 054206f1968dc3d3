import { type Decimal, formatAmount, moneyText } from '#lib/platform/values/money.ts'
import type { InvoiceCharges } from './contract.ts'

/** Returns `1 charge`, `1,204 charges`. */
export function chargesText(count: number): string {
  return count === 1 ? '1 charge' : `${count.toLocaleString('en')} charges`
}

/** Returns the difference of a line from its charges in words: `3.10 USD more than its charges`. */
export function lineDifferenceText(difference: Decimal, currency: string): string {
  return `${differenceText(difference, currency)} than its charges`
}

/** Returns in words whether an invoice equals the sum of its charges, or else the differences and their lines. */
export function reconciliationText(charges: InvoiceCharges, currency: string): string {
  const { count, amount, agrees, differenceAmount, roundingAmount, withoutLine } = charges
  const all = `${chargesText(count)} of ${moneyText(amount, currency)}`
  const rounding =
    roundingAmount === 0 ? '' : `, but for ${moneyText(positive(roundingAmount), currency)} of rounding`
  if (agrees) {
    const whole = withoutLine
      ? 'Each line equals the sum of its charges'
      : 'The total equals the sum of the charges'
    return `${whole}: ${all}${rounding}.`
  }
  const summary =
    differenceAmount === 0
      ? `The total is that of the ${all}, and its lines don’t equal the sums of their charges`
      : `The total is ${differenceText(differenceAmount, currency)} than the ${all}`
  const parts = partsOf(charges, currency)
  return parts.length === 0 ? `${summary}.` : `${summary}: ${parts.join('; ')}.`
}

function partsOf(charges: InvoiceCharges, currency: string): string[] {
  const { apart: lines, withoutLine, withoutCharges, roundingAmount } = charges
  const isOne = withoutLine?.count === 1
  return [
    ...(lines?.count
      ? [
          `${linesText(lines.count)} ${lines.count === 1 ? 'differs' : 'differ'} from ${lines.count === 1 ? 'its' : 'their'} charges by ${signed(lines.amount, currency)}`,
        ]
      : []),
    ...(withoutLine?.count
      ? [
          `${chargesText(withoutLine.count)} of ${moneyText(withoutLine.amount, currency)} ${isOne ? 'leads' : 'lead'} to no line`,
        ]
      : []),
    ...(withoutCharges?.count
      ? [
          `${linesText(withoutCharges.count)} of ${moneyText(withoutCharges.amount, currency)} ${withoutCharges.count === 1 ? 'has' : 'have'} no charges`,
        ]
      : []),
    ...(roundingAmount === 0 ? [] : [`${signed(roundingAmount, currency)} is rounding`]),
  ]
}

function differenceText(difference: Decimal, currency: string): string {
  const text = String(difference)
  return `${moneyText(positive(text), currency)} ${text.startsWith('-') ? 'less' : 'more'}`
}

function signed(amount: Decimal, currency: string): string {
  const text = formatAmount(amount, currency)
  return `${text.startsWith('−') || Number(amount) === 0 ? '' : '+'}${text} ${currency}`
}

function positive(amount: Decimal): string {
  return String(amount).replace('-', '')
}

function linesText(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`
}
