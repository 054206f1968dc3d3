import type Big from 'big.js'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { type Decimal, minorUnit } from '#lib/platform/values/money.ts'

/** One row of a tax breakdown, as decimal text; null is not told. */
export type TaxGroup = {
  /** UNCL 5305. */
  category: string
  /** Percent. */
  rate: string | null
  taxableAmount: string
  taxAmount: string
  exemptionReason?: string | undefined
}

/** What an issuer says of an invoice's tax; what is left out or null it does not say. The total is with tax. */
export type TaxedInvoice = {
  totalAmount: Decimal
  currency: string
  netAmount?: Decimal | null | undefined
  taxAmount?: Decimal | null | undefined
  taxBreakdown?: readonly TaxGroup[] | null | undefined
}

/** What an issuer says of a line's tax, and its amount without that, which is price × quantity where it is not told. */
export type TaxedLine = {
  price: Decimal
  qty: Decimal
  currency: string
  netAmount?: Decimal | null | undefined
  taxCategory?: string | null | undefined
  taxRate?: Decimal | null | undefined
  taxAmount?: Decimal | null | undefined
}

/**
 * An invoice's tax. Net, tax and breakdown are the issuer's own where it gave them, to the last digit; what it left out
 * follows from the rest. `differences` say by how much the one is not the other: with them all adds up exactly.
 */
export type TaxSums = {
  net: string
  tax: string
  breakdown: TaxGroup[]
  /** Whose breakdown it is; absent where there is none. */
  from?: 'ISSUER' | 'LINE_ITEMS'
  differences: {
    /** The taxable amounts of the breakdown together, less the net amount. */
    taxable: string
    /** The tax of the breakdown together, less the tax amount. */
    tax: string
    /** Net and tax together, less the total. */
    total: string
  }
}

/** What is known of an invoice's tax; undefined where nobody said anything of it. */
export function taxOf(invoice: TaxedInvoice, lines: readonly TaxedLine[]): TaxSums | undefined {
  const total = new Exact(invoice.totalAmount)
  const issuerBreakdown = invoice.taxBreakdown ?? []
  const breakdown = issuerBreakdown.length > 0 ? [...issuerBreakdown] : groupsOf(lines, invoice.currency)
  const bases = sumOf(breakdown.map(({ taxableAmount }) => taxableAmount))
  const taxes = sumOf(breakdown.map(({ taxAmount }) => taxAmount))
  const has = breakdown.length > 0
  const totals = { net: exactly(invoice.netAmount), tax: exactly(invoice.taxAmount) }
  if (!has && !totals.net && !totals.tax) return undefined
  const tax = totals.tax ?? (has || !totals.net ? taxes : total.minus(totals.net))
  const net = totals.net ?? (has ? bases : total.minus(tax))
  return {
    net: net.toFixed(),
    tax: tax.toFixed(),
    breakdown,
    ...(has ? { from: issuerBreakdown.length > 0 ? 'ISSUER' : 'LINE_ITEMS' } : {}),
    differences: {
      taxable: has ? bases.minus(net).toFixed() : '0',
      tax: has ? taxes.minus(tax).toFixed() : '0',
      total: net.plus(tax).minus(total).toFixed(),
    },
  }
}

/** Whether its figures are as they should be. */
export function isConsistent({ differences }: TaxSums): boolean {
  return Object.values(differences).every((difference) => new Exact(difference).eq(0))
}

/**
 * Whether a tax is that of its rate, but for rounding: up or down by less than a minor unit, and where it was reckoned
 * in parts, by half of one for each.
 */
export function fitsRate(
  base: Decimal,
  rate: Decimal,
  tax: Decimal,
  { currency, parts = 1 }: { currency: string; parts?: number },
): boolean {
  const exact = new Exact(base).times(rate).div(100)
  const unit = new Exact(10).pow(-minorUnit(currency))
  return new Exact(tax)
    .minus(exact)
    .abs()
    .lte(unit.times(Math.max(1, parts / 2)))
}

/** A breakdown of lines, each of which has a category; none where one of them has not. Each sum is of rounded amounts. */
function groupsOf(lines: readonly TaxedLine[], currency: string): TaxGroup[] {
  const currencyLines = lines.filter((line) => line.currency === currency)
  if (currencyLines.length === 0 || currencyLines.some(({ taxCategory }) => !taxCategory)) return []
  const groups = Map.groupBy(
    currencyLines,
    ({ taxCategory, taxRate }) => `${taxCategory} ${rateText(taxRate) ?? ''}`,
  )
  return [...groups.values()]
    .map((group) => groupOf(group, currency))
    .sort((a, b) => (a.category < b.category ? -1 : a.category > b.category ? 1 : compareRates(a, b)))
}

function groupOf(lines: readonly TaxedLine[], currency: string): TaxGroup {
  const base = sumOf(lines.map((line) => netOfLine(line, currency)))
  const rate = rateText(lines[0]?.taxRate)
  const taxes = lines.map(({ taxAmount }) => exactly(taxAmount))
  // EN 16931 reckons the tax of a category from its base (BR-CO-17); what the issuer reckoned line by line comes first.
  const hasAllTaxes = taxes.every((tax) => tax !== undefined)
  const tax = hasAllTaxes
    ? sumOf(taxes.map((one) => roundMoney(one, currency)))
    : roundMoney(base.times(rate ?? 0).div(100), currency)
  const category = lines[0]?.taxCategory ?? ''
  return { category, rate, taxableAmount: base.toFixed(), taxAmount: tax.toFixed() }
}

/** A line without tax, in whole minor units. */
export function netOfLine({ netAmount, price, qty }: TaxedLine, currency: string): Big {
  return roundMoney(exactly(netAmount) ?? new Exact(price).times(qty), currency)
}

function exactly(amount: Decimal | null | undefined): Big | undefined {
  return amount === null || amount === undefined ? undefined : new Exact(amount)
}

/** `19.00` is 19. */
function rateText(rate: Decimal | null | undefined): string | null {
  return exactly(rate)?.toFixed() ?? null
}

function compareRates(a: TaxGroup, b: TaxGroup): number {
  return new Exact(b.rate ?? 0).cmp(a.rate ?? 0)
}

function sumOf(amounts: readonly (Big | Decimal)[]): Big {
  return amounts.reduce<Big>((sum, amount) => sum.plus(amount), new Exact(0))
}
