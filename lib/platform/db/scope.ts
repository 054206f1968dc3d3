import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { errorCode, toProblem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { countQuery, log, measuredTransaction, reasonOf } from '#lib/platform/runtime/log.ts'
import { type Database, database, type Kind, open, seeing, type Transaction } from './client.ts'
import type { Login } from './logins.ts'
import { inOnePacket, PipelinedQueries, type SqlQuery, sendAlone, sendOne, sendTogether } from './pipeline.ts'
import {
  commitWithDeferred,
  deferToCommit,
  drainDeferred,
  withoutValues,
  withRowPlans,
} from './prepared-queries.ts'

/**
 * The one door to a tenant's rows: one transaction that can see and write the rows of the caller's
 * customer only (row-level security), committed when `fn` returns and rolled back when it throws.
 * Store functions name the customer again in every WHERE: two walls, each of which holds alone.
 * @param options.evenIfClosed for what goes on after a customer was closed: sessions, the history, and removing what was
 *   kept for its time
 * @throws the database's CC001, which is the problem `customer_closed`, where the customer is closed
 */
export function scope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  { evenIfClosed = false } = {},
): Promise<T> {
  const { app, replica } = database()
  const options = { evenIfClosed, last: replica && NOTE_WRITE }
  return withFairShare(app, caller.customerId, () => transaction(app, caller.customerId, fn, options))
}

/**
 * What a read may see. `mayBeOld`: rows of up to a second ago, though all that was written for this customer before it
 * began: for lists, figures and exports, and never for what something is decided by. `fn` may be run twice then.
 */
export type Freshness = { mayBeOld?: boolean }

/** The same door for reads only: the database refuses writes, and the answer waits for one round trip less. */
export function readScope<T>(
  { customerId }: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  { mayBeOld = false }: Freshness = {},
): Promise<T> {
  const read = ({ reads }: { reads: pg.Pool }) =>
    withFairShare(reads, customerId, () => transaction(reads, customerId, fn, { readOnly: true }))
  return mayBeOld ? readOld(customerId, read) : read(database())
}

/**
 * The same door for reads that send all their statements at once, as a list or one record does: they are one round trip.
 * @param isByKey whether each statement finds its rows by a key, however many there are: then it shares a connection
 *   with those of other requests, and waits for them
 * @throws Error where `fn` sends a statement after it had the rows of another one
 */
export function readScopeAtOnce<T>(
  { customerId }: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  { isByKey = false, mayBeOld = false }: Freshness & { isByKey?: boolean } = {},
): Promise<T> {
  // What is never long needs no turn: it takes no connection from anybody.
  const read = ({ reads }: { reads: pg.Pool }) =>
    isByKey
      ? transactionAtOnce(reads, customerId, fn, sendTogether)
      : withFairShare(reads, customerId, () => transactionAtOnce(reads, customerId, fn, sendAlone))
  return mayBeOld ? readOld(customerId, read) : read(database())
}

/**
 * The same door for exports: what `fn` gives, piece by piece, read in as many short statements as it takes, all of
 * one moment. Few run at once; a caller who finds none free is told that the service is busy.
 */
export function streamScope<T>(
  { customerId }: { customerId: CustomerId },
  fn: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  return streamOld(customerId, ({ streams }) => streamWithFairShare(streams, customerId, fn))
}

/** One customer never holds all connections of a pool, and waits for those of others in turn: see lib/platform/runtime/concurrency.ts. */
async function withFairShare<T>(pool: pg.Pool, customerId: string, run: () => Promise<T>): Promise<T> {
  const end = await database().semaphores.get(pool)?.acquire(customerId)
  return run().finally(end)
}

async function* streamWithFairShare<T>(
  pool: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => AsyncIterable<T>,
) {
  const end = await database().semaphores.get(pool)?.acquire(customerId)
  try {
    yield* transactionStream(pool, customerId, fn)
  } finally {
    end?.()
  }
}

/** Runs a customer's part, which sees and writes that customer's rows only. */
export type Enter = <T>(customerId: CustomerId, part: (tx: Transaction) => Promise<T>) => Promise<T>

