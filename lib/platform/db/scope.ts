import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { errorCode, toProblem } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { fairBatches } from '#lib/platform/runtime/concurrency.ts'
import { countQuery, log, measuredTransaction, reasonOf } from '#lib/platform/runtime/log.ts'
import {
  beginAtOnce,
  type Database,
  database,
  isDistributed,
  type Kind,
  open,
  openAtOnce,
  seeing,
  type Transaction,
} from './client.ts'
import { inOnePacket, PipelinedQueries, type SqlQuery, sendAlone, sendOne, sendTogether } from './pipeline.ts'
import {
  closing,
  commitWithDeferred,
  deferToCommit,
  drainDeferred,
  noteServer,
  TRANSACTION_FAILED,
  withoutValues,
  withRowPlans,
} from './prepared-queries.ts'

/**
 * Runs `fn` in a transaction that can see and write the rows of the caller's customer only (row-level security): the
 * only access to a tenant's rows, so that a foreign id looks exactly like a missing one. Committed when `fn` returns,
 * rolled back when it throws. Store functions name the customer again in every WHERE: two independent defenses.
 * @param options.evenIfClosed for work that continues after a customer was closed: sessions, audit events, and the
 * removal of expired rows
 * @throws the database's CC001, which is the problem `customer_closed`, if the customer is closed
 */
export function scope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  { evenIfClosed = false, writes }: Pick<TransactionOptions, 'evenIfClosed' | 'writes'> = {},
): Promise<T> {
  const { app } = database()
  const options = { evenIfClosed, writes }
  return withFairShare(app, caller.customerId, () => transaction(app, caller.customerId, fn, options))
}

/**
 * Like `scope`, for transactions that write licenses and nothing else that cached answers show: answers without licenses
 * stay cached. Test databases check each COMMIT.
 */
export function licenseScope<T>(
  caller: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  options?: { evenIfClosed: boolean },
): Promise<T> {
  return scope(caller, fn, { ...options, writes: 'licenses' })
}

/**
 * Freshness of a read. `mayBeOld`: rows may be up to a second old, but show all earlier writes for this customer: for
 * lists, figures and exports, never for decisions. `fn` may then run twice.
 */
export type Freshness = { mayBeOld?: boolean }

/** Like `scope`, for reads only: the database refuses writes, and the answer takes one round trip less. */
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
 * Like `readScope`, for reads that pipeline all their statements, such as a list or a single record: one round trip.
 * @param isByKey whether each statement finds its rows by a key, regardless of their number: it then has one plan for all
 * customers, shares a connection with other requests, and waits for them
 * @throws Error if `fn` sends a statement after it has received rows of another one
 */
export function readScopeAtOnce<T>(
  { customerId }: { customerId: CustomerId },
  fn: (tx: Transaction) => Promise<T>,
  { isByKey = false, mayBeOld = false }: Freshness & { isByKey?: boolean } = {},
): Promise<T> {
  // Short reads need no semaphore: they take no connection from other customers.
  const read = ({ reads }: { reads: pg.Pool }) => {
    const run = () => transactionAtOnce(reads, customerId, fn, { isByKey })
    return isByKey ? run() : withFairShare(reads, customerId, run)
  }
  return mayBeOld ? readOld(customerId, read) : read(database())
}

/**
 * Like `readScope`, for exports: streams the chunks that `fn` yields, read by any number of short statements from one
 * snapshot. Few streams run concurrently; further callers get the problem `service_unavailable`.
 */
export function streamScope<T>(
  { customerId }: { customerId: CustomerId },
  fn: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  return streamOld(customerId, ({ streams }) => streamWithFairShare(streams, customerId, fn))
}

/** Runs `run` under the pool's fair semaphore: one customer never holds all connections of a pool. */
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
    yield* fairBatches(customerId, transactionStream(pool, customerId, fn))
  } finally {
    end?.()
  }
}

/** Runs a customer's part, which sees and writes that customer's rows only. */
export type Enter = <T>(customerId: CustomerId, part: (tx: Transaction) => Promise<T>) => Promise<T>

/** Invalid as a customer's id: no rows are visible outside of a part. */
const NOBODY = ''

/**
 * Like `scope`, for several customers in one transaction: all parts are committed when `fn` returns, and none when it
 * throws. One part at a time, in the order of the customers' ids, so that two such transactions can't deadlock. The
 * parts' deferred statements are sent at the end, customer by customer.
 * @param options.evenIfClosed as in `scope`
 * @throws Error if a part begins inside another one, or after a customer with a later id; CC001 like `scope`
 */
export function scopeOfMany<T>(fn: (enter: Enter) => Promise<T>, { evenIfClosed = false } = {}): Promise<T> {
  const { app } = database()
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
      if (!evenIfClosed) await tx.execute(sql`SELECT begin_write(${customerId})`)
      const value = await part(tx)
      deferred.push({ text: seeing(customerId) }, ...drainDeferred(tx), ...closing(tx, customerId))
      // After an error the transaction is rolled back, and the setting with it.
      await see(tx, NOBODY)
      isInside = false
      return value
    })
    deferToCommit(tx, ...deferred)
    return value
  }
  return transaction(app, NOBODY, work, { evenIfClosed: true })
}

