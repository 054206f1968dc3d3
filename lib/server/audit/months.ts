import 'server-only'
import { database } from '#lib/platform/db/client.ts'

/** So many months are there before they begin. */
const FUTURE_MONTHS = 3

/**
 * Makes the coming months of the history. Where none was made in time, what happens is kept all the same, and moved to its month
 * when that is there.
 * @returns how many tables
 */
export async function makeMonths(): Promise<number> {
  const { rows } = await database().jobs.query<{ made: number }>(
    "SELECT make_months(statement_timestamp() + $1::int * interval '1 month') AS made",
    [FUTURE_MONTHS],
  )
  return rows[0]?.made ?? 0
}
