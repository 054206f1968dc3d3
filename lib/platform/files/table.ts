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
  if ('text' in column) return filled('text', column.text(row))
  if ('day' in column)
    return checked(column.name, /^\d{4}-\d{2}-\d{2}$/, 'a day', filled('day', column.day(row)))
  // Numbers are written without quotes and escaping: a negative amount begins like a formula.
  const plain = /^-?\d+(\.\d+)?$/
  const value = 'amount' in column ? column.amount(row) : column.number(row)
  return checked(column.name, plain, 'a plain decimal', filled('number', value))
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

function filled(kind: 'text' | 'number' | 'day', value: string | number | null): Cell {
  return value === null ? { kind: 'empty' } : { kind, text: String(value) }
}

function checked(name: string, pattern: RegExp, what: string, cell: Cell): Cell {
  if ('text' in cell && !pattern.test(cell.text)) throw new Error(`${name} is not ${what}.`)
  return cell
}
