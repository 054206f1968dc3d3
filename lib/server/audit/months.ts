import 'server-only'
import { database } from '#lib/platform/db/client.ts'

/** Number of months created in advance. */
const FUTURE_MONTHS = 3

/**
 * Creates the coming months' partitions of the audit log. Events of a month without a partition are stored in a default
 * one, and moved when the partition exists.
 * @returns how many tables
 */
export async function makeMonths(): Promise<number> {
  const { rows } = await database().jobs.query<{ made: number }>(
    "SELECT make_months(statement_timestamp() + $1::int * interval '1 month') AS made",
    [FUTURE_MONTHS],
  )
  return rows[0]?.made ?? 0
}
