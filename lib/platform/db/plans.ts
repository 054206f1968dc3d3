import 'server-only'
import { sql } from 'drizzle-orm'
import type { Transaction } from './client.ts'

/**
 * Sets limits for an import's transaction: its next row may come through a slow pipe, and a batch may wait longer for a
 * busy disk than a request may.
 */
export async function allowImportTimes(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`)
  await tx.execute(sql`SET LOCAL statement_timeout = '60s'`)
}

/** Sets limits for an operator's command, which may read all rows of a customer in one statement. */
export async function allowLongQueries(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL statement_timeout = '1h'`)
}

/**
 * Switches the transaction to generic plans. PostgreSQL plans a foreign key's check for its first five rows with custom
 * plans; for a customer that is not among the most common values it expects one row, all of the customer's indexes cost
 * the same, and the wrong one reads all rows of the customer. In a distributed database the worker nodes do so; the
 * coordinator has to know the customer of the rows to route the query, and `set_config` stays there.
 */
export async function planForAnyCustomer(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL plan_cache_mode = force_generic_plan`)
  await tx.execute(sql`SELECT set_config('plan_cache_mode', 'auto', true) WHERE is_spread('invoices')`)
}

/**
 * Discards cached plans. A foreign key's check is planned once per connection: a plan from when the tables were empty
 * may read all of a customer's invoices for each line, so that a first file takes quadratic time.
 */
export async function planAgain(tx: Transaction): Promise<void> {
  await tx.execute(sql`DISCARD PLANS`)
}

/**
 * Runs a statement that joins many rows of a customer with hash joins and sorts only: before the server has analyzed
 * new rows, it expects one of them, and would choose a nested loop over all others.
 */
export async function withoutLoops<T>(tx: Transaction, run: () => Promise<T>): Promise<T> {
  await tx.execute(sql`SET LOCAL enable_nestloop = off`)
  const result = await run()
  await tx.execute(sql`SET LOCAL enable_nestloop = on`)
  return result
}
