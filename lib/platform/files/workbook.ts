import 'server-only'
import { Readable } from 'node:stream'
import type Big from 'big.js'
import { ZipFile } from 'yazl'
import { Exact } from '#lib/platform/values/decimals.ts'
import { attachment } from './attachment.ts'
import { type Cell, type Column, cellOf, type Table } from './table.ts'
import {
  cellStyles,
  listingParts,
  type RowKind,
  sheetEnd,
  sheetStart,
  workbookXml,
} from './workbook-parts.ts'

/** Columns with sums for each value of another one, such as the currency. */
type Sums = { by: string; columns: readonly string[] }
export type SummedTable<Row> = Table<Row> & { sums: Sums }
type WorkbookTable<Row> = Table<Row> & { sums?: Sums }

/** Value of the header Content-Type. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** Rows of a sheet in every spreadsheet program. */
const MAX_ROWS = 1_048_576
/** Digits of a number that a spreadsheet keeps exactly. */
const EXACT_DIGITS = 15
/** Longest text of a cell in characters; Excel reports a file with more as damaged. */
const MAX_CELL_LENGTH = 32_767
/** Number of characters of a sheet that are compressed together. */
const CHUNK_LENGTH = 32_768
/** Entries without the time of writing: the same table is the same file, in every time zone. */
const TIMELESS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true }

/** Returns a table as the reply with a workbook of this name, without extension. */
export function xlsxReply<Row>(name: string, sheet: string, table: WorkbookTable<Row>) {
  return { body: workbook(sheet, table), headers: attachment(`${name}.xlsx`, XLSX) }
}

/**
 * Writes a table as an Office Open XML workbook: a bold header that stays in view, a filter, column widths, and, if the
 * table has any, below the rows the sums of their columns, as formulas with the exact result. Cells are numbers, days,
 * moments and text, so no spreadsheet guesses: no text is a formula, and a number is read equally in every
 * language, with as many decimals as the table gives it. Holds one batch in memory. Rows beyond a sheet's 1,048,576
 * continue on the next sheet; then the sums are numbers.
 * @param name name of the first sheet
 * @param mostRows rows of a sheet with its header
 */
export async function* workbook<Row>(
  name: string,
  table: WorkbookTable<Row>,
  mostRows = MAX_ROWS,
): AsyncGenerator<Uint8Array, void, undefined> {
  const archive = new ZipFile()
  const out = archive.outputStream as Readable
  const rows = rowsOf(table)
  const write = sheetWriter(table, rows, mostRows)
  let sheet: Readable | undefined
  const add = (number: number): void => {
    sheet = Readable.from(parts(number)).on('error', (error) => out.destroy(error))
    archive.addReadStream(sheet, `xl/worksheets/sheet${number}.xml`, TIMELESS)
  }
  async function* parts(number: number): AsyncGenerator<string, void, undefined> {
    if (!(yield* write.sheet())) return add(number + 1)
    const others = {
      'xl/styles.xml': write.stylesXml(),
      'xl/workbook.xml': workbookXml(name, write.ends),
      ...listingParts(number),
    }
    for (const [path, xml] of Object.entries(others)) archive.addBuffer(Buffer.from(xml), path, TIMELESS)
    archive.end()
  }
  try {
    add(1)
    yield* out
  } finally {
    // A client that leaves early ends the work of the database, too.
    sheet?.destroy()
    await rows.return()
  }
}

/** Yields the cells of each row while they are read. */
async function* rowsOf<Row>({ columns, batches }: Table<Row>): AsyncGenerator<Cell[], void, undefined> {
  for await (const rows of batches) for (const row of rows) yield columns.map((column) => cellOf(column, row))
}

function sheetWriter<Row>(
  { columns, sums }: WorkbookTable<Row>,
  rows: AsyncGenerator<Cell[], void, undefined>,
  mostRows: number,
) {
  const styles = cellStyles()
  const ends: string[] = []
  const letters = columns.map((_, index) => letterOf(index))
  const added = sums && sumsOf(columns, sums)
  let waiting: IteratorResult<Cell[], void> | undefined
  const formatOf = (cell: Cell) => numberFormat(cell)
  const row = (number: number, kind: RowKind, cells: readonly (Cell & { formula?: string })[]) => {
    const xml = cells.map((cell, index) => {
      const isRight = columns[index] !== undefined && isNumeric(columns[index])
      const style = styles.indexOf(kind, formatOf(cell), isRight)
      return cellXml(`${letters[index]}${number}`, style, cell)
    })
    return `<row r="${number}">${xml.join('')}</row>`
  }

  /** Yields a sheet, and returns whether it is the last one. */
  async function* sheet(): AsyncGenerator<string, boolean, undefined> {
    const header = columns.map(({ name }): Cell => ({ kind: 'text', text: name }))
    let chunk = sheetStart(columns.map(widthOf)) + row(1, 'header', header)
    let number = 1
    for (;;) {
      waiting ??= await rows.next()
      if (waiting.done || number === mostRows) break
      const cells = waiting.value
      waiting = undefined
      number += 1
      added?.add(cells)
      chunk += row(number, 'row', cells)
      if (chunk.length < CHUNK_LENGTH) continue
      yield chunk
      chunk = ''
    }
    ends.push(`$${letters.at(-1)}$${number}`)
    const isLast = Boolean(waiting.done)
    // The sums need a blank row before them, which ends the filtered range.
    const isOneSheet = ends.length === 1
    const sumRows = (isLast && added?.rows(isOneSheet ? { letters, last: number } : undefined)) || []
    const sumText = sumRows.map((cells, index) => row(number + 2 + index, 'sum', cells)).join('')
    yield chunk + sumText + sheetEnd(ends.at(-1) ?? '')
    return isLast
  }
  return { sheet, ends, stylesXml: styles.xml }
}

