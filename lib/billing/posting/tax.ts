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
  /** Net and tax are not the issuer's: the import that stored them calculated them from the lines. */
  isTaxCalculated?: boolean | null | undefined
}

/** What an issuer says of a line's tax, and its amount without that, which follows from price and quantity where it is not told. */
export type TaxedLine = {
  price: Decimal
  qty: Decimal
  currency: string
  netAmount?: Decimal | null | undefined
  taxCategory?: string | null | undefined
  taxRate?: Decimal | null | undefined
  taxAmount?: Decimal | null | undefined
}

/** What a line's price is the price of. The specification does not say (2.4): the total does. */
export type PriceBasis = 'unit' | 'line'

/** What the prices of an invoice's lines are: of a unit or of the whole line, and net or gross of tax. */
export type LineBasis = {
  reading: PriceBasis
  /** Whether the amounts of the lines include the tax. */
  isGross: boolean
  /** What the lines come to: the total, or, without tax, the net amount. */
  sum: Big
  /** The sum of the rounded amounts of the lines. */
  rounded: Big
}

/** What the lines are taken for where they come to neither the total nor the net amount. */
const USUAL_BASIS = { reading: 'unit', isGross: false } as const
type Basis = Pick<LineBasis, 'reading' | 'isGross'>

/** Whose figures are meant: the issuer's own, or what follows from the line items. */
export type TaxSource = 'ISSUER' | 'LINE_ITEMS'

/**
 * An invoice's tax. Net, tax and breakdown are the issuer's own where it gave them, to the last digit; what it left out
 * follows from the rest. `differences` say by how much the one is not the other: with them all adds up exactly.
 */
export type TaxSums = {
  net: string
  tax: string
  /** Whose net and tax these are. */
  amountsFrom: TaxSource
  breakdown: TaxGroup[]
  /** Whose breakdown it is; absent where there is none. */
  from?: TaxSource
  differences: {
    /** The taxable amounts of the breakdown together, less the net amount. */
    taxable: string
    /** The tax of the breakdown together, less the tax amount. */
    tax: string
    /** Net and tax together, less the total. */
    total: string
  }
}

/**
 * Decides what the prices of an invoice's lines are. Lines that come to the total are gross, lines that come to the net
 * amount are net; where the issuer states no net amount, it is calculated from the lines. Some issuers round each line,
 * some only the sum, some nothing: each way fits.
 * @returns undefined where the lines come to neither
 */
export function lineBasisOf(invoice: TaxedInvoice, lines: readonly TaxedLine[]): LineBasis | undefined {
  const { currency } = invoice
  const currencyLines = lines.filter((line) => line.currency === currency)
  if (currencyLines.length === 0) return undefined
  const total = new Exact(invoice.totalAmount)
  const stated = statedOf(invoice)
  const whole = fittingOf(currencyLines, total, currency)
  if (whole) return { ...whole, isGross: !stated?.net.eq(total) }
  const { net, tax } = stated ?? sumsOfGroups(groupsOf(currencyLines, currency, USUAL_BASIS))
  const untaxed = net.plus(tax).eq(total) ? fittingOf(currencyLines, net, currency) : undefined
  return untaxed && { ...untaxed, isGross: false }
}

/** The reading with which lines come to a sum, the first where both do. */
function fittingOf(own: readonly TaxedLine[], sum: Big, currency: string) {
  for (const reading of ['unit', 'line'] as const) {
    let [exact, rounded] = [new Exact(0), new Exact(0)]
    for (const line of own) {
      const amount = exactAmount(line, reading)
      exact = exact.plus(amount)
      rounded = rounded.plus(roundMoney(amount, currency))
    }
    if ([exact, roundMoney(exact, currency), rounded].some((one) => one.eq(sum)))
      return { reading, sum, rounded }
  }
  return undefined
}

/** Net and tax as the issuer states them; of a missing one, what follows from its other figures. */
function statedOf(invoice: TaxedInvoice): { net: Big; tax: Big } | undefined {
  const { taxBreakdown, isTaxCalculated } = invoice
  const sums = taxBreakdown && taxBreakdown.length > 0 ? sumsOfGroups(taxBreakdown) : undefined
  const [net, tax] = isTaxCalculated
    ? [undefined, undefined]
    : [exactly(invoice.netAmount), exactly(invoice.taxAmount)]
  if (!net && !tax) return sums
  const total = new Exact(invoice.totalAmount)
  return {
    net: net ?? sums?.net ?? total.minus(tax ?? 0),
    tax: tax ?? sums?.tax ?? total.minus(net ?? 0),
  }
}

