import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Transaction } from './client.ts'
import { withoutValues } from './failure.ts'
import { sayLastWords, takeLastWords } from './last-words.ts'
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
  const { tx, opened, send, end } = await begin(from, customerId, readOnly)
  let value: T
  let words: pg.QueryConfig[]
  try {
    value = await fn(tx)
    await opened
    words = takeLastWords(tx)
    if (readOnly && words.length > 0) throw new Error('A transaction that only reads has nothing to add.')
  } catch (error) {
    await end('ROLLBACK').catch(() => {})
    throw withoutValues(error)
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else await sayLastWords(words, send, () => end('COMMIT'))
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

// Named, so that PostgreSQL reads it once for a connection.
export const ENTER = { name: 'enter-customer', text: "SELECT set_config('console.customer', $1, true)" }

/** What is sent before the process looks at its sockets again leaves together, and not statement by statement. */
function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/**
 * Reads what `fn` reads by statements that it sends all at once, none of which waits for another one's rows: then
 * BEGIN, they and COMMIT are one round trip, and the connection is free as soon as they are answered.
 * @throws Error where a statement comes later: it would be outside of the transaction
 */
export async function transactionAtOnce<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await from.connect()
  const { tx, opened, close } = begun(client, customerId, true)
  // By then all that `fn` sends at once is there. A failed statement makes a ROLLBACK of the COMMIT.
  process.nextTick(() => {
    close('COMMIT').then(
      () => client.release(),
      () => client.release(true),
    )
  })
  try {
    const value = await fn(tx)
    await opened
    return value
  } catch (error) {
    throw withoutValues(error)
  }
}

async function begin(from: pg.Pool, customerId: string, readOnly: boolean) {
  const client = await from.connect()
  const { tx, opened, close } = begun(client, customerId, readOnly)
  const end = async (how: 'COMMIT' | 'ROLLBACK') => {
    try {
      const { command } = await close(how)
      // PostgreSQL answers the COMMIT of a failed transaction with a quiet ROLLBACK.
      if (command !== how) throw new Error('The transaction failed before its end and was rolled back.')
      client.release()
    } catch (error) {
      // In an unknown state: the pool must not hand it out again.
      client.release(true)
      throw error
    }
  }
  return { tx, opened, send: (statement: pg.QueryConfig): Promise<unknown> => client.query(statement), end }
}

/** Sends the beginning of a transaction, without waiting for it. */
function begun(client: pg.PoolClient, customerId: string, readOnly: boolean) {
  inOnePacket(client)
  let isClosed = false
  // Not awaited one by one: with pg's pipeline they travel in one round trip with the first query.
  const opened = Promise.all([
    // An invoice and its lines are of one moment, also while an import replaces them.
    client.query(readOnly ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN'),
    client.query({ ...ENTER, values: [customerId] }),
  ])
  opened.catch(() => {})
  const close = (how: 'COMMIT' | 'ROLLBACK') => {
    isClosed = true
    return client.query(how)
  }
  const query = (statement: pg.QueryConfig, values?: unknown[]) => {
    if (isClosed) throw new Error('This statement comes after the end of its transaction.')
    return client.query(readOnly ? named(statement) : statement, values)
  }
  return { tx: withRowPlans(drizzle({ query } as unknown as pg.PoolClient)), opened, close }
}

/** Statements that get a name, so that PostgreSQL plans them once for a connection. Filters make some hundred of them. */
const MOST_NAMES = 500
const names = new Map<string, string>()

// Not a number: another copy of this module shares the connections, and would number other statements.
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** The same statement under a name that its text gives it. */
function named(statement: pg.QueryConfig): pg.QueryConfig {
  const known = names.get(statement.text)
  const name = known ?? (names.size < MOST_NAMES ? nameOf(statement.text) : undefined)
  if (name && !known) names.set(statement.text, name)
  return name ? { ...statement, name } : statement
}
