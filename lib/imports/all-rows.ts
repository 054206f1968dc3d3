import 'server-only'

/**
 * Asserts that a query wrote all of its rows. Such queries join the customer's row, because a distributed database reads
 * rows from parameters only on the node of that row: without the customer's row, the query would silently write nothing.
 * @throws Error if rows are missing
 */
export function assertAllWritten({ rowCount }: { rowCount: number | null }, rows: number): void {
  if (rowCount !== rows) throw new Error(`${rowCount} of ${rows} rows were written.`)
}
