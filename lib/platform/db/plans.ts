import 'server-only'
import { sql } from 'drizzle-orm'
import type { Transaction } from './client.ts'

/**
 * Limits of their own for an import's transaction: its next row may come from somebody's slow pipe, and a batch of it may wait
 * longer for a busy disk than a request may.
 */
export async function allowImportTimes(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`)
  await tx.execute(sql`SET LOCAL statement_timeout = '60s'`)
}

/** For an operator's command, which may read all that a customer has in one statement. */
export async function allowLongQueries(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL statement_timeout = '1h'`)
}

/**
 * Plans each statement of the transaction for any customer rather than for the one at hand. PostgreSQL plans a foreign
 * key's check anew for its first five rows; of a customer that is not among the most common ones it expects one row
 * then, each index of the customer's seems as good, and the wrong one reads all that the customer has. Of a database that is
 * spread the machines with the rows do so; the coordinator has to know whose rows it asks them for, and `set_config` stays there.
 */
export async function planForAnyCustomer(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL plan_cache_mode = force_generic_plan`)
  await tx.execute(sql`SELECT set_config('plan_cache_mode', 'auto', true) WHERE is_spread('invoices')`)
}

/**
 * Forgets how statements were planned. A foreign key's check is planned once for a connection: what was made when the
 * tables were empty may read all of a customer's invoices for each line, and so a first file takes the square of its size.
 */
export async function planAgain(tx: Transaction): Promise<void> {
  await tx.execute(sql`DISCARD PLANS`)
}

/**
 * Carries out a statement that joins much of what a customer has, by hashes and sorts alone: where the server has not looked at
 * new rows yet, it expects one of them, and would go through all of the others for each.
 */
export async function withoutLoops<T>(tx: Transaction, run: () => Promise<T>): Promise<T> {
  await tx.execute(sql`SET LOCAL enable_nestloop = off`)
  const result = await run()
  await tx.execute(sql`SET LOCAL enable_nestloop = on`)
  return result
}
