import { availableParallelism } from 'node:os'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type FairSemaphore, fairSemaphore } from '#lib/platform/runtime/concurrency.ts'
import { type Login, loginOf } from './logins.ts'
import type { PipelinedQueries } from './pipeline.ts'
import { openReplica, type Replica } from './replica.ts'
import type { ReplicaConfig } from './settings.ts'

/** Drizzle on one connection, inside one transaction. */
export type Transaction = NodePgDatabase

/** The open pools. Each logs in as a role that owns nothing, may do what it is for, and can't become another one. */
export type Database = {
  /** Sees and writes the rows of the customer that the transaction names: `scope` only. */
  app: pg.Pool
  /** Sees them for `readScope`, so that changes that wait for a locked row keep no read waiting. */
  reads: pg.Pool
  /** Sees them for `streamScope`: what sends for minutes keeps no other read waiting. */
  streams: pg.Pool
  /**
   * Finds out whose key it is: lib/platform/caller and lib/identity/access only, as the next two; and what a
   * replica lacks. Small and apart: a stuck table starves nobody.
   */
  keys: pg.Pool
  /** Finds out whose session it is. */
  sessions: pg.Pool
  /** Compares passwords, and counts who fails: no other one sees a digest of a password. */
  signIn: pg.Pool
  /** Looks for due work across customers, and holds the job queue: lib/identity/access and lib/server only. */
  jobs: pg.Pool
  /** Whose turn it is on the pools of the customers' rows: `scope` only. */
  semaphores: ReadonlyMap<pg.Pool, FairSemaphore>
  /** A server for reads that may be a little old, where one is set up. */
  replica: Replica | undefined
  close(): Promise<void>
}

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & { licensesInvoicesDatabase?: Database | undefined }

/**
 * A server that is frozen does not end its own statements: reads give it up, in milliseconds. A write does not, for
 * it may have been done; and a load of much data may wait for another one.
 */
const ANSWER_LIMIT = 7000

/** For a turn, as for a connection, in milliseconds. */
const MAX_WAIT_MS = 2000
/** Of each pool, how many connections one customer leaves to the others. */
const LEFT = 2
/** One customer reads by no more of them than there are processors: a statement more would only take time from others. */
const READS = Math.max(2, availableParallelism())

