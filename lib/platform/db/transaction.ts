import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { measuredTransaction, noteStatement } from '#lib/platform/runtime/log.ts'
import type { Transaction } from './client.ts'
import { type Kind, open } from './connections.ts'
import type { Login } from './logins.ts'
import { Flight, inOnePacket, type Statement, sendOne } from './pipeline.ts'
import { sayLastWords, takeLastWords, withoutValues, withRowPlans } from './statements.ts'

/**
 * Runs `fn` in one transaction that sees one customer; commits, or rolls back when it throws. `last` is a part of it.
 * A read's answer does not wait for its COMMIT: there is nothing that could still be lost.
 */
export async function transaction<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  {
    readOnly = false,
    evenIfClosed = false,
    last,
  }: { readOnly?: boolean; evenIfClosed?: boolean; last?: pg.QueryConfig | undefined } = {},
): Promise<T> {
  const kind = readOnly ? 'read' : evenIfClosed ? 'late write' : 'write'
  const { tx, opened, send, end, reasonOf } = await begin(from, customerId, kind)
  let value: T
  let words: pg.QueryConfig[]
  try {
    value = await fn(tx)
    await opened
    words = takeLastWords(tx)
    if (readOnly && words.length > 0) throw new Error('A transaction that only reads has nothing to add.')
  } catch (error) {
    // Where the transaction was refused at its beginning, what came after it failed for no reason of its own.
    const first = await opened.then(
      () => reasonOf(error),
      (refusal) => refusal,
    )
    await end('ROLLBACK').catch(() => {})
    throw withoutValues(first)
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else await sayLastWords(last ? [...words, last] : words, send, () => end('COMMIT'))
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
  const { tx, opened, end } = await begin(from, customerId, 'stream')
  try {
    await opened
    yield* fn(tx)
  } catch (error) {
    throw withoutValues(error)
  } finally {
    await end('ROLLBACK').catch(() => {})
  }
}

async function begin(from: pg.Pool, customerId: string, kind: Kind) {
  const flight = new Flight()
  const opened = open(flight, from.options.user as Login, customerId, kind)
  opened.catch(() => {})
  const told = measuredTransaction(kind === 'late write' ? 'write' : kind)
  const client = await from.connect().catch((error) => {
    told?.end('thrown', 0)
    throw error
  })
  let statements = 0
  const note = () => {
    statements += 1
    noteStatement()
  }
  const { tx, close, reasonOf } = begun(client, flight, kind, note)
  const end = async (how: 'COMMIT' | 'ROLLBACK') => {
    try {
      const { command } = await close(how)
      // PostgreSQL answers the COMMIT of a failed transaction with a quiet ROLLBACK.
      if (command !== how) throw new Error('The transaction failed before its end and was rolled back.')
      client.release()
      // A stream has nothing to commit.
      told?.end(how === 'COMMIT' || kind === 'stream' ? 'done' : 'thrown', statements)
    } catch (error) {
      told?.end('thrown', statements)
      // In an unknown state: the pool must not hand it out again.
      client.release(true)
      throw error
    }
  }
  const send = (statement: pg.QueryConfig): Promise<unknown> => {
    note()
    return sendOne(client, statement)
  }
  return { tx, opened, send, end, reasonOf }
}

/** Sends the beginning of a transaction, without waiting for it: it travels with the first statement. */
function begun(client: pg.PoolClient, flight: Flight, kind: Kind, note: () => void) {
  const readOnly = kind === 'read' || kind === 'stream'
  let isClosed = false
  let first: DrizzleQueryError | undefined
  inOnePacket(client)
  client.query(flight)
  const close = (how: 'COMMIT' | 'ROLLBACK') => {
    isClosed = true
    return client.query(how)
  }
  const query = (statement: pg.QueryConfig, values?: unknown[]) => {
    if (isClosed) throw new Error('This statement comes after the end of its transaction.')
    note()
    const sent = sendOne(client, statement, { values, isPrepared: readOnly })
    sent.catch((error: Error) => {
      first ??= new DrizzleQueryError(statement.text, values ?? [], error)
    })
    return sent
  }
  // Of statements that were sent together, one may be waited for that came after the one that failed.
  const reasonOf = (error: unknown) => (isAborted(error) ? (first ?? error) : error)
  return { tx: withRowPlans(drizzle({ query } as unknown as pg.PoolClient)), close, reasonOf }
}

/** Whether a statement was refused for nothing but that another one of its transaction had failed. */
function isAborted(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at) return at.code === '25P02'
  return false
}

/**
 * Reads what `fn` reads by statements that it sends all at once, none of which waits for another one's rows: with the
 * BEGIN before them and the COMMIT behind they are one round trip, and one answer.
 * @param send over which connection
 * @throws Error where a statement comes later: it would be outside of the transaction
 */
export async function transactionAtOnce<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  send: (pool: pg.Pool, flight: Flight) => void,
): Promise<T> {
  const flight = new Flight()
  const opened = open(flight, from.options.user as Login, customerId, 'read')
  opened.catch(() => {})
  const told = measuredTransaction('at once')
  // By then all that `fn` sends at once is there.
  process.nextTick(() => send(from, flight))
  let statements = 0
  const query = (statement: Statement, values?: unknown[]) => {
    statements += 1
    noteStatement()
    return flight.add(statement, values)
  }
  try {
    const value = await fn(withRowPlans(drizzle({ query } as unknown as pg.PoolClient)))
    await opened
    told?.end('done', statements)
    return value
  } catch (error) {
    told?.end('thrown', statements)
    throw withoutValues(error)
  }
}
