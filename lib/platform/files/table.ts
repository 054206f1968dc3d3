import 'server-only'

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
export function textOf<Row>(column: Column<Row>, row: Row): string | null {
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
