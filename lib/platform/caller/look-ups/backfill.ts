import 'server-only'
import { sql } from 'drizzle-orm'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { LOOK_UPS } from './kinds.ts'

/**
 * Writes the look-ups of what was there before there were any. All of a customer at once: a thousand take some milliseconds,
 * and none of the rows is locked.
 */
export const lookUpRows: Backfill = {
  name: LOOK_UPS,
  async batch(tx) {
    // A customer with a hundred thousand members takes longer than a request may.
    await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
    const { rows } = await tx.execute<{ count: string }>(sql`SELECT fill_look_ups() AS count`)
    return { count: Number(rows[0]?.count ?? 0), last: null }
  },
}
