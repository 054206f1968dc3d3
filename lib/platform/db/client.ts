import { availableParallelism } from 'node:os'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type FairSemaphore, fairSemaphore } from '#lib/platform/runtime/concurrency.ts'
import { type Login, loginOf } from './logins.ts'
import type { PipelinedQueries } from './pipeline.ts'
import { openReplica, type Replica } from './replica.ts'
import { ANSWER_LIMIT, LIMITS, MAX_TRANSACTION_MS, MAX_WAIT_MS, type ReplicaConfig } from './settings.ts'

/** Drizzle on one connection, inside one transaction. */
export type Transaction = NodePgDatabase

/** Open pools. Each logs in with a least-privilege role that owns nothing and can't switch to another role. */
export type Database = {
  /** Sees and writes the rows of the transaction's customer: for `scope` only. */
  app: pg.Pool
  /** Reads the rows for `readScope`, so that changes that wait for a locked row do not block reads. */
  reads: pg.Pool
  /** Reads the customers' rows for `streamScope`: a stream that takes minutes does not block other reads. */
  streams: pg.Pool
  /**
   * Authenticates API keys, and reads the rows that a replica lacks; `keys`, `sessions` and `signIn` are for lib/platform/caller
   * and lib/identity/access only. A small pool of its own: a blocked table starves no other pool.
   */
  keys: pg.Pool
  /** Finds reported leaks with the login of `keys`: a flood of reports takes no connection from authentication. */
  leaks: pg.Pool
  /** Authenticates sessions. */
  sessions: pg.Pool
  /** Verifies passwords, and counts failures: no other login can read password hashes. */
  signIn: pg.Pool
  /** Finds due work across customers, and runs the job queue: for lib/identity/access and lib/server only. */
  jobs: pg.Pool
  /** Fair semaphores of the pools for customers' rows: for `scope` only. */
  semaphores: ReadonlyMap<pg.Pool, FairSemaphore>
  /** Replica for reads that may be a little old, if there is one. */
  replica: Replica | undefined
  close(): Promise<void>
}

// In a production build a page and a route handler have separate copies of this module.
const slot = globalThis as typeof globalThis & { licensesInvoicesDatabase?: Database | undefined }

/** Connections of each pool that one customer leaves to the others. */
const LEFT = 2
/**
 * Most connections that one customer reads by, one for each processor: more parallel statements would only take time
 * from others.
 */
const READS = Math.max(2, availableParallelism())

/** Most exports of one customer, so that three customers leave room for another one. */
const EXPORTS = 2

/** Opens the pools on `url` for this process; after `close`, the previous ones are current again. */
export function openDatabase(url: string, readFrom?: ReplicaConfig): Database {
  const before = slot.licensesInvoicesDatabase
  const pools = {
    app: pool(url, 'console_app', 8),
    reads: pool(url, 'console_reads', 8, ANSWER_LIMIT),
    streams: pool(url, 'console_streams', 8, ANSWER_LIMIT),
    keys: pool(url, 'console_keys', 4, ANSWER_LIMIT),
    leaks: pool(url, 'console_keys', 1, ANSWER_LIMIT),
    sessions: pool(url, 'console_sessions', 3, ANSWER_LIMIT),
    signIn: pool(url, 'console_sign_in', 1, ANSWER_LIMIT),
    jobs: pool(url, 'console_jobs', 2),
  }
  const replica = readFrom && replicaOf(readFrom, pools.keys)
  const database: Database = {
    ...pools,
    replica,
    semaphores: new Map([
      semaphoreOn(pools.app),
      semaphoreOn(pools.reads, READS),
      semaphoreOn(pools.streams, EXPORTS),
      ...(replica ? [semaphoreOn(replica.reads), semaphoreOn(replica.streams, EXPORTS)] : []),
    ]),
    async close() {
      if (slot.licensesInvoicesDatabase === database) slot.licensesInvoicesDatabase = before
      await Promise.all([...Object.values(pools).map((each) => each.end()), replica?.close()])
    },
  }
  slot.licensesInvoicesDatabase = database
  return database
}

function semaphoreOn(its: pg.Pool, mostOfOne = Number.POSITIVE_INFINITY): [pg.Pool, FairSemaphore] {
  const most = its.options.max
  const share = Math.min(most - LEFT, mostOfOne)
  return [its, fairSemaphore({ most, share, waitMs: MAX_WAIT_MS, timeoutError: slotTimeout })]
}

