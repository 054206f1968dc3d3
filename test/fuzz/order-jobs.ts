import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { reconcileOrders } from '#lib/licenses/renewal-orders/reconcile.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { repeatUntilAborted } from './jobs.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'

// The job's work on renewal orders, without its waits between two checks.

const NEVER = new AbortController().signal

export function readSeed(stage: Stage, seed: Seed) {
  return readOne(newCustomerId(CUSTOMER), stage.assetId(seed), 'test')
}

/** Reconciles again and again, as the job does it each minute. */
export function keepReconciling(database: TestDatabase, signal: AbortSignal): Promise<void> {
  return repeatUntilAborted(signal, 250, () => reconcileAll(database))
}

async function reconcileAll(database: TestDatabase): Promise<void> {
  await database.sql(
    CUSTOMER,
    `UPDATE renewal_orders SET next_look_at = now()
     WHERE state = 'STANDING' AND (waits_since IS NOT NULL OR next_look_at < term_end)`,
  )
  // Another transaction holds a locked row: the order is due again next time.
  await reconcileOrders('fuzz-job', NEVER).catch(() => {})
}

/** The orders that their vendor lacks, or should not have any more, or that an earlier request may still reach. */
export async function restless(database: TestDatabase) {
  await reconcileAll(database)
  return database.sql(
    CUSTOMER,
    `SELECT asset_id AS asset, to_quantity, renewal_type, placed_version, taken_back_at, reason FROM renewal_orders o
     WHERE state = 'STANDING' AND (waits_since IS NOT NULL OR next_look_at < term_end
       OR EXISTS (SELECT FROM renewal_requests r WHERE r.asset_id = o.asset_id AND r.late_until > now()))`,
  )
}

/** Reconciles all active orders; returns those that are left, and why. */
export async function settleOrders(database: TestDatabase) {
  await database.sql(CUSTOMER, "UPDATE renewal_orders SET next_look_at = now() WHERE state = 'STANDING'")
  await reconcileAll(database)
  return database.sql(
    CUSTOMER,
    `SELECT asset_id AS asset, to_quantity, renewal_type, taken_back_at, term_end, began_at, tries, reason
     FROM renewal_orders WHERE state = 'STANDING'`,
  )
}