/** Opens the pools on `url` for this process, until they are closed; then it has those again that it had before. */
export function openDatabase(url: string, readFrom?: ReplicaConfig): Database {
  const before = slot.licensesInvoicesDatabase
  const pools = {
    app: pool(url, 'console_app', 8),
    reads: pool(url, 'console_reads', 8, ANSWER_LIMIT),
    streams: pool(url, 'console_streams', 4, ANSWER_LIMIT),
    keys: pool(url, 'console_keys', 4, ANSWER_LIMIT),
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
      semaphoreOn(pools.streams),
      ...(replica ? [semaphoreOn(replica.reads), semaphoreOn(replica.streams)] : []),
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
  const streams = pool(url, 'console_streams', 4, ANSWER_LIMIT)
  const watch = pool(url, 'console_jobs', 1, ANSWER_LIMIT)
  return openReplica({ reads, streams, watch, keys }, mostBehind)
}

/** The database that this process opened. */
export function database(): Database {
  if (!slot.licensesInvoicesDatabase) throw new Error('The database is not open: call openDatabase first.')
  return slot.licensesInvoicesDatabase
}

// What the server keeps with the login says how long its statements may take: a pooler takes no settings of a connection.
function pool(url: string, login: Login, max: number, answerLimit?: number): pg.Pool {
  const made = new pg.Pool({
    ...loginOf(url, login),
    max,
    connectionTimeoutMillis: MAX_WAIT_MS,
    ...(answerLimit === undefined ? {} : { query_timeout: answerLimit }),
    idleTimeoutMillis: 30_000,
    pipeline: true,
    application_name: 'licenses-invoices',
    onConnect: (client) => checkConnection(client, login),
  } as pg.PoolConfig)
  // A connection that breaks (the server restarted) must not end the process. The pool drops an idle one; of one
  // in use, between two statements, it hears nothing: the next statement fails.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

/** Of a connection that does not answer, in milliseconds. */
const CHECK_TIMEOUT_MS = 2000

/** SQLSTATE of a connection that was refused: whoever asked is told that the service is not available. */
const CONNECTION_REJECTED = '08004'

const LIMITED = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const

const milliseconds = (name: string) =>
  `round(1000 * extract(epoch FROM current_setting('${name}')::interval))::float8 AS ${name}`
const WHO = `SELECT current_user AS login, rolsuper OR rolbypassrls AS mighty,
  current_setting('row_security') AS row_security, current_setting('timezone') AS timezone,
  ${LIMITED.map(milliseconds).join(', ')} FROM pg_roles WHERE rolname = current_user`

type Who = Record<(typeof LIMITED)[number], number> & {
  login: string
  mighty: boolean
  row_security: string
  timezone: string
}

/**
 * Looks who a new connection is, and within which limits, before anything is asked by it.
 * @throws Error that says in one line what is wrong: nothing is served by such a connection
 */
export async function checkConnection(client: pg.ClientBase, login: Login): Promise<void> {
  const { rows } = await client.query<Who>({ text: WHO, query_timeout: CHECK_TIMEOUT_MS } as pg.QueryConfig)
  const wrong = whatIsWrong(login, rows[0] as Who)
  if (wrong) throw unavailableError(wrong)
}

/**
 * The same for who a transaction is: a pooler may have another connection to the server for each.
 * @throws Error as `checkConnection`
 */
function checkLogin(login: Login, actualLogin: unknown): void {
  if (actualLogin !== login) throw unavailableError(otherLogin(login, String(actualLogin)))
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

/** An error for which a request is answered with 503. */
function unavailableError(reason: string): Error {
  return Object.assign(new Error(reason), { code: CONNECTION_REJECTED })
}

/** How long a login waits for a lock, and how long one of its statements may take, in milliseconds. */
export type Limits = { lock: number; query: number }

/** A read waits for a lock on a whole table only: soon refused, it keeps no connection from the others. */
const READ: Limits = { lock: 250, query: 3000 }

// Bounds, each inside the next: lock 1 s < waiting for a connection 2 s < statement 3 s < its answer 7 s < request 20 s.
// A read that a replica fails is read again from our own server: both together, 18 s at most, are inside of a request.
const LIMITS: Record<Login, Limits> = {
  console_app: { lock: 1000, query: 3000 },
  console_reads: READ,
  console_streams: READ,
  console_keys: READ,
  console_sessions: READ,
  console_sign_in: READ,
  // The job queue works under it, too, which removes many rows at once and takes turns by locks.
  console_jobs: { lock: 5000, query: 10_000 },
}

/** No limit of a login is longer, in milliseconds: it is what a request has. */
const MAX_TRANSACTION_MS = 20_000

/**
 * What the server keeps with the login (`ALTER ROLE … SET`), and gives to each connection of it, whichever pooler opens
 * it: limits that are sent when a connection is made don't come past one. Each transaction names its own once more
 * (`open`); statements outside of one, and the job queue, have these alone.
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

/** A `late write` is one that a closed customer still sees. */
export type Kind = 'read' | 'write' | 'late write' | 'stream'

/** An invoice and its lines are of one moment, also while an import replaces them. */
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/**
 * Begins a customer's transaction, for what is added to the flight after it: whose rows it sees, for how long it waits
 * and works, as whom. All of it by SET LOCAL, so that it ends with the transaction, on whichever connection a pooler has
 * for it, and reaches each server of a distributed database.
 * @returns resolves when all that has been carried out
 * @throws Error where the connection is another login's; CC001 where a `write` is of a closed customer
 */
export function open(
  pipeline: PipelinedQueries,
  login: Login,
  customerId: string,
  kind: Kind,
): Promise<void> {
  const { lock, query } = LIMITS[login]
  pipeline.isOpened = true
  const texts = [`SET LOCAL lock_timeout = ${lock}`, `SET LOCAL statement_timeout = ${query}`]
  const send = (text: string, isUnnamed = false) =>
    pipeline.add({ text, hasNoRows: true, isUnnamed }).catch(() => {})
  // Not by a name, which a server could have forgotten: what comes behind would be outside of any transaction.
  send(kind === 'read' || kind === 'stream' ? BEGIN_READ : 'BEGIN', true)
  for (const text of texts) send(text)
  send(seeing(customerId), true)
  // The function is of the migration `closed-customers`: it refuses where the customer is closed.
  const entered =
    kind === 'write'
      ? pipeline.add({ text: 'SELECT current_user AS login, enter_to_write($1)' }, [customerId])
      : pipeline.add({ text: 'SELECT current_user AS login' })
  return entered.then(({ rows }) => checkLogin(login, (rows[0] as { login: string }).login))
}

/** As `lib/imports/focus/platforms.ts` makes them, and the empty one, which is nobody's. */
const CUSTOMER = /^[a-z0-9-]{0,100}$/

/**
 * The statement by which the transaction sees this customer's rows from now on, and no others. It takes no values: what
 * is no id of a customer does not come into it.
 * @throws Error where it is none
 */
export function seeing(customerId: string): string {
  if (!CUSTOMER.test(customerId)) throw new Error('This is no id of a customer.')
  return `SET LOCAL console.customer = '${customerId}'`
}

/** Names of prepared statements that the server does not know, or knows already. */
const OF_ANOTHER = new Set(['26000', '42P05'])

/**
 * Opens a connection of each pool, which is checked then, and looks whether a pooler between keeps what is prepared.
 * @throws Error that says in one line what is wrong
 */
export async function checkConnections(database: Database): Promise<void> {
  const { app, reads, streams, keys, sessions, signIn, jobs } = database
  await Promise.all([app, streams, keys, sessions, signIn, jobs].map(tried))
  // Two, each of which prepares a statement under one name: without a pooler's help they come upon each other's.
  const [one, other] = await Promise.all([reads.connect(), reads.connect()])
  try {
    if (!(await isPooled(one))) return
    await checkTransactions(one)
    await checkPrepared(one, other)
  } finally {
    // With what they have prepared.
    one.release(true)
    other.release(true)
  }
}

async function tried(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  client.release()
}

/**
 * Whether something between hands the statements of this connection to connections of its own: the process that
 * answers is not the one that the connection was told of.
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
