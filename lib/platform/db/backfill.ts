import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from './client.ts'
import { perDatabase } from './per-database.ts'

/** How far a batch comes. `last` is its last row, as the backfill tells rows apart; null where no row is left. */
export type Filled = { count: number; last: string | null }

/**
 * A change of many rows that are there already, made in small batches while the service runs: customer by customer,
 * each batch a short transaction inside of that customer's scope. A migration asks for it by its name.
 */
export type Backfill = {
  /** Never changed again: the progress is kept under it. */
  name: string
  /**
   * Changes the customer's next rows. To repeat it changes nothing more, for a process may die before the progress is
   * written down.
   * @param after the `last` of the batch before; null: from the first row on
   * @param most rows that it may look at; fewer where they take long
   */
  batch(
    tx: Transaction,
    customerId: CustomerId,
    { after, most }: { after: string | null; most: number },
  ): Promise<Filled>
}

/** Names of finished backfills. One that is finished opens again by hand only, when its rows are filled. */
const finishedBackfills = perDatabase(() => new Set<string>())

/**
 * Whether all of a customer's rows have what a backfill gives them. Whoever reads that has another way until then.
 * Once it is finished for all customers, nobody is asked any more.
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
