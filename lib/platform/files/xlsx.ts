import 'server-only'
import { type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import { type Cell, type Column, cellOf, type Table } from './table.ts'

/** For the header Content-Type. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** A number in a spreadsheet has so many digits that are exact. */
const EXACT_DIGITS = 15
/** A cell takes so many characters; a file with more in one is damaged for Excel. */
const LONGEST = 32_767

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
    columns: columns.map(head),
    freezePane: { rows: 1 },
  })
}

async function* rowsOf<Row>(columns: readonly Column<Row>[], batches: Table<Row>['batches']) {
  for await (const rows of batches)
    for (const row of rows) yield columns.map((column) => typed(cellOf(column, row)))
}

/** As wide as what mostly stands in it. An amount has two places after its point, and more where it is more exact. */
function head<Row>(column: Column<Row>): ColumnDef {
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
  return lasting(cell.text)
}

/** Whether a spreadsheet keeps each digit; with more of them the number stays text, of which nothing is lost. */
function isExact(number: string): boolean {
  return number.replace(/^-?0*\.?0*|\./g, '').length <= EXACT_DIGITS
}

/** What XML can't hold is shown as a mark; `_x0041_`, which spreadsheets take for a letter, stays what it is. */
function lasting(text: string): string {
  const held = text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
  return held.length > LONGEST ? `${held.slice(0, LONGEST - 1).toWellFormed()}…` : held
}
