import { Socket } from 'node:net'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { readPassword } from './cluster.ts'
import { isAlive, readPostmaster, serverProcess, socketFolder, socketPort, stopServer } from './server.ts'

/** Database with the console's data. */
const database = 'console'

/**
 * Advisory lock in the database `postgres`: all users share it, and the process that stops the server holds it
 * exclusively.
 */
const lock = 2_053_468_531

/**
 * User of a running server: a connection with a shared lock. The kernel closes the connection together with the
 * process, so that no polling is needed to count the users.
 */
export type User = {
  url: string
  /** Version of the server, e.g. 18.4. */
  version: string
  /** Port on loopback; undefined with a socket. */
  port: number | undefined
  /** Resolves when the connection has ended, intended or not. */
  gone: Promise<void>
  /** Leaves the server, and stops it if it has no other user. */
  leave(): Promise<void>
}

/**
 * Joins a cluster's server as a user, and creates the database if it is missing.
 * @returns undefined if no server accepts connections, yet or any more
 * @throws Error if the server refuses us
 */
export async function joinServer(cluster: string): Promise<User | undefined> {
  const postmaster = await readPostmaster(cluster)
  if (!postmaster) return undefined
  const port = postmaster.socket === '' ? postmaster.port : undefined
  // Another program may listen on the port by now, and must not get the password.
  if (port !== undefined && !(await serverProcess(cluster))) return undefined
  // The socket is in this cluster's own folder: a copied folder's postmaster.pid names the original's.
  const address =
    port === undefined ? { host: socketFolder(cluster), port: socketPort } : { host: '127.0.0.1', port }
  const password = await readPassword(cluster)
  const socket = new Socket()
  const client = new Client({ ...connection, ...address, password, stream: () => socket })
  const disconnected = new Promise<void>((resolve) => client.once('end', () => resolve()))
  // Without a listener the end of the server would end this process.
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

/** Application name of a user's connection, without the process id at its end. */
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

/** Returns whether the server refused permanently; starting, stopping and full pass. */
function isRejection(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && !error.code?.startsWith('57') && error.code !== '53300'
}

async function makeDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database])
  if (rowCount) return
  await client.query(`CREATE DATABASE ${database}`).catch((error: DatabaseError) => {
    // Another user has created it first.
    if (error.code !== '42P04' && error.code !== '23505') throw error
  })
}

async function leave(cluster: string, client: Client, socket: Socket): Promise<void> {
  socket.ref()
  // Without the connection the lock is lost.
  const alone = await isLast(client).catch(() => false)
  // While the lock is held: a new user has to wait, loses its connection and starts the server again.
  if (alone) await stopServer(cluster)
  await client.end().catch(() => undefined)
}

/** Releases the shared lock, and returns whether the exclusive lock could be taken: no other user is left. */
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
    // Only killed users: the server needs a moment to notice.
    await sleep(10)
  }
  return false
}

function urlOf({ host, port }: { host: string; port: number }, password: string): string {
  if (!host.startsWith('/')) return `postgresql://postgres:${password}@${host}:${port}/${database}`
  // A host name as well, because URL parsers require one; both pg and psql prefer the parameter.
  return `postgresql://postgres:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
