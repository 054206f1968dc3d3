import 'server-only'

/**
 * Holds that a statement wrote all of its rows. They stand beside a row of the customer's that is there, because a
 * database that is spread over several machines takes rows from parameters only where that row lies: without it, none
 * would be written, and nobody told.
 * @throws Error where some are missing
 */
export function holdAll({ rowCount }: { rowCount: number | null }, rows: number): void {
  if (rowCount !== rows) throw new Error(`${rowCount} of ${rows} rows were written.`)
}
