import 'server-only'
import { attachment } from './attachment.ts'
import { type Column, type Table, textOf } from './table.ts'

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
  const delimiter = SEPARATORS[separator]
  const write = writers(columns, delimiter, decimal)
  const names = columns.map(({ name }) => name)
  let chunk = `${BOM}${csvLine(names, delimiter)}\r\n`
  for await (const rows of batches) {
    for (const row of rows) {
      for (let at = 0; at < write.length; at++) chunk += `${at > 0 ? delimiter : ''}${write[at]?.(row)}`
      chunk += '\r\n'
    }
    yield chunk
    chunk = ''
  }
  if (chunk) yield chunk
}

/** Returns cells as a line of CSV without its line break. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return cells.map((text) => quoted(disarmed(text), delimiter)).join(delimiter)
}

/** Returns a function for each column that writes its cell: no object for a cell, since a file has millions of them. */
function writers<Row>(
  columns: readonly Column<Row>[],
  delimiter: string,
  decimal: 'point' | 'comma',
): ((row: Row) => string)[] {
  return columns.map((column) => {
    if ('text' in column)
      return (row) => {
        const text = column.text(row)
        // Most cells of a wide table are empty.
        return text ? quoted(disarmed(text), delimiter) : ''
      }
    const isWithComma = decimal === 'comma' && ('number' in column || 'amount' in column)
    if (isWithComma) return (row) => quoted((textOf(column, row) ?? '').replace('.', ','), delimiter)
    return (row) => textOf(column, row) ?? ''
  })
}

function quoted(text: string, delimiter: string): string {
  const isPlain =
    !text.includes(delimiter) && !text.includes('"') && !text.includes('\n') && !text.includes('\r')
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
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
