import Big from 'big.js'
import { isConsistent, type TaxedInvoice, type TaxedLine, taxOf } from '#lib/billing/posting/tax.ts'
import {
  LINE_COLUMNS,
  type NewLinePosting,
  type NewPosting,
  POSTING_FIELDS,
  type StoredLinePosting,
  type StoredPosting,
} from './schemas.ts'

const NUMBERS = new Set(['netAmount', 'taxAmount', 'taxRate', 'paymentAmount', 'usedQuantity'])
/** What is no longer true once the lines or the total are others. */
const OF_AMOUNTS = new Set<string>(['netAmount', 'taxAmount', 'taxBreakdown'])
/** What an import calculates where the issuer states neither. */
const CALCULATED = new Set(['netAmount', 'taxAmount'])
const LINE_FIELDS = LINE_COLUMNS.map(([, , field]) => field)

type StoredFields = {
  carried?: string[] | null | undefined
  isTaxCalculated?: boolean | null | undefined
} & Record<string, unknown>

/** What the issuer itself said of a stored field; what was carried onto it or calculated, it did not say. */
function storedValue(stored: StoredFields | undefined, field: string): unknown {
  if (stored?.isTaxCalculated && CALCULATED.has(field)) return null
  return stored?.carried?.includes(field) ? null : (stored?.[field] ?? null)
}

/**
 * What an invoice is to be posted by: as given, else as its issuer told it before.
 * @param isMoved whether the invoice stays: else it is written anew, so that its amounts are another invoice's by then,
 * and what the customer has set is carried over anew
 */
export function postingOf(
  incoming: NewPosting,
  stored: StoredPosting | undefined,
  isMoved: boolean,
): StoredPosting {
  if (isMoved) return postingWith(incoming, withoutCalculated(stored))
  const statedFields = POSTING_FIELDS.filter((field) => !OF_AMOUNTS.has(field))
  const texts = Object.fromEntries(statedFields.map((field) => [field, storedValue(stored, field)]))
  return postingWith(incoming, texts)
}

/** A calculation holds no longer than what it was made of: `withTotals` makes it again. */
function withoutCalculated(stored: StoredPosting | undefined): StoredPosting | undefined {
  return stored?.isTaxCalculated ? { ...stored, netAmount: null, taxAmount: null } : stored
}

function postingWith(given: NewPosting, stored: StoredFields | undefined): StoredPosting {
  return { ...filled(POSTING_FIELDS, given, stored), isTaxCalculated: null } as StoredPosting
}

/** The same of a line; `stored` is the line itself as it was before, if it stays. */
export function linePostingOf(
  incoming: NewLinePosting,
  stored: StoredLinePosting | undefined,
): StoredLinePosting {
  return filled(LINE_FIELDS, incoming, stored) as StoredLinePosting
}

function filled(fields: readonly string[], incoming: object, stored: StoredFields | undefined) {
  const from = incoming as StoredFields
  const values = fields.map((field) => [field, from[field] ?? stored?.[field] ?? null])
  const carried = stored?.carried?.filter((field) => !isSet(from[field])) ?? []
  return { ...Object.fromEntries(values), carried: carried.length > 0 ? carried : null }
}

type Totalled = Pick<StoredPosting, 'netAmount' | 'taxAmount' | 'isTaxCalculated'> & TaxedInvoice

/**
 * Adds net and tax where the issuer left them out and they follow from its other figures. What follows from the lines alone
 * is marked as calculated, and left out where it does not come to the total.
 */
export function withTotals<Row extends Totalled & { lines: readonly Omit<TaxedLine, 'currency'>[] }>(
  row: Row,
): Row {
  const { currency, netAmount, taxAmount } = row
  if (netAmount !== null && taxAmount !== null) return row
  const sums = taxOf(
    row,
    row.lines.map((line) => ({ ...line, currency })),
  )
  if (!sums) return row
  const isTaxCalculated = sums.amountsFrom === 'LINE_ITEMS'
  if (isTaxCalculated && !isConsistent(sums)) return row
  return { ...row, netAmount: sums.net, taxAmount: sums.tax, isTaxCalculated: isTaxCalculated || null }
}

/** Where what a file says is not what its issuer said before; what is left out on either side is no difference. */
export function postingDifferences(incoming: NewPosting, stored: StoredPosting): string[] {
  return POSTING_FIELDS.filter((field) => differs(field, incoming[field], storedValue(stored, field)))
}

/** The same of a line. */
export function linePostingDifferences(incoming: NewLinePosting, stored: StoredLinePosting): string[] {
  return LINE_FIELDS.filter((field) => differs(field, incoming[field], storedValue(stored, field)))
}

/** Whether a file says something that was not known. */
export function addsPosting(incoming: NewPosting, stored: StoredPosting): boolean {
  return POSTING_FIELDS.some((field) => isSet(incoming[field]) && storedValue(stored, field) === null)
}

/** The same of a line. */
export function addsLinePosting(incoming: NewLinePosting, stored: StoredLinePosting | undefined): boolean {
  return LINE_FIELDS.some((field) => isSet(incoming[field]) && storedValue(stored, field) === null)
}

function differs(field: string, incoming: unknown, stored: unknown): boolean {
  if (!isSet(incoming) || stored === null) return false
  if (NUMBERS.has(field)) return !new Big(String(incoming)).eq(String(stored))
  return textOf(incoming) !== textOf(stored)
}

/** As a difference shows it. */
export function textOf(value: unknown): string | null {
  if (!isSet(value)) return null
  if (!Array.isArray(value)) return String(value)
  // The order of an object's names is not that of the file once it is stored.
  return value
    .map(({ category, rate, taxableAmount, taxAmount, exemptionReason = '' }) =>
      [
        category,
        rate === null ? '' : new Big(rate),
        new Big(taxableAmount),
        new Big(taxAmount),
        exemptionReason,
      ]
        .map(String)
        .join(' '),
    )
    .join('; ')
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}
