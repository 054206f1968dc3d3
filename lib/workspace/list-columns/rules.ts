/** Available columns of each list, in their default order: the first one names the rows, and always stays first. */
export const LIST_COLUMNS = {
  assets: ['name', 'type', 'plan', 'renewal', 'usage', 'created', 'licenses'],
  invoices: ['number', 'date', 'billedTo', 'issuer', 'platform', 'due', 'status', 'total', 'balance'],
} as const

export type ListName = keyof typeof LIST_COLUMNS
export type ColumnOf<List extends ListName> = (typeof LIST_COLUMNS)[List][number]
export type AssetColumn = ColumnOf<'assets'>
export type InvoiceColumn = ColumnOf<'invoices'>

export const LISTS = Object.keys(LIST_COLUMNS) as [ListName, ...ListName[]]

/** Columns that are hidden by default. */
const OPTIONAL_COLUMNS: Partial<Record<ListName, readonly string[]>> = { assets: ['renewal', 'created'] }

/** Returns the columns of a list for a member without a choice. */
export function usualColumns<List extends ListName>(list: List): ColumnOf<List>[] {
  return LIST_COLUMNS[list].filter((column) => !OPTIONAL_COLUMNS[list]?.includes(column))
}

/**
 * Returns the columns of a list, in order: the first column, then the stored ones that still exist, each once.
 * @param stored the member's choice; undefined: no choice was made, so the usual columns are returned
 */
export function columnsOf<List extends ListName>(
  list: List,
  stored: readonly string[] | undefined,
): ColumnOf<List>[] {
  if (!stored) return usualColumns(list)
  const all: readonly ColumnOf<List>[] = LIST_COLUMNS[list]
  const first = all[0] as ColumnOf<List>
  const existing = new Set(stored.flatMap((name) => all.find((column) => column === name) ?? []))
  existing.delete(first)
  return [first, ...existing]
}

/** Returns whether two choices contain the same columns in the same order. */
export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((column, index) => column === other[index])
}

/** Returns why a choice is invalid; undefined where it is valid. */
export function validateColumns(list: ListName, columns: readonly string[]): string | undefined {
  const all: readonly string[] = LIST_COLUMNS[list]
  const unknown = columns.find((column) => !all.includes(column))
  if (unknown !== undefined) return `can be of these only: ${all.join(', ')}`
  if (new Set(columns).size < columns.length) return 'names a column twice'
  if (columns[0] !== all[0]) return `must begin with ${all[0]}, which names the rows`
  return undefined
}

/** Returns the columns with one of them shown or hidden. A column that is shown again takes its usual position. */
export function toggled<List extends ListName>(
  list: List,
  columns: readonly ColumnOf<List>[],
  column: ColumnOf<List>,
): ColumnOf<List>[] {
  if (columns.includes(column)) return columns.filter((one) => one !== column)
  const all: readonly ColumnOf<List>[] = LIST_COLUMNS[list]
  const before = all.slice(0, all.indexOf(column))
  const at = Math.max(...before.map((one) => columns.indexOf(one))) + 1
  return [...columns.slice(0, at), column, ...columns.slice(at)]
}

/** Moves a column one position towards the start (-1) or the end (1); the first column stays. */
export function moved<Column>(columns: readonly Column[], column: Column, by: -1 | 1): Column[] {
  const [from, to] = [columns.indexOf(column), columns.indexOf(column) + by]
  if (from < 1 || to < 1 || to >= columns.length) return [...columns]
  const others = columns.filter((one) => one !== column)
  return [...others.slice(0, to), column, ...others.slice(to)]
}
