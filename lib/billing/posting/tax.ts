import type Big from 'big.js'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { type Decimal, minorUnit } from '#lib/platform/values/money.ts'

/** Row of a tax breakdown, as decimal text; null is unknown. */
export type TaxGroup = {
  /** UNCL 5305. */
  category: string
  /** Percent. */
  rate: string | null
  taxableAmount: string
  taxAmount: string
  exemptionReason?: string | undefined
}

/** Issuer's tax information on an invoice; omitted members and null are unknown. The total includes tax. */
export type TaxedInvoice = {
  totalAmount: Decimal
  currency: string
  netAmount?: Decimal | null | undefined
  taxAmount?: Decimal | null | undefined
  taxBreakdown?: readonly TaxGroup[] | null | undefined
  /** Net and tax are not the issuer's: the import that stored them calculated them from the lines. */
  isTaxCalculated?: boolean | null | undefined
}

/**
 * Issuer's tax information on a line, and its net amount, which follows from price and quantity where it is unknown.
 */
export type TaxedLine = {
  price: Decimal
  qty: Decimal
  currency: string
  netAmount?: Decimal | null | undefined
  taxCategory?: string | null | undefined
  taxRate?: Decimal | null | undefined
  taxAmount?: Decimal | null | undefined
}

/** Whether prices are per unit or per line. The specification leaves it open (2.4): the total decides. */
export type PriceBasis = 'unit' | 'line'

/** Meaning of the prices on an invoice: per unit or per line, and net or gross of tax. */
export type LineBasis = {
  reading: PriceBasis
  /** Whether the amounts of the lines include the tax. */
  isGross: boolean
  /** Sum of the lines: the total, or, without tax, the net amount. */
  sum: Big
  /** The sum of the rounded amounts of the lines. */
  rounded: Big
}

/** Assumed basis of lines that add up to neither the total nor the net amount. */
const DEFAULT_BASIS = { reading: 'unit', isGross: false } as const
type Basis = Pick<LineBasis, 'reading' | 'isGross'>

/** Source of figures: the issuer, or a calculation from the line items. */
export type TaxSource = 'ISSUER' | 'LINE_ITEMS'

/**
 * Tax of an invoice. Net, tax and breakdown are the issuer's where stated, to the last digit; missing ones follow from
 * the rest. `differences` are what is needed for all of them to add up exactly.
 */
export type TaxSums = {
  net: string
  tax: string
  /** Source of net and tax. */
  amountsFrom: TaxSource
  breakdown: TaxGroup[]
  /** Source of the breakdown; absent where there is none. */
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
  const { net, tax } = stated ?? sumsOfGroups(groupsOf(currencyLines, currency, DEFAULT_BASIS))
  const untaxed = net.plus(tax).eq(total) ? fittingOf(currencyLines, net, currency) : undefined
  return untaxed && { ...untaxed, isGross: false }
}

/** Finds the first reading with which the lines add up to a sum. */
function fittingOf(lines: readonly TaxedLine[], sum: Big, currency: string) {
  for (const reading of ['unit', 'line'] as const) {
    let [exact, rounded] = [new Exact(0), new Exact(0)]
    for (const line of lines) {
      const amount = exactAmount(line, reading)
      exact = exact.plus(amount)
      rounded = rounded.plus(roundMoney(amount, currency))
    }
    if ([exact, roundMoney(exact, currency), rounded].some((one) => one.eq(sum)))
      return { reading, sum, rounded }
  }
  return undefined
}

/** Returns net and tax as the issuer states them; a missing one follows from its other figures. */
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

/** Returns an invoice's tax; undefined where the invoice has no information on it. */
export function taxOf(invoice: TaxedInvoice, lines: readonly TaxedLine[]): TaxSums | undefined {
  return taxByBasis(invoice, lines, () => lineBasisOf(invoice, lines))
}

/**
 * Returns the tax of an invoice as releases before this one calculated it, with each line as net: detects stored
 * figures and documents that have the tax of gross lines wrong.
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
  const statedGroups = taxBreakdown ?? []
  const stated = statedOf(invoice)
  const breakdown =
    statedGroups.length > 0 ? [...statedGroups] : breakdownOf(lines, currency, basisOf, stated)
  const has = breakdown.length > 0
  const calculated = sumsOfGroups(breakdown)
  if (!has && !stated) return undefined
  const { net, tax } = stated ?? calculated
  return {
    net: net.toFixed(),
    tax: tax.toFixed(),
    amountsFrom: stated ? 'ISSUER' : 'LINE_ITEMS',
    breakdown,
    ...(has ? { from: statedGroups.length > 0 ? 'ISSUER' : 'LINE_ITEMS' } : {}),
    differences: {
      taxable: has ? calculated.net.minus(net).toFixed() : '0',
      tax: has ? calculated.tax.minus(tax).toFixed() : '0',
      total: net.plus(tax).minus(invoice.totalAmount).toFixed(),
    },
  }
}

/** Returns whether an invoice's tax figures add up. */
export function isConsistent({ differences }: TaxSums): boolean {
  return Object.values(differences).every((difference) => new Exact(difference).eq(0))
}

/**
 * Returns whether a tax results from its rate, except for rounding: by less than a minor unit up or down, and where it
 * was calculated in parts, by half a unit for each.
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

/**
 * Breaks lines down so that the groups add up to the issuer's figures, or to the total, where they differ by rounding
 * only.
 */
function breakdownOf(
  lines: readonly TaxedLine[],
  currency: string,
  basisOf: () => LineBasis | undefined,
  stated: { net: Big; tax: Big } | undefined,
): TaxGroup[] {
  if (!hasCategories(lines, currency)) return []
  const basis = basisOf()
  const groups = groupsOf(lines, currency, basis ?? DEFAULT_BASIS)
  if (!basis) return groups
  const { net, tax } = sumsOfGroups(groups)
  // Gross lines add up to the total, and the rounding difference belongs to the taxed group.
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

/** Returns whether each line in the invoice's currency has a tax category. */
function hasCategories(lines: readonly TaxedLine[], currency: string): boolean {
  const currencyLines = lines.filter((line) => line.currency === currency)
  return currencyLines.length > 0 && currencyLines.every(({ taxCategory }) => taxCategory)
}

/** Groups lines by category and rate, as sums of rounded amounts; empty where a line has no category. */
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
  // EN 16931 calculates the tax of a category from its base (BR-CO-17); the issuer's line taxes take precedence.
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
      const statedTax = exactly(line.taxAmount)
      return statedTax
        ? roundMoney(statedTax, currency)
        : amount(line).minus(netOfLine(line, currency, basis))
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
export function netOfLine(line: TaxedLine, currency: string, basis: Basis = DEFAULT_BASIS): Big {
  const net = exactly(line.netAmount)
  if (net) return roundMoney(net, currency)
  const amount = exactAmount(line, basis.reading)
  if (!basis.isGross) return roundMoney(amount, currency)
  return roundMoney(amount.minus(exactly(line.taxAmount) ?? taxWithin(amount, line.taxRate)), currency)
}

/** Returns the amount of a line before rounding. */
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
