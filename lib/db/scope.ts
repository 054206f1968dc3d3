import type { CustomerId } from '#lib/access/rules.ts'
import { database, type Transaction } from './client.ts'
import { transaction, transactionStream } from './transaction.ts'

/**
 * The one door to a tenant's rows: one transaction that can see and write the rows of the caller's
 * customer only (row-level security), committed when `fn` returns and rolled back when it throws.
 * Store functions name the customer again in every WHERE: two walls, each of which holds alone.
 */
export function scope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return transaction(database().app, caller.customerId, fn)
}

/** The same door for reads only: the database refuses writes, and the answer waits for one round trip less. */
export function readScope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return transaction(database().reads, caller.customerId, fn, { readOnly: true })
}

/**
 * The same door for exports: what `fn` gives, piece by piece, read in as many short statements as it takes, all of
 * one moment. Few run at once; a caller who finds none free is told that the service is busy.
 */
export function streamScope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  return transactionStream(database().streams, caller.customerId, fn)
}
