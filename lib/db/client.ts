import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

/** Drizzle on one connection, inside one transaction. */
export type Transaction = NodePgDatabase

/** The open pools. They log in as DATABASE_URL's owner and at once become a role that owns nothing. */
export type Database = {
  /** Sees the rows of the customer that the transaction names: `scope` only. */
  app: pg.Pool
  /** The same for `readScope`, so that changes that wait for a locked row keep no read waiting. */
  reads: pg.Pool
  /** The same for `streamScope`: what sends for minutes keeps no other read waiting. */
  streams: pg.Pool
  /** Finds out who is calling: lib/access only. Small and apart, so that a stuck table starves nobody. */
  access: pg.Pool
  /** Looks for due work across customers, and holds the job queue: lib/access and lib/server only. */
  jobs: pg.Pool
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

/** Statements that are sent without a BEGIN may not write, and see one moment: an invoice and its lines, say. */
const ONLY_READ = { default_transaction_read_only: 'on', default_transaction_isolation: 'repeatable\\ read' }

/** Opens the pools on `url` for this process, until they are closed; then it has those again that it had before. */
export function openDatabase(url: string): Database {
  const before = slot.licensesInvoicesDatabase
  const app = pool(url, 'console_app', 8)
  const reads = pool(url, 'console_app', 8, READ, ONLY_READ)
  const streams = pool(url, 'console_app', 4, READ)
  const access = pool(url, 'console_access', 6, READ)
  const jobs = pool(url, 'console_jobs', 2)
  const database: Database = {
    app,
    reads,
    streams,
    access,
    jobs,
    async close() {
      if (slot.licensesInvoicesDatabase === database) slot.licensesInvoicesDatabase = before
      await Promise.all([app, reads, streams, access, jobs].map((pool) => pool.end()))
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
  role: 'console_app' | 'console_access' | 'console_jobs',
  max: number,
  { lockWait, answerLimit }: { lockWait: number; answerLimit?: number } = WRITE,
  more: Record<string, string> = {},
): pg.Pool {
  const settings = {
    role,
    lock_timeout: String(lockWait),
    statement_timeout: '3000',
    idle_in_transaction_session_timeout: '20000',
    timezone: 'UTC',
    ...more,
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
