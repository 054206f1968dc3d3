import 'server-only'
import { stringify } from 'csv-stringify/sync'

/** What a column says of a row: text, which may be anything, or a number as plain decimal text. Null is empty. */
export type Column<Row> =
  | { name: string; text: (row: Row) => string | null }
  | { name: string; number: (row: Row) => string | number | null }

/** For the header Content-Type; a contract says `text/csv`. */
export const CSV = 'text/csv; charset=utf-8; header=present'

/** The name of a file of today's data: `invoices-2026-11-20.csv`, by the day in UTC. */
export function dated(name: string): string {
  return `${named(name, {})}.csv`
}

/**
 * The name of a file without its extension: with the days that it was asked for, both inclusive as `YYYY-MM-DD`, or with
 * today's, in UTC, where it has no bound.
 */
export function named(
  name: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): string {
  if (from && to) return from === to ? `${name}-of-${from}` : `${name}-${from}-to-${to}`
  if (from) return `${name}-from-${from}`
  return to ? `${name}-until-${to}` : `${name}-${new Date().toISOString().slice(0, 10)}`
}

// Without it Excel reads UTF-8 as the code page of its computer, and `Kovač` is spoilt without a word. Programs that
// read CSV know it (`utf-8-sig`, `bom: true`); for those that do not there is JSON.
const BOM = '\uFEFF'

/**
 * Writes rows as CSV (RFC 4180: commas, quotes where they are needed, CRLF also at the end), a piece for each batch,
 * with a byte order mark and a line of names first.
 */
export async function* csv<Row>(
  columns: readonly Column<Row>[],
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): AsyncGenerator<string, void, undefined> {
  let start = BOM + lines([columns.map(({ name }) => name)])
  for await (const rows of batches) {
    yield start + lines(rows.map((row) => columns.map((column) => cell(column, row))))
    start = ''
  }
  if (start) yield start
}

function lines(records: (string | null)[][]): string {
  return stringify(records, { record_delimiter: '\r\n' })
}

function cell<Row>(column: Column<Row>, row: Row): string | null {
  if ('text' in column) return disarmed(column.text(row))
  const value = column.number(row)
  if (value === null) return null
  // It is not disarmed, so it must be what it says it is: a negative amount begins like a formula.
  if (!/^-?\d+(\.\d+)?$/.test(String(value))) throw new Error(`${column.name} is not a plain decimal.`)
  return String(value)
}

// Nearly all text: nothing in it can begin a formula.
const HARMLESS = /^[A-Za-z0-9][^;\t\r\n]*$/

// Where a cell may begin. Excel in many languages takes a semicolon for the separator, and then quotes in the middle
// of what it takes for a cell hold nothing together: the text's own lines, tabs and semicolons begin cells too.
const CELL_START = /(^|[;\t\r\n])((?:(?![\t\r\n])[\p{Z}\p{C}"])*)([^\p{Z}\p{C}";]|$)/gu

/**
 * Text that no spreadsheet takes for a formula: an apostrophe goes before what begins one. That is `=`, `+`, `-` and
 * `@`, in their other widths as well, behind any blanks and quotes; and a tab or a line break at the very beginning. All other
 * text is left as it is.
 */
function disarmed(text: string | null): string | null {
  if (text === null || HARMLESS.test(text)) return text
  const safe = text.replace(CELL_START, (found, before, blanks, first) =>
    /^[=+\-@]/.test(first.normalize('NFKC')) ? `${before}'${blanks}${first}` : found,
  )
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}
