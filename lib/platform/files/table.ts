import 'server-only'
import { stringify } from 'csv-stringify/sync'
import { type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import { attachment } from './attachment.ts'

/**
 * What a column says of a row: text, which may be anything; a number as plain decimal text, or an amount of money, which
 * is one; a day, `YYYY-MM-DD`; or a moment. Null is empty.
 */
export type Column<Row> = { name: string } & (
  | { text: (row: Row) => string | null }
  | { number: (row: Row) => string | number | null }
  | { amount: (row: Row) => string | null }
  | { day: (row: Row) => string | null }
  | { moment: (row: Row) => Date | null }
)

/** What an export holds, whatever kind of file it becomes. Rows come in batches, none of which is asked for too early. */
export type Table<Row> = {
  columns: readonly Column<Row>[]
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
}

/** A cell as it stands in any file, checked: what a number or a day says is what it is. */
type Cell =
  | { kind: 'empty' }
  | { kind: 'text' | 'number' | 'day'; text: string }
  | { kind: 'moment'; at: Date }

/**
 * What a column says of a row.
 * @throws Error where a number is no plain decimal, or a day none
 */
function cellOf<Row>(column: Column<Row>, row: Row): Cell {
  if ('moment' in column) {
    const at = column.moment(row)
    return at ? { kind: 'moment', at } : { kind: 'empty' }
  }
  if ('text' in column) return filled('text', column.text(row))
  if ('day' in column)
    return checked(column.name, /^\d{4}-\d{2}-\d{2}$/, 'a day', filled('day', column.day(row)))
  // It is written without quotes and not disarmed: a negative amount begins like a formula.
  const plain = /^-?\d+(\.\d+)?$/
  const value = 'amount' in column ? column.amount(row) : column.number(row)
  return checked(column.name, plain, 'a plain decimal', filled('number', value))
}

/** A column of something as a column of what has it. */
export function columnOf<Outer, Row>(column: Column<Row>, rowOf: (outer: Outer) => Row): Column<Outer> {
  const { name } = column
  if ('text' in column) return { name, text: (outer) => column.text(rowOf(outer)) }
  if ('day' in column) return { name, day: (outer) => column.day(rowOf(outer)) }
  if ('moment' in column) return { name, moment: (outer) => column.moment(rowOf(outer)) }
  if ('amount' in column) return { name, amount: (outer) => column.amount(rowOf(outer)) }
  return { name, number: (outer) => column.number(rowOf(outer)) }
}

function filled(kind: 'text' | 'number' | 'day', value: string | number | null): Cell {
  return value === null ? { kind: 'empty' } : { kind, text: String(value) }
}

function checked(name: string, pattern: RegExp, what: string, cell: Cell): Cell {
  if ('text' in cell && !pattern.test(cell.text)) throw new Error(`${name} is not ${what}.`)
  return cell
}

/** How a file is read by the spreadsheet that it is for: with what between its cells, and what before a fraction. */
export type Dialect = { separator?: keyof typeof SEPARATORS; decimal?: 'point' | 'comma' }

export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const

/** For the header Content-Type; a contract says `text/csv`. */
const CSV = 'text/csv; charset=utf-8; header=present'

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
  const safe = text.replace(CELL_START, (matched, before, blanks, first) =>
    /^[=+\-@]/.test(first.normalize('NFKC')) ? `${before}'${blanks}${first}` : matched,
  )
  return /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
}

/** For the header Content-Type. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** A number in a spreadsheet has so many digits that are exact. */
const EXACT_DIGITS = 15
/** A cell takes so many characters; a file with more in one is damaged for Excel. */
const MAX_CELL_LENGTH = 32_767

/**
 * Writes a table as a workbook of Office Open XML, whose cells are numbers, days, moments and text, so that no
 * spreadsheet guesses: no text is a formula, and a number is read the same in every language. One batch is held at a
 * time. What is longer than a sheet, 1,048,576 rows, goes on in the next one.
 * @param name of the first sheet
 */
export async function* xlsx<Row>(
  name: string,
  { columns, batches }: Table<Row>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* writeXlsxStream(rowsOf(columns, batches), {
    name,
    columns: columns.map(headerOf),
    freezePane: { rows: 1 },
  })
}

async function* rowsOf<Row>(columns: readonly Column<Row>[], batches: Table<Row>['batches']) {
  for await (const rows of batches)
    for (const row of rows) yield columns.map((column) => typed(cellOf(column, row)))
}

/** As wide as what mostly stands in it. An amount has two places after its point, and more where it is more exact. */
function headerOf<Row>(column: Column<Row>): ColumnDef {
  const header = column.name
  if ('day' in column) return { header, width: 12, numFmt: 'yyyy-mm-dd' }
  if ('moment' in column) return { header, width: 20, numFmt: 'yyyy-mm-dd hh:mm:ss' }
  if ('amount' in column) return { header, width: 16, numFmt: '#,##0.00######' }
  return { header, width: 'number' in column ? 12 : 22 }
}

function typed(cell: Cell): string | number | Date | null {
  if (cell.kind === 'empty') return null
  if (cell.kind === 'moment') return cell.at
  if (cell.kind === 'day') return new Date(`${cell.text}T00:00:00Z`)
  if (cell.kind === 'number' && isExact(cell.text)) return Number(cell.text)
  return escapeControls(cell.text)
}

/** Whether a spreadsheet keeps each digit; with more of them the number stays text, of which nothing is lost. */
function isExact(number: string): boolean {
  return number.replace(/^-?0*\.?0*|\./g, '').length <= EXACT_DIGITS
}

/** What XML can't hold is shown as a mark; `_x0041_`, which spreadsheets take for a letter, stays what it is. */
function escapeControls(text: string): string {
  const escaped = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
  return escaped.length > MAX_CELL_LENGTH
    ? `${escaped.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…`
    : escaped
}

/** A table as the answer of an export: a CSV file of this name, which needs no extension. */
export function csvReply<Row>(name: string, table: Table<Row>, dialect: Dialect) {
  return { body: csv(table, dialect), headers: attachment(`${name}.csv`, CSV) }
}

/** The same as a workbook. */
export function xlsxReply<Row>(name: string, sheet: string, table: Table<Row>) {
  return { body: xlsx(sheet, table), headers: attachment(`${name}.xlsx`, XLSX) }
}
