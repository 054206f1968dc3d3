import type Big from 'big.js'
import {
  exactAmount,
  lineBasisOf,
  type PriceBasis,
  type TaxedInvoice,
  type TaxedLine,
  taxOf,
} from '#lib/billing/posting/tax.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { type Decimal, moneyText } from '#lib/platform/values/money.ts'

/** An invoice's lines, added up exactly and set against its total. Amounts are plain decimal text. */
export type Itemization = {
  /** The price basis with which the lines add up, the first where both do; absent where neither does. */
  basis?: PriceBasis
  /** Amount per line, rounded to the minor unit: price × qty, or the price where only the line price fits. */
  amounts: string[]
  /** The lines together, without lines in another currency. */
  lineItems: string
  /** Total less the lines: negative where the lines exceed the total, 0 where they add up. */
  notItemized: string
  /** Total less the rounded amounts, where the lines add up before they are rounded. */
  rounding: string
  /** Lines in another currency, which are never added. */
  foreign: number
  /** The tax that leads from the lines to the total; absent where they are with tax, and where it is not known. */
  tax?: string
  /** Whether the amounts of the lines are with tax (gross) or without it; absent where there is none, or it is not known. */
  amountBasis?: 'NET' | 'GROSS'
}

/** Adds up an invoice's lines without any float, on the basis that `lineBasisOf` finds. */
export function itemize(invoice: TaxedInvoice, lines: readonly TaxedLine[]): Itemization {
  const { totalAmount, currency } = invoice
  const total = new Exact(totalAmount)
  const foreign = lines.filter((line) => line.currency !== currency).length
  const match = lineBasisOf(invoice, lines)
  const amountsBy = (basis: PriceBasis) =>
    lines.map((line) => roundMoney(exactAmount(line, basis), line.currency).toFixed())
  if (!match) {
    const currencyLines = lines.filter((line) => line.currency === currency)
    const rounded = currencyLines.reduce<Big>(
      (sum, line) => sum.plus(roundMoney(exactAmount(line, 'unit'), currency)),
      new Exact(0),
    )
    const notItemized = total.minus(rounded).toFixed()
    return { amounts: amountsBy('unit'), lineItems: rounded.toFixed(), notItemized, rounding: '0', foreign }
  }
  const { reading: basis, isGross, sum, rounded } = match
  const tax = taxOf(invoice, lines)?.tax ?? '0'
  const amountBasis = new Exact(tax).eq(0)
    ? {}
    : { amountBasis: isGross ? ('GROSS' as const) : ('NET' as const) }
  return {
    ...{ basis, amounts: amountsBy(basis), lineItems: sum.toFixed(), notItemized: '0' },
    ...{ rounding: sum.minus(rounded).toFixed(), foreign, ...amountBasis },
    ...(sum.eq(total) ? {} : { tax }),
  }
}

/** Part of an itemization that `itemizationText` describes; also as JSON numbers. */
type ItemizationSummary = Pick<Itemization, 'basis' | 'foreign'> & { notItemized: Decimal; rounding: Decimal }

/**
 * Describes the difference between the line items and the total; empty where they add up to it.
 * `amounts` are in the invoice's `currency`.
 */
export function itemizationText(
  { basis, notItemized, rounding, foreign }: ItemizationSummary,
  currency: string,
): string {
  const money = (amount: Decimal) => moneyText(amount, currency)
  const sentences = basis
    ? []
    : [`The line items do not add up to the total. Not itemized: ${money(notItemized)}.`]
  if (new Exact(rounding).cmp(0) !== 0)
    sentences.push(
      `Each line's amount is rounded: together they differ from the total by ${money(rounding)}.`,
    )
  if (foreign > 0)
    sentences.push(`Not counted: ${foreign} ${foreign === 1 ? 'line' : 'lines'} in another currency.`)
  return sentences.join(' ')
}
