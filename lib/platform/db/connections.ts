import type pg from 'pg'
import type { Database } from './client.ts'
import type { Login } from './logins.ts'
import type { Flight } from './pipeline.ts'

/** Of a connection that does not answer, in milliseconds. */
const PATIENCE = 2000

/** SQLSTATE of a connection that was refused: whoever asked is told that the service is not available. */
const REFUSED = '08004'

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
  const { rows } = await client.query<Who>({ text: WHO, query_timeout: PATIENCE } as pg.QueryConfig)
  const wrong = whatIsWrong(login, rows[0] as Who)
  if (wrong) throw refused(wrong)
}

/**
 * The same for who a transaction is: a pooler may have another connection to the server for each.
 * @throws Error as `checkConnection`
 */
function checkLogin(login: Login, found: unknown): void {
  if (found !== login) throw refused(otherLogin(login, String(found)))
}

function whatIsWrong(login: Login, { mighty, row_security, timezone, ...who }: Who): string | undefined {
  if (who.login !== login) return otherLogin(login, who.login)
  if (mighty)
    return `${login} may pass by row-level security. As the server's administrator, run: ALTER ROLE ${login} NOSUPERUSER NOBYPASSRLS;`
  if (row_security !== 'on')
    return `row_security is ${row_security} for ${login}. Run: ALTER ROLE ${login} RESET row_security;`
  for (const name of LIMITED) {
    if (who[name] === 0) return lacking(login, `${name} is off`)
    if (who[name] > LONGEST) return lacking(login, `${name} is ${who[name]} ms, more than ${LONGEST}`)
  }
  return timezone === 'UTC' ? undefined : lacking(login, `timezone is ${timezone}`)
}

function otherLogin(login: Login, found: string): string {
  return `The connection for ${login} is one of ${found}: a pooler must log in at the server as who asks it (pgbouncer: no "user=" in the database's line).`
}

function lacking(login: Login, what: string): string {
  return `${what} for ${login}. Run \`npm run admin -- database logins\` as the database's owner, and RECONNECT in pgbouncer, if there is one.`
}

/** An error for which a request is answered with 503. */
function refused(reason: string): Error {
  return Object.assign(new Error(reason), { code: REFUSED })
}

/** How long a login waits for a lock, and how long one of its statements may take, in milliseconds. */
export type Limits = { lock: number; statement: number }

/** A read waits for a lock on a whole table only: soon refused, it keeps no connection from the others. */
const READ: Limits = { lock: 250, statement: 3000 }

// Bounds, each inside the next: lock 1 s < waiting for a connection 2 s < statement 3 s < its answer 7 s < request 20 s.
// A read that a replica fails is read again from our own server: both together, 18 s at most, are inside of a request.
const LIMITS: Record<Login, Limits> = {
  console_app: { lock: 1000, statement: 3000 },
  console_reads: READ,
  console_streams: READ,
  console_keys: READ,
  console_sessions: READ,
  console_sign_in: READ,
  // The job queue works under it, too, which removes many rows at once and takes turns by locks.
  console_jobs: { lock: 5000, statement: 10_000 },
}

/** No limit of a login is longer, in milliseconds: it is what a request has. */
const LONGEST = 20_000

function limitsOf(login: Login): Limits {
  return LIMITS[login]
}

/**
 * What the server keeps with the login (`ALTER ROLE … SET`), and gives to each connection of it, whichever pooler opens
 * it: limits that are sent when a connection is made don't come past one. Each transaction names its own once more
 * (lib/platform/db/connections.ts); statements outside of one, and the job queue, have these alone.
 */
export function settingsOf(login: Login): Record<string, string> {
  const { lock, statement } = LIMITS[login]
  return {
    lock_timeout: String(lock),
    statement_timeout: String(statement),
    idle_in_transaction_session_timeout: String(LONGEST),
    timezone: 'UTC',
  }
}

/** A `late write` is one that a closed customer still sees. */
export type Kind = 'read' | 'write' | 'late write' | 'stream'

/** An invoice and its lines are of one moment, also while an import replaces them. */
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** What ends a transaction of which nothing is to be kept, or of which all was told. */
export const COMMIT = { text: 'COMMIT', hasNoRows: true }

/**
 * Begins a customer's transaction, for what is added to the flight after it: whose rows it sees, for how long it waits
 * and works, as whom. All of it by SET LOCAL, so that it ends with the transaction, on whichever connection a pooler has
 * for it, and reaches each server of a distributed database.
 * @returns resolves when all that has been carried out
 * @throws Error where the connection is another login's; CC001 where a `write` is of a closed customer
 */
export function open(flight: Flight, login: Login, customerId: string, kind: Kind): Promise<void> {
  const { lock, statement } = limitsOf(login)
  flight.isOpened = true
  const texts = [`SET LOCAL lock_timeout = ${lock}`, `SET LOCAL statement_timeout = ${statement}`]
  const say = (text: string, isUnnamed = false) =>
    flight.add({ text, hasNoRows: true, isUnnamed }).catch(() => {})
  // Not by a name, which a server could have forgotten: what comes behind would be outside of any transaction.
  say(kind === 'read' || kind === 'stream' ? BEGIN_READ : 'BEGIN', true)
  for (const text of texts) say(text)
  say(seeing(customerId), true)
  // The function is of the migration `closed-customers`: it refuses where the customer is closed.
  const entered =
    kind === 'write'
      ? flight.add({ text: 'SELECT current_user AS login, enter_to_write($1)' }, [customerId])
      : flight.add({ text: 'SELECT current_user AS login' })
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
    throw refused(
      `The pooler before the database keeps no transaction together: it needs pool_mode = transaction. (${(error as Error).message})`,
    )
  }
}

async function checkPrepared(one: pg.PoolClient, other: pg.PoolClient): Promise<void> {
  const ask = async (client: pg.PoolClient, whose: string) => {
    const { rows } = await client.query<{ whose: string }>({
      name: 'whose',
      text: `SELECT '${whose}' AS whose`,
    })
    return rows[0]?.whose === whose
  }
  const all = async () => (await ask(one, 'one')) && (await ask(other, 'other')) && (await ask(one, 'one'))
  const areKept = await all().catch((error: { code?: string }) => {
    if (OF_ANOTHER.has(error.code ?? '')) return false
    throw error
  })
  if (!areKept)
    throw refused(
      'The pooler before the database does not keep prepared statements: it must be pgbouncer 1.21 or later, with max_prepared_statements of 200 or more.',
    )
}
