import 'server-only'
import { database } from '#lib/platform/db/client.ts'

/** Position of a backfill; the columns of `backfills` are documented in the schema. */
export type BackfillPosition = { atCustomer: string; afterRow: string | null }
export type Progress = BackfillPosition & {
  name: string
  count: number
  askedAt: Date
  movedAt: Date | null
  finishedAt: Date | null
}

// Runs as the role `console_jobs`, which updates the progress and sees no rows of customers.

/** Lists all backfills that were ever requested, in order. */
export async function listBackfills(): Promise<Progress[]> {
  const { rows } = await database().jobs.query<Progress & { count: string }>(
    `SELECT name, at_customer AS "atCustomer", after_row AS "afterRow", count, asked_at AS "askedAt",
       moved_at AS "movedAt", finished_at AS "finishedAt"
     FROM backfills ORDER BY asked_at, name`,
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Reopens a backfill from the first row on. @returns false where it was never requested */
export async function openAgain(name: string): Promise<boolean> {
  const { rowCount } = await database().jobs.query(
    `UPDATE backfills SET at_customer = '', after_row = NULL, count = 0, moved_at = NULL, finished_at = NULL
     WHERE name = $1`,
    [name],
  )
  return rowCount === 1
}

const STILL_THERE =
  'name = $1 AND at_customer = $2 AND after_row IS NOT DISTINCT FROM $3 AND finished_at IS NULL'

/**
 * Stores the progress of a batch.
 * @returns false where the position is no longer `from`, because another process runs the backfill as well
 */
export async function move(
  name: string,
  from: BackfillPosition,
  to: BackfillPosition,
  count: number,
): Promise<boolean> {
  const { rowCount } = await database().jobs.query(
    `UPDATE backfills SET at_customer = $4, after_row = $5, count = count + $6, moved_at = now() WHERE ${STILL_THERE}`,
    [name, from.atCustomer, from.afterRow, to.atCustomer, to.afterRow, count],
  )
  return rowCount === 1
}

/** Marks the backfill as finished. */
export async function finish(name: string, at: BackfillPosition): Promise<void> {
  await database().jobs.query(`UPDATE backfills SET finished_at = now() WHERE ${STILL_THERE}`, [
    name,
    at.atCustomer,
    at.afterRow,
  ])
}
