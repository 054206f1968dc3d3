import { Socket } from 'node:net'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { readPassword } from './cluster.ts'
import { isAlive, readPostmaster, serverProcess, socketFolder, socketPort, stopServer } from './server.ts'

/** The database that the console's data is in. */
const database = 'console'

/** An advisory lock in the database `postgres`: all users share it, and who stops the server has it alone. */
const lock = 2_053_468_531

/**
 * One user of a running server: a connection that shares a lock. The kernel closes it with the process, however
 * that ends, so nobody has to find out who is still alive.
 */
export type User = {
  url: string
  /** Of the server, e.g. 18.4. */
  version: string
  /** Its port on loopback; undefined with a socket. */
  port: number | undefined
  /** Resolves when the connection has ended, wanted or not. */
  gone: Promise<void>
  /** Ends the use, and the server too if nobody else uses it. */
  leave(): Promise<void>
}

/**
 * Becomes a user of a cluster's server, and makes the database if it is missing.
 * @returns undefined if there is no server, or not yet, or no more
 * @throws Error if there is one and it refuses us
 */
export async function joinServer(cluster: string): Promise<User | undefined> {
  const postmaster = await readPostmaster(cluster)
  if (!postmaster) return undefined
  const port = postmaster.socket === '' ? postmaster.port : undefined
  // A port may be anybody's by now, and is not to be told the password.
  if (port !== undefined && !(await serverProcess(cluster))) return undefined
  // The socket is looked for in our own folder: a copied folder's postmaster.pid tells of the original's.
  const address =
    port === undefined ? { host: socketFolder(cluster), port: socketPort } : { host: '127.0.0.1', port }
  const password = await readPassword(cluster)
  const socket = new Socket()
  const client = new Client({ ...connection, ...address, password, stream: () => socket })
  const disconnected = new Promise<void>((resolve) => client.once('end', () => resolve()))
  // Without a listener the end of the server would end us.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`SELECT pg_advisory_lock_shared(${lock})`)
    const { rows } = await client.query<{ data: string; version: string }>(
      "SELECT current_setting('data_directory') AS data, current_setting('server_version') AS version",
    )
    const [{ data, version } = { data: '', version: '' }] = rows
    if (port !== undefined && relative(data, cluster) !== '') throw new Error('the server of another folder')
    await makeDatabase(client)
    // A user's program may end without leaving.
    socket.unref()
    return {
      url: urlOf(address, password),
      version,
      port,
      gone: disconnected,
      leave: () => leave(cluster, client, socket),
    }
  } catch (error) {
    socket.destroy()
    if (isRejection(error)) {
      throw new Error(`The embedded PostgreSQL in ${cluster} refuses us: ${error.message} (${error.code})`)
    }
    return undefined
  }
}

/** What a user's connection is called, before its process id. */
const userName = 'console-user-'

const connection = {
  user: 'postgres',
  database: 'postgres',
  application_name: `${userName}${process.pid}`,
  ssl: false,
  options: '-c idle_session_timeout=0 -c statement_timeout=70000',
  connectionTimeoutMillis: 5_000,
  query_timeout: 75_000,
}

/** The server's own refusals, but not that it is starting, stopping or full: these pass. */
function isRejection(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && !error.code?.startsWith('57') && error.code !== '53300'
}

async function makeDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database])
  if (rowCount) return
  await client.query(`CREATE DATABASE ${database}`).catch((error: DatabaseError) => {
    // Another user was faster.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
}

async function leave(cluster: string, client: Client, socket: Socket): Promise<void> {
  socket.ref()
  // Without the connection we are no user any more.
  const alone = await isLast(client).catch(() => false)
  // With the lock held: who wants to join now waits, loses its connection and starts the server again.
  if (alone) await stopServer(cluster)
  await client.end().catch(() => undefined)
}

/** Gives up the shared lock, and takes it alone if nobody else has it. */
async function isLast(client: Client): Promise<boolean> {
  await client.query(`SELECT pg_advisory_unlock_shared(${lock})`)
  const deadline = Date.now() + 5_000
  while (Date.now() < deadline) {
    const { rows } = await client.query<{ alone: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS alone`)
    if (rows[0]?.alone) return true
    const others = await client.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.objid = ${lock}`,
    )
    if (others.rows.some(({ name }) => isAlive(Number(name.replace(userName, ''))))) return false
    // Only killed ones: the server needs a moment to notice.
    await sleep(10)
  }
  return false
}

function urlOf({ host, port }: { host: string; port: number }, password: string): string {
  if (!host.startsWith('/')) return `postgresql://postgres:${password}@${host}:${port}/${database}`
  // A host name as well, because URL parsers ask for one; both pg and psql prefer the parameter.
  return `postgresql://postgres:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
