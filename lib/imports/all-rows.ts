import 'server-only'

/**
 * Throws unless a statement wrote all of its rows. Such statements join a row of the customer, because a distributed
 * database takes rows from parameters only on the node of that row: without the row, the statement would silently write
 * none.
 * @throws Error where rows are missing
 */
export function holdAll({ rowCount }: { rowCount: number | null }, rows: number): void {
  if (rowCount !== rows) throw new Error(`${rowCount} of ${rows} rows were written.`)
}
