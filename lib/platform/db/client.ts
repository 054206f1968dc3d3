import { availableParallelism } from 'node:os'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Turns, turns } from '#lib/platform/runtime/concurrency.ts'
import { checkConnection } from './connections.ts'
import { type Login, loginOf } from './logins.ts'
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
  turns: ReadonlyMap<pg.Pool, Turns>
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
const MOST_WAIT = 2000
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
    turns: new Map([
      turnsOn(pools.app),
      turnsOn(pools.reads, READS),
      turnsOn(pools.streams),
      ...(replica ? [turnsOn(replica.reads), turnsOn(replica.streams)] : []),
    ]),
    async close() {
      if (slot.licensesInvoicesDatabase === database) slot.licensesInvoicesDatabase = before
      await Promise.all([...Object.values(pools).map((each) => each.end()), replica?.close()])
    },
  }
  slot.licensesInvoicesDatabase = database
  return database
}

function turnsOn(its: pg.Pool, mostOfOne = Number.POSITIVE_INFINITY): [pg.Pool, Turns] {
  const most = its.options.max
  const share = Math.min(most - LEFT, mostOfOne)
  return [its, turns({ most, share, waitMs: MOST_WAIT, refusal: noTurn })]
}

function noTurn(): Error {
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
    connectionTimeoutMillis: MOST_WAIT,
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