/** No customer has it for an id: outside of a part there is no row to be seen. */
const NOBODY = ''

/**
 * The same door for several customers in one transaction: all parts are committed when `fn` returns, and none when it
 * throws. One part at a time, in the order of the customers' ids, so that two such transactions never wait for each
 * other's locks. What the parts leave to the end is sent then, for one customer after the other.
 * @param options.evenIfClosed as of `scope`
 * @throws Error where a part is begun inside of another, or after a customer that comes later; CC001 as `scope` does
 */
export function scopeOfMany<T>(fn: (enter: Enter) => Promise<T>, { evenIfClosed = false } = {}): Promise<T> {
  const { app, replica } = database()
  const see = (tx: Transaction, customerId: string) => tx.execute(sql.raw(seeing(customerId)))
  const work = async (tx: Transaction) => {
    let last = NOBODY
    let isInside = false
    const deferred: pg.QueryConfig[] = []
    const value = await fn(async (customerId, part) => {
      if (isInside) throw new Error('One customer is left before the next one is entered.')
      if (customerId < last) throw new Error('Customers are entered in the order of their ids.')
      isInside = true
      last = customerId
      await see(tx, customerId)
      if (!evenIfClosed) await tx.execute(sql`SELECT enter_to_write(${customerId})`)
      const value = await part(tx)
      deferred.push({ text: seeing(customerId) }, ...drainDeferred(tx), ...(replica ? [NOTE_WRITE] : []))
      // Where the part threw, the transaction is rolled back: there is nothing more to see.
      await see(tx, NOBODY)
      isInside = false
      return value
    })
    deferToCommit(tx, ...deferred)
    return value
  }
  return transaction(app, NOBODY, work, { evenIfClosed: true })
}

/** Where reads go: to our own server, or to its replica. */
type Pools = Pick<Database, 'reads' | 'streams'>

/**
 * Reads from the replica where there is one that is new enough and shows what was written for the customer, else from
 * our own server. What fails there because of the replica is read again from our own.
 */
async function readOld<T>(customerId: string, read: (from: Pools) => Promise<T>): Promise<T> {
  const { replica, ...primaryPools } = database()
  if (!replica || !(await replica.shows(customerId))) return read(primaryPools)
  try {
    return await read(replica)
  } catch (error) {
    return read(insteadOf(error))
  }
}

/** The same for what is sent piece by piece: it is begun again where no piece was there yet. */
async function* streamOld<T>(
  customerId: string,
  stream: (from: Pools) => AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  const { replica, ...primaryPools } = database()
  if (!replica || !(await replica.shows(customerId))) return yield* stream(primaryPools)
  const there = stream(replica)
  let first: IteratorResult<T, void>
  try {
    first = await there.next()
  } catch (error) {
    return yield* stream(insteadOf(error))
  }
  try {
    if (first.done) return
    yield first.value
    yield* there
  } finally {
    await there.return()
  }
}

// Of these the connection itself is still good: replay wanted the rows or the table, or took too long for others.
const OF_REPLAY = /^(40|55)/

/**
 * Our own server, in the place of a replica whose error this is.
 * @throws the error where our own server would say the same: a statement of ours that is wrong, or takes too long
 */
function insteadOf(error: unknown): Pools {
  const code = errorCode(error)
  if (toProblem(error).code !== 'service_unavailable' || code === '57014') throw error
  const { replica, ...primaryPools } = database()
  if (!code || !OF_REPLAY.test(code)) replica?.broke()
  log().info({ code, reason: reasonOf(error) }, 'not read from the replica: read again')
  return primaryPools
}

/**
 * Notes that this transaction has written something, where it has, for the customer that it sees. It is sent as its
 * last statement, so that no later read of a caller's, by whichever process, takes a replica that does not show it.
 */