/** Adds up columns for each value of the column `by`; a column with an empty cell has no sum. */
function sumsOf<Row>(columns: readonly Column<Row>[], { by, columns: names }: Sums) {
  const at = columns.findIndex(({ name }) => name === by)
  const summed = columns.map(({ name }) => names.includes(name))
  const sums = new Map<string, (Sum | undefined)[]>()
  const add = (cells: readonly Cell[]) => {
    const key = textOf(cells[at])
    const before = sums.get(key) ?? columns.map(() => ({ value: new Exact(0), decimals: 0 }))
    sums.set(
      key,
      before.map((sum, index) => (summed[index] && sum ? plus(sum, cells[index]) : undefined)),
    )
  }
  /** Returns a row for each value, with formulas where all rows are on one sheet. */
  const rows = (range?: { letters: string[]; last: number }): (Cell & { formula?: string })[][] =>
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, totals]) => {
        const cells = totals.map((sum, index) => (sum ? sumCell(sum, formulaOf(key, index, range)) : EMPTY))
        return cells.with(0, { kind: 'text', text: `Total ${key}` }).with(at, { kind: 'text', text: key })
      })
  const formulaOf = (key: string, index: number, range?: { letters: string[]; last: number }) => {
    if (!range) return {}
    const cells = (letter = '') => `${letter}$2:${letter}$${range.last}`
    return { formula: `SUMIF(${cells(`$${range.letters[at]}`)},"${key}",${cells(range.letters[index])})` }
  }
  return { add, rows }
}

const EMPTY: Cell = { kind: 'empty' }

function sumCell({ value, decimals }: Sum, formula: { formula?: string }): Cell & { formula?: string } {
  return { kind: 'number', text: value.toFixed(decimals), ...formula }
}

type Sum = { value: Big; decimals: number }

function plus({ value, decimals }: Sum, cell: Cell | undefined): Sum | undefined {
  if (cell?.kind !== 'number') return undefined
  return { value: value.plus(cell.text), decimals: Math.max(decimals, decimalsOf(cell.text)) }
}

function textOf(cell: Cell | undefined): string {
  return cell && 'text' in cell ? cell.text : ''
}

function cellXml(reference: string, style: number, cell: Cell & { formula?: string }): string {
  const start = `<c r="${reference}" s="${style}"`
  if (cell.kind === 'empty') return `${start}/>`
  const number = numberOf(cell)
  if (number === undefined)
    return `${start} t="inlineStr"><is><t xml:space="preserve">${escaped(textOf(cell))}</t></is></c>`
  return `${start}>${cell.formula ? `<f>${escaped(cell.formula)}</f>` : ''}<v>${number}</v></c>`
}

/** Returns the number that a spreadsheet stores for a cell; undefined for text. */
function numberOf(cell: Cell): string | undefined {
  if (cell.kind === 'day') return String(serialOf(Date.parse(cell.text)))
  if (cell.kind === 'moment') return String(serialOf(cell.at.getTime()))
  return cell.kind === 'number' && isExact(cell.text) ? cell.text : undefined
}

/** Days since 1899-12-30, the first day of spreadsheets. */
function serialOf(time: number): number {
  return time / 86_400_000 + 25_569
}

function numberFormat(cell: Cell): string {
  if (cell.kind === 'day') return 'yyyy-mm-dd'
  if (cell.kind === 'moment') return 'yyyy-mm-dd hh:mm:ss'
  if (cell.kind !== 'number') return 'General'
  const decimals = decimalsOf(cell.text)
  return decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`
}

function decimalsOf(number: string): number {
  return number.split('.')[1]?.length ?? 0
}

function isNumeric<Row>(column: Column<Row>): boolean {
  return 'number' in column || 'amount' in column
}

function widthOf<Row>(column: Column<Row>): number {
  return column.width ?? ('amount' in column ? 16 : 'number' in column ? 14 : 'day' in column ? 12 : 22)
}

/** Returns the letters of a column: `A`, …, `Z`, `AA`. */
function letterOf(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? letterOf(rest - 1) : '') + String.fromCharCode(65 + (index % 26))
}

function escaped(text: string): string {
  // XML would read a carriage return as a line break.
  return escapeControls(text).replace(/[&<>"\r]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Returns whether a spreadsheet keeps each digit; longer numbers are written as text, without loss. */
function isExact(number: string): boolean {
  return number.replace(/^-?0*\.?0*|\./g, '').length <= EXACT_DIGITS
}

/** Replaces characters that XML can't contain by a mark; escapes `_x0041_`, which spreadsheets would decode. */
function escapeControls(text: string): string {
  const escaped = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
  return escaped.length > MAX_CELL_LENGTH
    ? `${escaped.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…`
    : escaped
}
