import 'server-only'
import { attachment } from './attachment.ts'

/**
 * Column with the function that returns its value for a row: any text; a number as plain decimal text, or an amount of
 * money, which is one; a day, `YYYY-MM-DD`; or a moment. Null is an empty cell. The width is in characters of a
 * workbook's column.
 */
export type Column<Row> = { name: string; width?: number } & (
  | { text: (row: Row) => string | null }
  | { number: (row: Row) => string | number | null }
  | { amount: (row: Row) => string | null }
  | { day: (row: Row) => string | null }
  | { moment: (row: Row) => Date | null }
)

/** Content of an export, independent of the file format. Rows come in batches, each requested only when needed. */
export type Table<Row> = {
  columns: readonly Column<Row>[]
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
}

/** Validated cell of any file format: numbers and days are well-formed. */
export type Cell =
  | { kind: 'empty' }
  | { kind: 'text' | 'number' | 'day'; text: string }
  | { kind: 'moment'; at: Date }

/**
 * Returns the cell of a column for a row.
 * @throws Error for a number that is not a plain decimal, or an invalid day
 */
export function cellOf<Row>(column: Column<Row>, row: Row): Cell {
  if ('moment' in column) {
    const at = column.moment(row)
    return at ? { kind: 'moment', at } : { kind: 'empty' }
  }
  const text = textOf(column, row)
  if (text === null) return { kind: 'empty' }
  return { kind: 'text' in column ? 'text' : 'day' in column ? 'day' : 'number', text }
}

// Numbers are written without quotes and escaping: a negative amount begins like a formula.
const PLAIN = /^-?\d+(\.\d+)?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the text of a column for a row; null for an empty cell.
 * @throws Error as `cellOf`
 */
function textOf<Row>(column: Column<Row>, row: Row): string | null {
  if ('text' in column) return column.text(row)
  if ('moment' in column) return column.moment(row)?.toISOString() ?? null
  const isDay = 'day' in column
  const value = isDay ? column.day(row) : 'amount' in column ? column.amount(row) : column.number(row)
  if (value === null) return null
  const text = String(value)
  if ((isDay ? DAY : PLAIN).test(text)) return text
  throw new Error(`${column.name} is not ${isDay ? 'a day' : 'a plain decimal'}.`)
}

/** Adapts a column of a row to an outer object that contains the row. */
export function columnOf<Outer, Row>(column: Column<Row>, rowOf: (outer: Outer) => Row): Column<Outer> {
  const { name } = column
  if ('text' in column) return { name, text: (outer) => column.text(rowOf(outer)) }
  if ('day' in column) return { name, day: (outer) => column.day(rowOf(outer)) }
  if ('moment' in column) return { name, moment: (outer) => column.moment(rowOf(outer)) }
  if ('amount' in column) return { name, amount: (outer) => column.amount(rowOf(outer)) }
  return { name, number: (outer) => column.number(rowOf(outer)) }
}

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
  const mark = SEPARATORS[separator]
  const write = writers(columns, mark, decimal)
  let chunk = `${BOM}${columns.map(({ name }) => quoted(name, mark)).join(mark)}\r\n`
  for await (const rows of batches) {
    for (const row of rows) {
      for (let at = 0; at < write.length; at++) chunk += `${at > 0 ? mark : ''}${write[at]?.(row)}`
      chunk += '\r\n'
    }
    yield chunk
    chunk = ''
  }
  if (chunk) yield chunk
}

/** Returns a function for each column that writes its cell: no object for a cell, since a file has millions of them. */
function writers<Row>(
  columns: readonly Column<Row>[],
  mark: string,
  decimal: 'point' | 'comma',
): ((row: Row) => string)[] {
  return columns.map((column) => {
    if ('text' in column)
      return (row) => {
        const text = column.text(row)
        // Most cells of a wide table are empty.
        return text ? quoted(disarmed(text), mark) : ''
      }
    const isWithComma = decimal === 'comma' && ('number' in column || 'amount' in column)
    if (isWithComma) return (row) => quoted((textOf(column, row) ?? '').replace('.', ','), mark)
    return (row) => textOf(column, row) ?? ''
  })
}

function quoted(text: string, mark: string): string {
  const isPlain = !text.includes(mark) && !text.includes('"') && !text.includes('\n') && !text.includes('\r')
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