const NOTE_WRITE = {
  name: 'note-write',
  text: `INSERT INTO recent_writes (customer_id, transaction)
    SELECT customer, id FROM pg_current_xact_id_if_assigned() id, current_setting('console.customer') customer
    WHERE id IS NOT NULL AND customer <> '' ON CONFLICT DO NOTHING`,
}

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
  let deferred: pg.QueryConfig[]
  try {
    value = await fn(tx)
    await opened
    deferred = drainDeferred(tx)
    if (readOnly && deferred.length > 0) throw new Error('A transaction that only reads has nothing to add.')
  } catch (error) {
    // Where the transaction was refused at its beginning, what came after it failed for no reason of its own.
    const first = await opened.then(
      () => reasonOf(error),
      (openingError) => openingError,
    )
    await end('ROLLBACK').catch(() => {})
    throw withoutValues(first)
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else await commitWithDeferred(last ? [...deferred, last] : deferred, send, () => end('COMMIT'))
  return value
}

/**
 * What `fn` gives, from one read-only transaction that sees one customer and one moment, however many statements
 * it takes. It ends when all was taken, when `fn` throws, and when its taker goes.
 */
async function* transactionStream<T>(
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
  const pipeline = new PipelinedQueries()
  const opened = open(pipeline, from.options.user as Login, customerId, kind)
  opened.catch(() => {})
  const measurement = measuredTransaction(kind === 'late write' ? 'write' : kind)
  const client = await from.connect().catch((error) => {
    measurement?.end('thrown', 0)
    throw error
  })
  let queryCount = 0
  const note = () => {
    queryCount += 1
    countQuery()
  }
  const { tx, close, reasonOf } = beginTransaction(client, pipeline, kind, note)
  const end = async (how: 'COMMIT' | 'ROLLBACK') => {
    try {
      const { command } = await close(how)
      // PostgreSQL answers the COMMIT of a failed transaction with a quiet ROLLBACK.
      if (command !== how) throw new Error('The transaction failed before its end and was rolled back.')
      client.release()
      // A stream has nothing to commit.
      measurement?.end(how === 'COMMIT' || kind === 'stream' ? 'done' : 'thrown', queryCount)
    } catch (error) {
      measurement?.end('thrown', queryCount)
      // In an unknown state: the pool must not hand it out again.
      client.release(true)
      throw error
    }
  }
  const send = (query: pg.QueryConfig): Promise<unknown> => {
    note()
    return sendOne(client, query)
  }
  return { tx, opened, send, end, reasonOf }
}

/** Sends the beginning of a transaction, without waiting for it: it travels with the first statement. */
function beginTransaction(client: pg.PoolClient, pipeline: PipelinedQueries, kind: Kind, note: () => void) {
  const readOnly = kind === 'read' || kind === 'stream'
  let isClosed = false
  let first: DrizzleQueryError | undefined
  inOnePacket(client)
  client.query(pipeline)
  const close = (how: 'COMMIT' | 'ROLLBACK') => {
    isClosed = true
    return client.query(how)
  }
  const query = (config: pg.QueryConfig, values?: unknown[]) => {
    if (isClosed) throw new Error('This statement comes after the end of its transaction.')
    note()
    const sent = sendOne(client, config, { values, isPrepared: readOnly })
    sent.catch((error: Error) => {
      first ??= new DrizzleQueryError(config.text, values ?? [], error)
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
  send: (pool: pg.Pool, pipeline: PipelinedQueries) => void,
): Promise<T> {
  const pipeline = new PipelinedQueries()
  const opened = open(pipeline, from.options.user as Login, customerId, 'read')
  opened.catch(() => {})
  const measurement = measuredTransaction('at once')
  // By then all that `fn` sends at once is there.
  process.nextTick(() => send(from, pipeline))
  let queryCount = 0
  const query = (config: SqlQuery, values?: unknown[]) => {
    queryCount += 1
    countQuery()
    return pipeline.add(config, values)
  }
  try {
    const value = await fn(withRowPlans(drizzle({ query } as unknown as pg.PoolClient)))
    await opened
    measurement?.end('done', queryCount)
    return value
  } catch (error) {
    measurement?.end('thrown', queryCount)
    throw withoutValues(error)
  }
}
