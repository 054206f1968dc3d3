import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import type { Account } from '#lib/vendors/accounts.ts'

// How far the reading of each account's list has come. Rows of no customer, written as the role `console_jobs`; one
// process at a time runs the job that reads.

/** A pass through an account's list that is under way. */
export type Pass = {
  /** Cursor of the next page; null: the first page. */
  cursor: string | null
  beganAt: Date
  /** The vendor's customers who could not be read in it. */
  failed: string[]
}

/** Least time between the starts of two passes. */
const EVERY = '1 hour'
/** Most failed customers that are remembered. */
const MAX_FAILED = 1000

/** Returns the running pass, or starts a new one when due; undefined where none is due. */
export async function openPass({ vendor, vendorAccount }: Account): Promise<Pass | undefined> {
  const account = [vendor, vendorAccount]
  const { jobs } = database()
  await jobs.query(
    'INSERT INTO vendor_accounts (vendor, name) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    account,
  )
  const { rows } = await jobs.query<Pass>(
    `UPDATE vendor_accounts SET list_began_at = coalesce(list_began_at, statement_timestamp())
     WHERE vendor = $1 AND name = $2 AND list_next_at <= statement_timestamp()
     RETURNING list_cursor AS cursor, list_began_at AS "beganAt", list_failed AS failed`,
    account,
  )
  return rows[0]
}

/** SQL condition on accounts for the running pass itself. Another process may have ended the pass. */
const ITS_PASS = "vendor = $1 AND name = $2 AND date_trunc('milliseconds', list_began_at) = $3"

/**
 * Saves the cursor of a pass after a page, with the customers that failed.
 * @returns false where the pass is over: another process took this one for dead, and has ended the pass
 */
export async function saveCursor(
  { vendor, vendorAccount }: Account,
  { beganAt }: Pick<Pass, 'beganAt'>,
  cursor: string,
  failed: readonly string[],
): Promise<boolean> {
  const { rowCount } = await database().jobs.query(
    `UPDATE vendor_accounts SET list_cursor = $4, list_failed = (list_failed || $5::text[])[1:${MAX_FAILED}]
     WHERE ${ITS_PASS}`,
    [vendor, vendorAccount, beganAt, cursor, failed],
  )
  return rowCount === 1
}

/** Pauses a pass for a number of seconds; `isRestart` continues at the first page, because the cursor has expired. */
export async function pausePass(
  { vendor, vendorAccount }: Account,
  { beganAt }: Pick<Pass, 'beganAt'>,
  seconds: number,
  { isRestart = false } = {},
): Promise<void> {
  await database().jobs.query(
    `UPDATE vendor_accounts SET list_next_at = statement_timestamp() + $4::int * interval '1 second',
       list_cursor = CASE WHEN $5 THEN NULL ELSE list_cursor END
     WHERE ${ITS_PASS}`,
    [vendor, vendorAccount, beganAt, seconds, isRestart],
  )
}

/** Ends a pass at the end of its list. */
export async function endPass(
  { vendor, vendorAccount }: Account,
  { beganAt }: Pick<Pass, 'beganAt'>,
): Promise<void> {
  await database().jobs.query(
    `UPDATE vendor_accounts SET list_ended_at = statement_timestamp(), list_next_at = list_began_at + interval '${EVERY}',
       list_began_at = NULL, list_cursor = NULL, list_failed = '{}'
     WHERE ${ITS_PASS}`,
    [vendor, vendorAccount, beganAt],
  )
}

/** Has the lists of all accounts read with the next run of the job, whatever was planned. */
export async function schedulePasses(): Promise<void> {
  await database().jobs.query('UPDATE vendor_accounts SET list_next_at = statement_timestamp()')
}
