import { type Decimal, formatAmount, moneyText } from '#lib/platform/values/money.ts'
import type { InvoiceCharges } from './contract.ts'

/** `1 charge`, `1,204 charges`. */
export function chargesText(count: number): string {
  return count === 1 ? '1 charge' : `${count.toLocaleString('en')} charges`
}

/** How far a line is from its charges: `3.10 USD more than its charges`. */
export function lineApartText(difference: Decimal, currency: string): string {
  return `${apart(difference, currency)} than its charges`
}

/**
 * Whether an invoice is what its charges come to, in words: by how much it is not, and where.
 */
export function reconciliationText(found: InvoiceCharges, currency: string): string {
  const { count, amount, agrees, differenceAmount, roundingAmount, withoutLine } = found
  const all = `${chargesText(count)} of ${moneyText(amount, currency)}`
  const rounding =
    roundingAmount === 0 ? '' : `, but for ${moneyText(positive(roundingAmount), currency)} of rounding`
  if (agrees) {
    const whole = withoutLine
      ? 'Each line is what its charges come to'
      : 'The total is what the charges come to'
    return `${whole}: ${all}${rounding}.`
  }
  const head =
    differenceAmount === 0
      ? `The total is that of the ${all}, and its lines are not what their charges come to`
      : `The total is ${apart(differenceAmount, currency)} than the ${all}`
  const parts = partsOf(found, currency)
  return parts.length === 0 ? `${head}.` : `${head}: ${parts.join('; ')}.`
}

function partsOf(found: InvoiceCharges, currency: string): string[] {
  const { apart: lines, withoutLine, withoutCharges, roundingAmount } = found
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

function apart(difference: Decimal, currency: string): string {
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
