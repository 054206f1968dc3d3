import { createHash } from 'node:crypto'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

/** Drizzle on one connection, inside one transaction. */
export type Transaction = NodePgDatabase

/** The open pools. Both log in as DATABASE_URL's owner and at once become a role that owns nothing. */
export type Database = {
  /** Sees the rows of the customer that the transaction names: `scope` only. */
  app: pg.Pool
  /** The same for `readScope`, so that changes that wait for a locked row keep no read waiting. */
  reads: pg.Pool
  /** Finds out who is calling: lib/access only. Small and apart, so that a stuck table starves nobody. */
  access: pg.Pool
  close(): Promise<void>
}

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & { licensesInvoicesDatabase?: Database | undefined }

/**
 * A server that is frozen does not end its own statements: reads give it up, in milliseconds. A write does not, for
 * it may have been done; and a load of much data may wait for another one.
 */
const ANSWER_LIMIT = 7000

/** In milliseconds. A read waits for a lock on a whole table only: soon refused, it keeps no connection from the others. */
const WRITE = { lockWait: 1000 }
const READ = { lockWait: 250, answerLimit: ANSWER_LIMIT }

/** Opens the pools on `url` for this process. Connects to nothing yet. */
export function openDatabase(url: string): Database {
  const app = pool(url, 'console_app', 8)
  const reads = pool(url, 'console_app', 8, READ)
  const access = pool(url, 'console_access', 6, READ)
  const database: Database = {
    app,
    reads,
    access,
    async close() {
      if (slot.licensesInvoicesDatabase === database) slot.licensesInvoicesDatabase = undefined
      await Promise.all([app.end(), reads.end(), access.end()])
    },
  }
  slot.licensesInvoicesDatabase = database
  return database
}

/** The database that this process opened. */
export function database(): Database {
  if (!slot.licensesInvoicesDatabase) throw new Error('The database is not open: call openDatabase first.')
  return slot.licensesInvoicesDatabase
}

// Bounds, each inside the next: lock 1 s < waiting for a connection 2 s < statement 3 s < its answer 7 s < request 20 s.
function pool(
  url: string,
  role: 'console_app' | 'console_access',
  max: number,
  { lockWait, answerLimit }: { lockWait: number; answerLimit?: number } = WRITE,
): pg.Pool {
  const settings = {
    role,
    lock_timeout: String(lockWait),
    statement_timeout: '3000',
    idle_in_transaction_session_timeout: '20000',
    timezone: 'UTC',
  }
  const made = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 2000,
    ...(answerLimit === undefined ? {} : { query_timeout: answerLimit }),
    idleTimeoutMillis: 30_000,
    pipeline: true,
    application_name: 'licenses-invoices',
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  } as pg.PoolConfig)
  // A connection that breaks (the server restarted) must not end the process. The pool drops an idle one; of one
  // in use, between two statements, it hears nothing: the next statement fails.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}

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
  const client = await from.connect()
  // Not awaited one by one: with pg's pipeline they travel in one round trip with fn's first query.
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
  let value: T
  try {
    value = await fn(drizzle(readOnly ? planned(client) : client))
    await opened
  } catch (error) {
    await end('ROLLBACK').catch(() => {})
    throw error
  }
  if (readOnly) end('COMMIT').catch(() => {})
  else await end('COMMIT')
  return value
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
