import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from './client.ts'
import { perDatabase } from './scope.ts'

/** Progress of a batch. `last` is the last row, by the backfill's row id; null when no row is left. */
export type Filled = { count: number; last: string | null }

/**
 * Change of many existing rows, in small batches while the service runs: customer by customer, each batch a short
 * transaction in that customer's scope. A migration requests it by name.
 */
export type Backfill = {
  /** Permanent name, under which the progress is stored. */
  name: string
  /**
   * Changes the customer's next rows. Idempotent, because a process may die before the progress is stored.
   * @param after `last` of the previous batch; null: from the first row on
   * @param most largest number of rows to examine; fewer if they take long
   */
  batch(
    tx: Transaction,
    customerId: CustomerId,
    { after, most }: { after: string | null; most: number },
  ): Promise<Filled>
}

/** Names of finished backfills. A finished one is only reopened by hand, with its rows filled. */
const finishedBackfills = perDatabase(() => new Set<string>())

/**
 * Returns whether a backfill is complete for a customer; until then, readers use a fallback. Once the backfill is
 * finished for all customers, the answer comes from memory.
 */
export async function isFilled(tx: Transaction, customerId: CustomerId, name: string): Promise<boolean> {
  const finished = finishedBackfills()
  if (finished.has(name)) return true
  const { rows } = await tx.execute<{ all: boolean; own: boolean }>(sql`
    SELECT finished_at IS NOT NULL AS all,
      at_customer > ${customerId} OR at_customer = ${customerId} AND after_row IS NULL AS own
    FROM backfills WHERE name = ${name}`)
  if (rows[0]?.all) finished.add(name)
  return Boolean(rows[0]?.all || rows[0]?.own)
}