function slotTimeout(): Error {
  return new Error('no turn in time: others use the connections')
}

function replicaOf({ url, mostBehind }: ReplicaConfig, keys: pg.Pool): Replica {
  const reads = pool(url, 'console_reads', 8, ANSWER_LIMIT)
  const streams = pool(url, 'console_streams', 8, ANSWER_LIMIT)
  const watch = pool(url, 'console_jobs', 1, ANSWER_LIMIT)
  return openReplica({ reads, streams, watch, keys }, mostBehind)
}

/** Returns the database that this process opened. */
export function database(): Database {
  if (!slot.licensesInvoicesDatabase) throw new Error('The database is not open: call openDatabase first.')
  return slot.licensesInvoicesDatabase
}

// The statement timeouts are settings of the role on the server (`settingsOf`): a pooler passes on no settings of a
// connection.
function pool(url: string, login: Login, max: number, answerLimit?: number): pg.Pool {
  const made = new pg.Pool({
    ...loginOf(url, login),
    max,
    connectionTimeoutMillis: MAX_WAIT_MS,
    ...(answerLimit === undefined ? {} : { query_timeout: answerLimit }),
    idleTimeoutMillis: 30_000,
    pipeline: true,
    application_name: 'licenses-invoices',
    async onConnect(client) {
      await checkConnection(client, login)
      mark(made, isDistributed(client))
    },
  } as pg.PoolConfig)
  // A broken connection (after a restart of the server) must not end the process. The pool drops an idle one; for one
  // in use between two statements, the next statement fails.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

/** Longest wait for the check of a new connection, in milliseconds. */
const CHECK_TIMEOUT_MS = 2000

/** SQLSTATE of a rejected connection: the request is answered with `service_unavailable`. */
const CONNECTION_REJECTED = '08004'

const LIMITED = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const

const milliseconds = (name: string) =>
  `round(1000 * extract(epoch FROM current_setting('${name}')::interval))::float8 AS ${name}`
const WHO = `SELECT current_user AS login, current_setting('citus.shard_count', true) IS NOT NULL AS distributed, rolsuper OR rolbypassrls AS mighty,
  current_setting('row_security') AS row_security, current_setting('timezone') AS timezone,
  ${LIMITED.map(milliseconds).join(', ')} FROM pg_roles WHERE rolname = current_user`

type Who = Record<(typeof LIMITED)[number], number> & {
  login: string
  distributed: boolean
  mighty: boolean
  row_security: string
  timezone: string
}

/**
 * Checks role and limits of a new connection before its first use.
 * @throws Error with a one-line explanation: the connection is not used
 */
export async function checkConnection(client: pg.ClientBase, login: Login): Promise<void> {
  const { rows } = await client.query<Who>({ text: WHO, query_timeout: CHECK_TIMEOUT_MS } as pg.QueryConfig)
  const who = rows[0] as Who
  const wrong = whatIsWrong(login, who)
  if (wrong) throw unavailableError(wrong)
  mark(client, who.distributed)
}

/**
 * Key of the mark of a connection, and of a pool by its newest connection: whether the server has Citus, where the
 * coordinator's transaction has no id of its own. Shared by all copies of this module.
 */
const HAS_CITUS = Symbol.for('licenses-invoices: the server has Citus')
type Marked = { [HAS_CITUS]?: boolean }

function mark(target: pg.ClientBase | pg.Pool, hasCitus: boolean): void {
  const marked = target as Marked
  marked[HAS_CITUS] = hasCitus
}

/** Returns whether the connection leads to a server with Citus. */
export function isDistributed(client: pg.ClientBase): boolean {
  return (client as Marked)[HAS_CITUS] === true
}

/**
 * Checks the role of a transaction, like `checkConnection`: a pooler may use another server connection for each
 * transaction.
 * @throws Error as `checkConnection`
 */
function checkLogin(login: Login, [row]: readonly unknown[]): void {
  const actualLogin = (row as { login: string }).login
  if (actualLogin !== login) throw unavailableError(otherLogin(login, actualLogin))
}

function whatIsWrong(login: Login, { mighty, row_security, timezone, ...who }: Who): string | undefined {
  if (who.login !== login) return otherLogin(login, who.login)
  if (mighty)
    return `${login} may pass by row-level security. As the server's administrator, run: ALTER ROLE ${login} NOSUPERUSER NOBYPASSRLS;`
  if (row_security !== 'on')
    return `row_security is ${row_security} for ${login}. Run: ALTER ROLE ${login} RESET row_security;`
  for (const name of LIMITED) {
    if (who[name] === 0) return missingSetting(login, `${name} is off`)
    if (who[name] > MAX_TRANSACTION_MS)
      return missingSetting(login, `${name} is ${who[name]} ms, more than ${MAX_TRANSACTION_MS}`)
  }
  return timezone === 'UTC' ? undefined : missingSetting(login, `timezone is ${timezone}`)
}

function otherLogin(login: Login, actualLogin: string): string {
  return `The connection for ${login} is one of ${actualLogin}: a pooler must log in at the server as who asks it (pgbouncer: no "user=" in the database's line).`
}

function missingSetting(login: Login, what: string): string {
  return `${what} for ${login}. Run \`npm run admin -- database logins\` as the database's owner, and RECONNECT in pgbouncer, if there is one.`
}

/** Returns an error that is answered with 503. */
function unavailableError(reason: string): Error {
  return Object.assign(new Error(reason), { code: CONNECTION_REJECTED })
}

/**
 * Returns the settings that the server stores with the login (`ALTER ROLE … SET`) and applies to each of its
 * connections, whichever pooler opens them: a pooler does not pass on limits that are sent with a new connection. Each
 * transaction sets its own limits in addition (`open`, `openAtOnce`); statements outside of transactions, and the job queue, have
 * only these.
 */
export function settingsOf(login: Login): Record<string, string> {
  const { lock, query } = LIMITS[login]
  return {
    lock_timeout: String(lock),
    statement_timeout: String(query),
    idle_in_transaction_session_timeout: String(MAX_TRANSACTION_MS),
    timezone: 'UTC',
  }
}

/** `late write`: allowed although the customer is closed. */
export type Kind = 'read' | 'write' | 'late write' | 'stream'

/** Repeatable read: an invoice and its lines are of one snapshot, also while an import replaces them. */
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

const LOGIN = 'SELECT current_user AS login'
const SETTINGS = "set_config('lock_timeout', $2, true), set_config('statement_timeout', $3, true)"
const ENTER = `${LOGIN}, ${SETTINGS}, set_config('console.customer', $1, true)`
// `begin_write`, a function of the migration `customer-versions`, fails if the customer is closed. It is called with the
// setting's value, and so after the setting is made.
const ENTER_TO_WRITE = `${LOGIN}, ${SETTINGS}, begin_write(set_config('console.customer', $1, true))`
const ENTER_BY_KEY = `${ENTER}, set_config('plan_cache_mode', 'force_generic_plan', true)`

/**
 * Adds to a pipeline the statements that begin a customer's transaction: customer, timeouts and role. All of them end with
 * the transaction, on any connection that a pooler uses for it. One statement makes all settings, unless the server may
 * have Citus, which passes only SET LOCAL on to its other nodes.
 * @param from sends the pipeline
 * @returns resolves when the statements were executed
 * @throws Error if the connection has another login; CC001 for a `write` of a closed customer
 */
export function open(
  pipeline: PipelinedQueries,
  from: pg.Pool,
  customerId: string,
  kind: Kind,
): Promise<void> {
  const login = from.options.user as Login
  const { lock, query } = LIMITS[login]
  const isWrite = kind === 'write'
  const see = seeing(customerId)
  pipeline.begin(kind === 'read' || kind === 'stream' ? BEGIN_READ : 'BEGIN')
  if (isSingleNode(from)) return enter(pipeline, from, customerId, isWrite ? ENTER_TO_WRITE : ENTER)
  const send = (text: string, isUnnamed = false) =>
    pipeline.add({ text, hasNoRows: true, isUnnamed }).catch(() => {})
  for (const text of [`SET LOCAL lock_timeout = ${lock}`, `SET LOCAL statement_timeout = ${query}`])
    send(text)
  send(see, true)
  const last = isWrite
    ? pipeline.add({ text: `${LOGIN}, begin_write($1)` }, [customerId])
    : pipeline.add({ text: LOGIN })
  return last.then(({ rows }) => checkLogin(login, rows))
}

/**
 * Like `open`, for a read that adds all its queries before the pipeline is sent. PostgreSQL runs a pipeline as one
 * transaction, so a single query needs no BEGIN; `beginAtOnce` adds one for several.
 * @param isByKey whether each query finds its rows by a key, or in the sequence of an index: PostgreSQL then uses its
 * generic plan, which serves all customers. That plan expects the rows of an average customer, and seems to cost more
 * than a plan for a customer with many: PostgreSQL would make the latter for each request, which takes longer than to
 * read a page. The coordinator of a distributed database needs the customer to choose a node.
 */
export function openAtOnce(
  pipeline: PipelinedQueries,
  from: pg.Pool,
  customerId: string,
  isByKey: boolean,
): Promise<void> {
  if (!isSingleNode(from)) return open(pipeline, from, customerId, 'read')
  return enter(pipeline, from, customerId, isByKey ? ENTER_BY_KEY : ENTER)
}

/** Adds BEGIN to a pipeline of `openAtOnce` that has several queries, so that all of them see one snapshot. */
export function beginAtOnce(pipeline: PipelinedQueries): void {
  if (!pipeline.isOpened) pipeline.begin(BEGIN_READ)
}

/** Returns whether the server is known to have no Citus. */
function isSingleNode(from: pg.Pool): boolean {
  return (from as Marked)[HAS_CITUS] === false
}

function enter(pipeline: PipelinedQueries, from: pg.Pool, customerId: string, text: string): Promise<void> {
  const login = from.options.user as Login
  const { lock, query } = LIMITS[login]
  return pipeline.add({ text }, [customerId, lock, query]).then(({ rows }) => checkLogin(login, rows))
}

/** Ids as `lib/imports/focus/platforms.ts` makes them, or empty for no customer. */
const CUSTOMER = /^[a-z0-9-]{0,100}$/

/**
 * Returns the statement that limits the transaction's rows to this customer's. The id is part of the text, so invalid
 * ids are refused.
 * @throws Error for an invalid id
 */
export function seeing(customerId: string): string {
  if (!CUSTOMER.test(customerId)) throw new Error('This is no id of a customer.')
  return `SET LOCAL console.customer = '${customerId}'`
}

/** SQLSTATEs of prepared statement names that are unknown to the server, or in use already. */
const OF_ANOTHER = new Set(['26000', '42P05'])

/**
 * Opens and checks a connection of each pool, and checks that a pooler in between keeps prepared statements.
 * @throws Error with a one-line explanation
 */
export async function checkConnections(database: Database): Promise<void> {
  const { app, reads, streams, keys, sessions, signIn, jobs } = database
  await Promise.all([app, streams, keys, sessions, signIn, jobs].map(tried))
  // Two connections, each of which prepares a statement under the same name: a pooler without support for prepared
  // statements mixes them up.
  const [one, other] = await Promise.all([reads.connect(), reads.connect()])
  try {
    if (!(await isPooled(one))) return
    await checkTransactions(one)
    await checkPrepared(one, other)
  } finally {
    // Destroys the connections with their prepared statements.
    one.release(true)
    other.release(true)
  }
}

async function tried(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  client.release()
}

/**
 * Returns whether a pooler executes this connection's statements on connections of its own: the answering process is
 * not the one that the connection was announced to have.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ process: number }>('SELECT pg_backend_pid() AS process')
  return rows[0]?.process !== (client as unknown as { processID: number }).processID
}

async function checkTransactions(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query('COMMIT')
  } catch (error) {
    throw unavailableError(
      `The pooler before the database keeps no transaction together: it needs pool_mode = transaction. (${(error as Error).message})`,
    )
  }
}

async function checkPrepared(one: pg.PoolClient, other: pg.PoolClient): Promise<void> {
  const matches = async (client: pg.PoolClient, whose: string) => {
    const { rows } = await client.query<{ whose: string }>({
      name: 'whose',
      text: `SELECT '${whose}' AS whose`,
    })
    return rows[0]?.whose === whose
  }
  const all = async () =>
    (await matches(one, 'one')) && (await matches(other, 'other')) && (await matches(one, 'one'))
  const arePreserved = await all().catch((error: { code?: string }) => {
    if (OF_ANOTHER.has(error.code ?? '')) return false
    throw error
  })
  if (!arePreserved)
    throw unavailableError(
      'The pooler before the database does not keep prepared statements: it must be pgbouncer 1.21 or later, with max_prepared_statements of 200 or more.',
    )
}
