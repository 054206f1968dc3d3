import { createHash } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Transaction } from './client.ts'
import { withoutValues } from './failure.ts'
import { withRowPlans } from './rows.ts'

/**
 * Runs `fn` in one transaction that sees one customer; commits, or rolls back when it throws.
 * A read's answer does not wait for its COMMIT: there is nothing that could still be lost.
 */
export async function transaction<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  { readOnly = false } = {},
): Promise<T> {
  const { tx, opened, end } = await begin(from, customerId, readOnly)
  let value: T
  try {
    value = await fn(tx)
    await opened
  } catch (error) {
    await end('ROLLBACK').catch(() => {})
    throw withoutValues(error)
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else await end('COMMIT')
  return value
}

/**
 * What `fn` gives, from one read-only transaction that sees one customer and one moment, however many statements
 * it takes. It ends when all was taken, when `fn` throws, and when its taker goes.
 */
export async function* transactionStream<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const { tx, opened, end } = await begin(from, customerId, true)
  try {
    await opened
    yield* fn(tx)
  } catch (error) {
    throw withoutValues(error)
  } finally {
    await end('ROLLBACK').catch(() => {})
  }
}

async function begin(from: pg.Pool, customerId: string, readOnly: boolean) {
  const client = await from.connect()
  // Not awaited one by one: with pg's pipeline they travel in one round trip with the first query.
  const opened = Promise.all([
    // An invoice and its lines are of one moment, also while an import replaces them.
    client.query(readOnly ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN'),
    client.query("SELECT set_config('console.customer', $1, true)", [customerId]),
  ])
  opened.catch(() => {})
  const end = async (how: 'COMMIT' | 'ROLLBACK') => {
    try {
      const { command } = await client.query(how)
      // PostgreSQL answers the COMMIT of a failed transaction with a quiet ROLLBACK.
      if (command !== how) throw new Error('The transaction failed before its end and was rolled back.')
      client.release()
    } catch (error) {
      // In an unknown state: the pool must not hand it out again.
      client.release(true)
      throw error
    }
  }
  const tx = withRowPlans(drizzle(readOnly ? planned(client) : client))
  return { tx, opened, end }
}

/** Statements that get a name, so that PostgreSQL plans them once for a connection. Filters make some hundred of them. */
const MOST_NAMES = 500
const names = new Map<string, string>()

// Not a number: another copy of this module shares the connections, and would number other statements.
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** A connection whose statements are named by their text. */
function planned(client: pg.PoolClient): pg.PoolClient {
  const query = (statement: pg.QueryConfig, values?: unknown[]) => {
    const known = names.get(statement.text)
    const name = known ?? (names.size < MOST_NAMES ? nameOf(statement.text) : undefined)
    if (name && !known) names.set(statement.text, name)
    return client.query({ ...statement, ...(name ? { name } : {}) }, values)
  }
  return { query } as unknown as pg.PoolClient
}
