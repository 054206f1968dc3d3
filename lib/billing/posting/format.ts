import { DAY_MS, dayText, epochOfDay } from '#lib/platform/values/days.ts'
import { taxCategoryName } from '#lib/platform/values/invoice-codes.ts'
import { type Decimal, formatAmount, formatDecimal, moneyText } from '#lib/platform/values/money.ts'

// Texts of tax and postings on screen and in print. Days are `YYYY-MM-DD`, or epoch milliseconds.

type Day = string | number
type Nullable<T> = T | null | undefined

/** Details of a line in addition to its description, quantity and price. */
export type LineDetails = {
  taxCategory?: Nullable<string>
  taxRate?: Nullable<Decimal>
  taxAmount?: Nullable<Decimal>
  netAmount?: Nullable<Decimal>
  periodStart?: Nullable<Day>
  periodEnd?: Nullable<Day>
  billingAccount?: Nullable<string>
  subAccount?: Nullable<string>
  purchaseOrder?: Nullable<string>
  costCenter?: Nullable<string>
  paymentCurrency?: Nullable<string>
  paymentAmount?: Nullable<Decimal>
}

/** Details that an invoice shares with all of its lines. */
type OfAll = Pick<
  LineDetails,
  'periodStart' | 'periodEnd' | 'billingAccount' | 'purchaseOrder' | 'costCenter'
>

/**
 * Describes a line's known postings, without those that its invoice shares, and without a net that equals its amount.
 * @param amount the billed amount of the line
 */
export function describeLine(
  line: LineDetails,
  currency: string,
  invoice: OfAll = {},
  amount?: Nullable<Decimal>,
): string[] {
  const distinct = <Field extends keyof OfAll>(field: Field) =>
    line[field] === invoice[field] ? undefined : line[field]
  const hasDistinctPeriod = distinct('periodStart') !== undefined || distinct('periodEnd') !== undefined
  const { periodStart, periodEnd } = hasDistinctPeriod ? line : {}
  const netAmount = Number(line.netAmount) === Number(amount) ? undefined : line.netAmount
  const named = { Account: distinct('billingAccount'), 'Sub-account': line.subAccount }
  const posted = { PO: distinct('purchaseOrder'), 'Cost center': distinct('costCenter') }
  return [
    ...(isPresent(periodStart) && isPresent(periodEnd) ? [periodText(periodStart, periodEnd)] : []),
    ...namedParts(named),
    ...namedParts(posted),
    ...(isPresent(netAmount) ? [`Net ${formatAmount(netAmount, currency)}`] : []),
    ...taxParts(line, currency),
    ...paymentParts(line),
  ]
}

/** Describes the payment in another currency. */
function paymentParts({ paymentCurrency, paymentAmount }: LineDetails): string[] {
  if (!isPresent(paymentCurrency) || !isPresent(paymentAmount)) return []
  return [`To be paid as ${moneyText(paymentAmount, paymentCurrency)}`]
}

function taxParts({ taxCategory, taxRate, taxAmount }: LineDetails, currency: string): string[] {
  if (!isPresent(taxCategory) && !isPresent(taxRate) && !isPresent(taxAmount)) return []
  const label = taxLabel(taxCategory, taxRate)
  return [isPresent(taxAmount) ? `${label} ${formatAmount(taxAmount, currency)}` : label]
}

/** `Tax 19 %`; without a rate, or with a rate of 0, why: `Tax: reverse charge`. */
export function taxLabel(category: Nullable<string>, rate: Nullable<Decimal>): string {
  if (isPresent(rate) && Number(rate) !== 0) return `Tax ${formatDecimal(rate)} %`
  if (isPresent(category)) return `Tax: ${lowered(taxCategoryName(category))}`
  return isPresent(rate) ? `Tax ${formatDecimal(rate)} %` : 'Tax'
}

/** Formats a period up to its last day, which is the day before the end. */
function periodText(start: Day, end: Day): string {
  const last = (typeof end === 'string' ? epochOfDay(end) : end) - DAY_MS
  const first = typeof start === 'string' ? epochOfDay(start) : start
  return `${dayText(first)} – ${dayText(last)}`
}

type Differences = { taxable: Decimal; tax: Decimal; total: Decimal }
/** Sources of the tax figures: `TaxSource`. */
type Sources = { amountsFrom?: 'ISSUER' | 'LINE_ITEMS'; from?: 'ISSUER' | 'LINE_ITEMS' | undefined }

/**
 * Returns in words where the figures of a tax do not add up: those that the issuer states, and those that were calculated
 * here from the line items, each under its own name. Undefined where all add up.
 */
export function differencesText(
  { taxable, tax, total }: Differences,
  currency: string,
  { amountsFrom = 'ISSUER', from = 'ISSUER' }: Sources = {},
): string | undefined {
  const ofBreakdown = [
    Number(taxable) === 0 ? '' : `the taxable amounts are ${deviationText(taxable, currency)} the net amount`,
    Number(tax) === 0 ? '' : `the tax of the breakdown is ${deviationText(tax, currency)} the tax amount`,
  ]
  const ofTotal =
    Number(total) === 0 ? '' : `net and tax together are ${deviationText(total, currency)} the total`
  const stated = [...(from === 'ISSUER' ? ofBreakdown : []), amountsFrom === 'ISSUER' ? ofTotal : '']
  const calculated = [...(from === 'ISSUER' ? [] : ofBreakdown), amountsFrom === 'ISSUER' ? '' : ofTotal]
  const sentence = (start: string, parts: readonly string[]) =>
    parts.some(Boolean) ? [`${start}: ${parts.filter(Boolean).join('; ')}.`] : []
  const said = [
    ...sentence('The figures of the tax are told as the issuer has them, and do not add up', stated),
    ...sentence(
      'The tax by rate is calculated from the line items, because the issuer does not state it, and differs',
      calculated,
    ),
  ]
  return said.length > 0 ? said.join(' ') : undefined
}

function deviationText(difference: Decimal, currency: string): string {
  const text = String(difference)
  return `${moneyText(text.replace('-', ''), currency)} ${text.startsWith('-') ? 'below' : 'above'}`
}

function namedParts(parts: Record<string, Nullable<string>>): string[] {
  return Object.entries(parts).flatMap(([label, value]) => (isPresent(value) ? [`${label} ${value}`] : []))
}

function isPresent<T>(value: Nullable<T>): value is T {
  return value !== null && value !== undefined
}

/** A name in the middle of a line: `Export, tax not charged` begins small, `IGIC` in brackets stays. */
function lowered(name: string): string {
  return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name
}