/** Pools for reads: of the primary, or of its replica. */
type Pools = Pick<Database, 'reads' | 'streams'>

/**
 * Reads from the replica if there is one that is recent enough and shows the customer's writes, else from the primary.
 * A read that fails because of the replica is repeated on the primary.
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

/** Like `readOld`, for streams: repeated on the primary if no chunk was sent yet. */
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

// Errors that leave the connection intact: replay needed the rows or the table, or the statement was cancelled.
const OF_REPLAY = /^(40|55)/

/**
 * Returns the primary's pools after an error of the replica.
 * @throws the error if the primary would fail, too: an invalid statement, or one that takes too long
 */
function insteadOf(error: unknown): Pools {
  const code = errorCode(error)
  if (toProblem(error).code !== 'service_unavailable' || code === '57014') throw error
  const { replica, ...primaryPools } = database()
  if (!code || !OF_REPLAY.test(code)) replica?.broke()
  log().info({ code, reason: reasonOf(error) }, 'not read from the replica: read again')
  return primaryPools
}

type TransactionOptions = { readOnly?: boolean; evenIfClosed?: boolean; writes?: 'licenses' | undefined }

/**
 * Runs `fn` in one transaction that sees one customer; commits, or rolls back when it throws. A read's answer does not
 * wait for its COMMIT, which could lose nothing.
 */
export async function transaction<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  { readOnly = false, evenIfClosed = false, writes }: TransactionOptions = {},
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
    // If the transaction was refused at its beginning, the following statements failed only because of that.
    const first = await opened.then(
      () => reasonOf(error),
      (openingError) => openingError,
    )
    await end('ROLLBACK').catch(() => {})
    throw withoutValues(first)
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else {
    const last = customerId === NOBODY ? [] : closing(tx, customerId, writes)
    await commitWithDeferred([...deferred, ...last], send, () => end('COMMIT'))
  }
  return value
}

/**
 * Streams the values that `fn` yields, from one read-only transaction that sees one customer and one snapshot, with any
 * number of statements. Ends when `fn` returns or throws, and when its consumer stops.
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
  const hasReplica = database().replica !== undefined
  const pipeline = new PipelinedQueries()
  const opened = open(pipeline, from, customerId, kind)
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
      // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, without an error.
      if (command !== how) throw new Error('The transaction failed before its end and was rolled back.')
      client.release()
      // A stream has nothing to commit.
      measurement?.end(how === 'COMMIT' || kind === 'stream' ? 'done' : 'thrown', queryCount)
    } catch (error) {
      measurement?.end('thrown', queryCount)
      // The connection's state is unknown: the pool must not reuse it.
      client.release(true)
      throw error
    }
  }
  const send = (query: pg.QueryConfig): Promise<unknown> => {
    note()
    return sendOne(client, query)
  }
  noteServer(tx, { isDistributed: isDistributed(client), hasReplica })
  return { tx, opened, send, end, reasonOf }
}

/** Adds the beginning of a transaction to the pipeline of its first statement, without waiting for it. */
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
  // Of pipelined statements, the awaited one may have come after the failed one.
  const reasonOf = (error: unknown) => (isAborted(error) ? (first ?? error) : error)
  return { tx: withRowPlans(drizzle({ query } as unknown as pg.PoolClient)), close, reasonOf }
}

/** Returns whether a statement was refused only because an earlier one of its transaction had failed (25P02). */
function isAborted(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at) return at.code === TRANSACTION_FAILED
  return false
}

/**
 * Runs a read whose statements are all sent together, none depending on another one's rows, in one round trip.
 * @throws Error for a later statement, which would be outside of the transaction
 */
export async function transactionAtOnce<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  { isByKey = false } = {},
): Promise<T> {
  const pipeline = new PipelinedQueries()
  const opened = openAtOnce(pipeline, from, customerId, isByKey)
  opened.catch(() => {})
  const measurement = measuredTransaction('at once')
  let queryCount = 0
  // By the next tick, `fn` has added all its statements.
  process.nextTick(() => (isByKey ? sendTogether : sendAlone)(from, pipeline))
  const query = (config: SqlQuery, values?: unknown[]) => {
    queryCount += 1
    countQuery()
    const result = pipeline.add(config, values)
    if (queryCount > 1) beginAtOnce(pipeline)
    return result
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

/**
 * Returns a function that returns the open database's own cache, created by `make` at the first call: data of one
 * database is never used for another.
 */
export function perDatabase<Memory extends object>(make: () => Memory): () => Memory {
  const memories = new WeakMap<Database, Memory>()
  return () => {
    const opened = database()
    const memory = memories.get(opened) ?? make()
    memories.set(opened, memory)
    return memory
  }
}
