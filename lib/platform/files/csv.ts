import 'server-only'
import { stringify } from 'csv-stringify/sync'
import { type Cell, cellOf, type Table } from './table.ts'

/** How a file is read by the spreadsheet that it is for: with what between its cells, and what before a fraction. */
export type Dialect = { separator?: keyof typeof SEPARATORS; decimal?: 'point' | 'comma' }

export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const

/** For the header Content-Type; a contract says `text/csv`. */
export const CSV = 'text/csv; charset=utf-8; header=present'

// Without it Excel reads UTF-8 as the code page of its computer, and `Kovač` is spoilt without a word. Programs that
// read CSV know it (`utf-8-sig`, `bom: true`); for those that do not there is JSON.
const BOM = '\uFEFF'

/**
 * Writes a table as CSV (RFC 4180: commas unless told otherwise, quotes where they are needed, CRLF also at the end), a
 * piece for each batch, with a byte order mark and a line of names first. Numbers have a point, or the comma that is asked for.
 */
export async function* csv<Row>(
  { columns, batches }: Table<Row>,
  { separator = 'comma', decimal = 'point' }: Dialect = {},
): AsyncGenerator<string, void, undefined> {
  const lines = (records: (string | null)[][]) =>
    stringify(records, { record_delimiter: '\r\n', delimiter: SEPARATORS[separator] })
  const text = (cell: Cell) => written(cell, decimal)
  let start = BOM + lines([columns.map(({ name }) => name)])
  for await (const rows of batches) {
    yield start + lines(rows.map((row) => columns.map((column) => text(cellOf(column, row)))))
    start = ''
  }
  if (start) yield start
}

function written(cell: Cell, decimal: 'point' | 'comma'): string | null {
  if (cell.kind === 'empty') return null
  if (cell.kind === 'moment') return cell.at.toISOString()
  if (cell.kind === 'number' && decimal === 'comma') return cell.text.replace('.', ',')
  return cell.kind === 'text' ? disarmed(cell.text) : cell.text
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
function disarmed(text: string): string {
  if (HARMLESS.test(text)) return text
  const safe = text.replace(CELL_START, (found, before, blanks, first) =>
    /^[=+\-@]/.test(first.normalize('NFKC')) ? `${before}'${blanks}${first}` : found,
  )
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}
