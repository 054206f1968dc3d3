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
/** Fields that become invalid when the lines or the total change. */
const OF_AMOUNTS = new Set<string>(['netAmount', 'taxAmount', 'taxBreakdown'])
/** Fields that an import calculates where the issuer states neither. */
const CALCULATED = new Set(['netAmount', 'taxAmount'])
const LINE_FIELDS = LINE_COLUMNS.map(([, , field]) => field)

type StoredFields = {
  carried?: string[] | null | undefined
  isTaxCalculated?: boolean | null | undefined
} & Record<string, unknown>

/** Returns the issuer's value of a stored field; undefined if the value was carried over or calculated. */
function storedValue(stored: StoredFields | undefined, field: string): unknown {
  if (stored?.isTaxCalculated && CALCULATED.has(field)) return null
  return stored?.carried?.includes(field) ? null : (stored?.[field] ?? null)
}

/**
 * Returns the posting details of an invoice: those of the file, else those stored from the issuer.
 * @param isMoved whether the invoice is updated in place; else it is rewritten, so that stored amounts no longer apply,
 * and the customer's values are carried over again
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

/** Drops calculated values, which `withTotals` calculates again from the new data. */
function withoutCalculated(stored: StoredPosting | undefined): StoredPosting | undefined {
  return stored?.isTaxCalculated ? { ...stored, netAmount: null, taxAmount: null } : stored
}

function postingWith(incoming: NewPosting, stored: StoredFields | undefined): StoredPosting {
  return { ...filled(POSTING_FIELDS, incoming, stored), isTaxCalculated: null } as StoredPosting
}

/** Returns the posting details of a line; `stored` is the line's previous state, if it stays. */
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
 * Adds net and tax where the issuer left them out and they follow from its other figures. Figures that follow only from
 * the lines are marked as calculated, and left out where they do not add up to the total.
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

/**
 * Lists the fields in which a file contradicts the issuer's earlier values; a field missing on either side is no
 * difference.
 */
export function postingDifferences(incoming: NewPosting, stored: StoredPosting): string[] {
  return POSTING_FIELDS.filter((field) => differs(field, incoming[field], storedValue(stored, field)))
}

/** Like `postingDifferences`, but for a line. */
export function linePostingDifferences(incoming: NewLinePosting, stored: StoredLinePosting): string[] {
  return LINE_FIELDS.filter((field) => differs(field, incoming[field], storedValue(stored, field)))
}

/** Returns whether a file has a field that was unknown. */
export function addsPosting(incoming: NewPosting, stored: StoredPosting): boolean {
  return POSTING_FIELDS.some((field) => isSet(incoming[field]) && storedValue(stored, field) === null)
}

/** Like `addsPosting`, but for a line. */
export function addsLinePosting(incoming: NewLinePosting, stored: StoredLinePosting | undefined): boolean {
  return LINE_FIELDS.some((field) => isSet(incoming[field]) && storedValue(stored, field) === null)
}

function differs(field: string, incoming: unknown, stored: unknown): boolean {
  if (!isSet(incoming) || stored === null) return false
  if (NUMBERS.has(field)) return !new Big(String(incoming)).eq(String(stored))
  return textOf(incoming) !== textOf(stored)
}

/** Formats a value for a difference. */
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
