import 'server-only'
import { stringify } from 'csv-stringify/sync'
import { attachment } from './attachment.ts'
import { type Cell, cellOf, type Table } from './table.ts'

/** Format that the target spreadsheet expects: the separator of cells, and the decimal mark. */
export type Dialect = { separator?: keyof typeof SEPARATORS; decimal?: 'point' | 'comma' }

export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const

/** Value of the header Content-Type; contracts declare `text/csv`. */
const CSV = 'text/csv; charset=utf-8; header=present'

// Without the byte order mark Excel reads UTF-8 in the computer's code page, and `Kovač` is silently garbled. Programs
// that read CSV support it (`utf-8-sig`, `bom: true`); for others there is JSON.
const BOM = '\uFEFF'

/**
 * Writes a table as CSV (RFC 4180: commas by default, quotes where needed, CRLF also at the end), one chunk per batch,
 * with a byte order mark and a header line. Numbers have a point, or the comma that the dialect asks for.
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

// Fast path for nearly all text, which contains no start of a formula.
const HARMLESS = /^[A-Za-z0-9][^;\t\r\n]*$/

// Possible start of a cell (CSV injection). Excel takes a semicolon for the separator in many languages; quotes in the
// middle of such a cell have no effect, so that the text's own lines, tabs and semicolons start cells, too.
const CELL_START = /(^|[;\t\r\n])((?:(?![\t\r\n])[\p{Z}\p{C}"])*)([^\p{Z}\p{C}";]|$)/gu

/**
 * Escapes text that a spreadsheet would take for a formula (CSV injection), by an apostrophe before the start of the
 * formula: `=`, `+`, `-` and `@`, in their other widths as well, after any blanks and quotes; and a tab or a line break
 * at the very beginning. Leaves all other text unchanged.
 */
function disarmed(text: string): string {
  if (HARMLESS.test(text)) return text
  const safe = text.replace(CELL_START, (matched, before, blanks, first) =>
    /^[=+\-@]/.test(first.normalize('NFKC')) ? `${before}'${blanks}${first}` : matched,
  )
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

/** Returns a table as the reply with a CSV file of this name, without extension. */
export function csvReply<Row>(name: string, table: Table<Row>, dialect: Dialect) {
  return { body: csv(table, dialect), headers: attachment(`${name}.csv`, CSV) }
}
