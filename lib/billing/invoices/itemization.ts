import type Big from 'big.js'
import { type TaxedInvoice, type TaxedLine, taxOf } from '#lib/billing/posting/tax.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { type Decimal, moneyText } from '#lib/platform/values/money.ts'

type Line = TaxedLine

/** What a line's price is the price of. The specification does not say (2.4): the total does. */
export type PriceBasis = 'unit' | 'line'

/** An invoice's lines, added up exactly and set against its total. Amounts are plain decimal text. */
export type Itemization = {
  /** The reading with which the lines add up, the first where both do; absent where neither does. */
  basis?: PriceBasis
  /** One per line, rounded to the minor unit: price × qty, or the price where it fits only as that of the line. */
  amounts: string[]
  /** The lines together, without lines in another currency. */
  lineItems: string
  /** What the lines leave out of the total, or, negative, have above it; 0 where they add up. */
  notItemized: string
  /** The lines add up before they are rounded: what the rounded amounts together are short of it, or above. */
  rounding: string
  /** Lines in another currency, which are never added. */
  foreign: number
  /** The tax that leads from the lines to the total; absent where they are with tax, and where it is not known. */
  tax?: string
}

/** Adds up an invoice's lines in both readings, without any float. Where its tax is known, they may be without it. */
export function itemize(invoice: TaxedInvoice, lines: readonly Line[]): Itemization {
  const { totalAmount, currency } = invoice
  const total = new Exact(totalAmount)
  const currencyLines = lines.filter((line) => line.currency === currency)
  const foreign = lines.length - currencyLines.length
  const fitting = (target: Big): Itemization | undefined => {
    for (const basis of ['unit', 'line'] as const) {
      const { exact, rounded } = sumsOf(currencyLines, basis, currency)
      // Some issuers round each line, some only the sum, some nothing: each adds up.
      const fits = [exact, roundMoney(exact, currency), rounded].some((sum) => sum.eq(target))
      if (!fits || currencyLines.length === 0) continue
      const amounts = lines.map((line) => amountOf(line, basis))
      const rounding = target.minus(rounded).toFixed()
      return { basis, amounts, lineItems: target.toFixed(), notItemized: '0', rounding, foreign }
    }
    return undefined
  }
  const whole = fitting(total)
  if (whole) return whole
  const taxed = taxOf(invoice, lines)
  const net = taxed && new Exact(taxed.net)
  const untaxed = net?.plus(taxed?.tax ?? 0).eq(total) ? fitting(net) : undefined
  if (taxed && untaxed) return { ...untaxed, tax: taxed.tax }
  const { rounded } = sumsOf(currencyLines, 'unit', currency)
  const notItemized = total.minus(rounded).toFixed()
  const amounts = lines.map((line) => amountOf(line, 'unit'))
  return { amounts, lineItems: rounded.toFixed(), notItemized, rounding: '0', foreign }
}

/** The part of it that `itemizationText` tells; also as JSON numbers. */
type ItemizationSummary = Pick<Itemization, 'basis' | 'foreign'> & {
  notItemized: Decimal
  rounding: Decimal
  tax?: Decimal | undefined
}

/** What the itemization says, for people; `amounts` in the invoice's `currency`. */
export function itemizationText(
  { basis, notItemized, rounding, foreign, tax }: ItemizationSummary,
  currency: string,
): string {
  const money = (amount: Decimal) => moneyText(amount, currency)
  const sentences = basis
    ? [`The line items${tax === undefined ? '' : ' and the tax'} add up to the total.`]
    : [`The line items do not add up to the total. Not itemized: ${money(notItemized)}.`]
  if (basis === 'line') sentences.push('Each price is that of its whole line, not of one unit.')
  if (new Exact(rounding).cmp(0) !== 0)
    sentences.push(
      `Each line's amount is rounded: together they differ from the total by ${money(rounding)}.`,
    )
  if (foreign > 0)
    sentences.push(`Not counted: ${foreign} ${foreign === 1 ? 'line' : 'lines'} in another currency.`)
  return sentences.join(' ')
}

function sumsOf(lines: readonly Line[], basis: PriceBasis, currency: string): { exact: Big; rounded: Big } {
  let [exact, rounded] = [new Exact(0), new Exact(0)]
  for (const line of lines) {
    const amount = exactAmount(line, basis)
    exact = exact.plus(amount)
    rounded = rounded.plus(roundMoney(amount, currency))
  }
  return { exact, rounded }
}

function amountOf(line: Line, basis: PriceBasis): string {
  return roundMoney(exactAmount(line, basis), line.currency).toFixed()
}

function exactAmount({ price, qty }: Line, basis: PriceBasis): Big {
  return basis === 'line' ? new Exact(price) : new Exact(price).times(qty)
}