/** What is known of an invoice's tax; undefined where nobody said anything of it. */
export function taxOf(invoice: TaxedInvoice, lines: readonly TaxedLine[]): TaxSums | undefined {
  return taxByBasis(invoice, lines, () => lineBasisOf(invoice, lines))
}

/**
 * The tax of an invoice as releases before this one calculated it: each line was taken for net. It tells which stored
 * figures and documents have the tax of gross lines wrong.
 */
export function taxOfNetLines(invoice: TaxedInvoice, lines: readonly TaxedLine[]): TaxSums | undefined {
  return taxByBasis(invoice, lines, () => undefined)
}

function taxByBasis(
  invoice: TaxedInvoice,
  lines: readonly TaxedLine[],
  basisOf: () => LineBasis | undefined,
): TaxSums | undefined {
  const { currency, taxBreakdown } = invoice
  const own = taxBreakdown ?? []
  const stated = statedOf(invoice)
  const breakdown = own.length > 0 ? [...own] : breakdownOf(lines, currency, basisOf, stated)
  const has = breakdown.length > 0
  const calculated = sumsOfGroups(breakdown)
  if (!has && !stated) return undefined
  const { net, tax } = stated ?? calculated
  return {
    net: net.toFixed(),
    tax: tax.toFixed(),
    amountsFrom: stated ? 'ISSUER' : 'LINE_ITEMS',
    breakdown,
    ...(has ? { from: own.length > 0 ? 'ISSUER' : 'LINE_ITEMS' } : {}),
    differences: {
      taxable: has ? calculated.net.minus(net).toFixed() : '0',
      tax: has ? calculated.tax.minus(tax).toFixed() : '0',
      total: net.plus(tax).minus(invoice.totalAmount).toFixed(),
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

/** A breakdown of lines that comes to what the issuer states, or to the total, where only rounding is between them. */
function breakdownOf(
  lines: readonly TaxedLine[],
  currency: string,
  basisOf: () => LineBasis | undefined,
  stated: { net: Big; tax: Big } | undefined,
): TaxGroup[] {
  if (!hasCategories(lines, currency)) return []
  const basis = basisOf()
  const groups = groupsOf(lines, currency, basis ?? USUAL_BASIS)
  if (!basis) return groups
  const { net, tax } = sumsOfGroups(groups)
  // Gross lines come to the total, and what rounding leaves of it belongs to what is taxed.
  const missing = basis.isGross && !stated ? basis.sum.minus(net).minus(tax) : new Exact(0)
  const [moreNet, moreTax] = stated
    ? [stated.net.minus(net), stated.tax.minus(tax)]
    : [missing.eq(roundMoney(missing, currency)) ? missing : new Exact(0), new Exact(0)]
  const room = new Exact(10).pow(-minorUnit(currency)).times(Math.max(1, lines.length / 2))
  if (moreNet.abs().gt(room) || moreTax.abs().gt(room)) return groups
  const taxed = groups.filter(({ rate }) => rate !== null && !new Exact(rate).eq(0))
  const [first, ...others] = taxed.length > 0 ? taxed : groups
  const largest = others.reduce(
    (most, one) =>
      new Exact(one.taxableAmount).abs().gt(new Exact(most?.taxableAmount ?? 0).abs()) ? one : most,
    first,
  )
  return groups.map((group) =>
    group === largest
      ? {
          ...group,
          taxableAmount: moreNet.plus(group.taxableAmount).toFixed(),
          taxAmount: moreTax.plus(group.taxAmount).toFixed(),
        }
      : group,
  )
}

/** Whether each line in the invoice's currency names its category. */
function hasCategories(lines: readonly TaxedLine[], currency: string): boolean {
  const own = lines.filter((line) => line.currency === currency)
  return own.length > 0 && own.every(({ taxCategory }) => taxCategory)
}

/** A breakdown of lines, each of which has a category; none where one of them has not. Each sum is of rounded amounts. */
function groupsOf(lines: readonly TaxedLine[], currency: string, basis: Basis): TaxGroup[] {
  if (!hasCategories(lines, currency)) return []
  const currencyLines = lines.filter((line) => line.currency === currency)
  const groups = Map.groupBy(
    currencyLines,
    ({ taxCategory, taxRate }) => `${taxCategory} ${rateText(taxRate) ?? ''}`,
  )
  return [...groups.values()]
    .map((group) => groupOf(group, currency, basis))
    .sort((a, b) => (a.category < b.category ? -1 : a.category > b.category ? 1 : compareRates(a, b)))
}

function groupOf(lines: readonly TaxedLine[], currency: string, basis: Basis): TaxGroup {
  const rate = rateText(lines[0]?.taxRate)
  const { base, tax } = basis.isGross
    ? sumsOfGross(lines, rate, currency, basis)
    : sumsOfNet(lines, rate, currency, basis)
  const category = lines[0]?.taxCategory ?? ''
  return { category, rate, taxableAmount: base.toFixed(), taxAmount: tax.toFixed() }
}

function sumsOfNet(lines: readonly TaxedLine[], rate: string | null, currency: string, basis: Basis) {
  const base = sumOf(lines.map((line) => netOfLine(line, currency, basis)))
  const taxes = lines.map(({ taxAmount }) => exactly(taxAmount))
  // EN 16931 reckons the tax of a category from its base (BR-CO-17); what the issuer reckoned line by line comes first.
  const hasAllTaxes = taxes.every((tax) => tax !== undefined)
  const tax = hasAllTaxes
    ? sumOf(taxes.map((one) => roundMoney(one, currency)))
    : roundMoney(base.times(rate ?? 0).div(100), currency)
  return { base, tax }
}

/** The tax within gross lines: as the issuer states it by line, and of the others together, rounded once. */
function sumsOfGross(lines: readonly TaxedLine[], rate: string | null, currency: string, basis: Basis) {
  const isStated = ({ netAmount, taxAmount }: TaxedLine) => Boolean(exactly(netAmount) ?? exactly(taxAmount))
  const [stated, others] = [lines.filter(isStated), lines.filter((line) => !isStated(line))]
  const amount = (line: TaxedLine) => roundMoney(exactAmount(line, basis.reading), currency)
  const gross = sumOf(others.map(amount))
  const within = roundMoney(taxWithin(gross, rate), currency)
  const base = sumOf(stated.map((line) => netOfLine(line, currency, basis)))
    .plus(gross)
    .minus(within)
  const tax = sumOf(
    stated.map((line) => {
      const own = exactly(line.taxAmount)
      return own ? roundMoney(own, currency) : amount(line).minus(netOfLine(line, currency, basis))
    }),
  )
  return { base, tax: tax.plus(within) }
}

/** The tax within a gross amount, exactly. */
function taxWithin(gross: Big, rate: Decimal | null | undefined): Big {
  const percent = new Exact(rate ?? 0)
  return percent.eq(-100) ? new Exact(0) : gross.times(percent).div(percent.plus(100))
}

/** A line without tax, in whole minor units. */
export function netOfLine(line: TaxedLine, currency: string, basis: Basis = USUAL_BASIS): Big {
  const net = exactly(line.netAmount)
  if (net) return roundMoney(net, currency)
  const amount = exactAmount(line, basis.reading)
  if (!basis.isGross) return roundMoney(amount, currency)
  return roundMoney(amount.minus(exactly(line.taxAmount) ?? taxWithin(amount, line.taxRate)), currency)
}

/** What a line comes to, before it is rounded. */
export function exactAmount({ price, qty }: Pick<TaxedLine, 'price' | 'qty'>, reading: PriceBasis): Big {
  return reading === 'line' ? new Exact(price) : new Exact(price).times(qty)
}

function sumsOfGroups(groups: readonly TaxGroup[]): { net: Big; tax: Big } {
  return {
    net: sumOf(groups.map(({ taxableAmount }) => taxableAmount)),
    tax: sumOf(groups.map(({ taxAmount }) => taxAmount)),
  }
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
