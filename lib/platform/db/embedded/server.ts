import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { commandLine, installedBinaries, type Launch, program } from './launch.ts'

/** Folder in the cluster with the server's log files, one per weekday, which the server truncates itself. */
const logFolder = 'log'

/** Returns the file with the server's output before logging begins: why it does not start. */
const startLog = (cluster: string) => `${cluster}.log`

/** Size in bytes above which the file of start output is moved aside. A start adds two lines. */
const MAX_LOG_BYTES = 1_000_000

const DAY = 86_400_000

/**
 * Removes log files that are six days old, so that there are seven at most. A running server truncates its file when
 * the weekday comes round again; a server that was stopped at midnight does not. Called before a start.
 */
export async function forgetOldLogs(cluster: string, now = Date.now()): Promise<void> {
  const folder = join(cluster, logFolder)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && now - stats.mtimeMs > 6 * DAY) await rm(path, { force: true })
  }
  const starts = await stat(startLog(cluster)).catch(() => undefined)
  if (starts && starts.size > MAX_LOG_BYTES) await rename(startLog(cluster), `${startLog(cluster)}.1`)
}

/** Returns the last lines of today's log and of the start's output, for an error message. */
export async function logTail(cluster: string | undefined): Promise<string> {
  if (!cluster) return ''
  const parts = [await newest(cluster), startLog(cluster)].map((path) => path && endOf(path))
  return (await Promise.all(parts)).filter(Boolean).join('')
}

async function endOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, 4_096)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-10)
    return `\nThe end of ${path}:\n${lines.join('\n')}`
  } finally {
    await file.close()
  }
}

async function newest(cluster: string): Promise<string | undefined> {
  const names = await readdir(join(cluster, logFolder)).catch(() => [])
  const dated = await Promise.all(
    names.map(async (name) => {
      const path = join(cluster, logFolder, name)
      return { path, time: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 }
    }),
  )
  return dated.sort((one, other) => other.time - one.time)[0]?.path
}

/** Returns the folder of a cluster's socket; the port is part of the socket's name. */
export const socketFolder = (cluster: string) => join(cluster, 'run')
export const socketPort = 5432

/** Longest path of a socket that all systems accept, in bytes. */
const longestSocketPath = 100

/** Settings that differ from PostgreSQL's defaults and override the cluster's own file. Durability is a promise. */
const settings = {
  max_connections: '250',
  shared_buffers: '128MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // One file per weekday, truncated a week later.
  logging_collector: 'on',
  log_directory: logFolder,
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Details and parameters contain personal data.
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
}

/**
 * Starts a server that outlives this process: with its own session, without a terminal, its output in the log.
 * @returns a function that returns whether the server has ended
 */
export async function startServer(launch: Launch): Promise<() => boolean> {
  const listen = await addresses(launch)
  const options = Object.entries({ ...settings, ...listen }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const stale = (await serverProcess(launch.data)) ? undefined : (await readPostmaster(launch.data))?.pid
  await forgetOldLogs(launch.data)
  const log = await open(startLog(launch.data), 'a', 0o600)
  try {
    const line = commandLine(launch, 'postgres', ['-D', launch.data, ...options])
    // PostgreSQL takes a stale postmaster.pid for a live one if another program's process has that id now. It ignores
    // an id that equals its grandparent's, which pg_ctl passes in this variable.
    const env = {
      ...line.options.env,
      ...(stale && isAlive(stale) ? { PG_GRANDPARENT_PID: String(stale) } : {}),
    }
    const stdio = ['ignore' as const, log.fd, log.fd]
    const child = spawn(line.file, line.args, {
      ...line.options,
      env,
      stdio,
      detached: true,
      windowsHide: true,
    })
    let ended = false
    child.once('exit', () => {
      ended = true
    })
    child.once('error', () => {
      ended = true
    })
    child.unref()
    return () => ended
  } finally {
    await log.close()
  }
}

/** Stops the server with a fast shutdown, which ends all sessions and flushes all data. Waits at most a minute. */
export async function stopServer(cluster: string): Promise<void> {
  const pid = await serverProcess(cluster)
  if (pid === undefined) return
  const deadline = Date.now() + 60_000
  if (process.platform === 'win32') {
    const control = program(await installedBinaries(), 'pg_ctl')
    await promisify(execFile)(control, ['stop', '-D', cluster, '-m', 'fast'], { timeout: 60_000 })
  } else {
    process.kill(pid, 'SIGINT')
  }
  while ((await readPostmaster(cluster))?.pid === pid) {
    if (!isAlive(pid)) return
    if (Date.now() > deadline) {
      throw new Error(`The embedded PostgreSQL (process ${pid}) doesn't stop.${await logTail(cluster)}`)
    }
    await sleep(10)
  }
}

/**
 * Returns the addresses to listen on: a socket that only its owner can reach; where that is impossible, a free port on
 * loopback.
 */
async function addresses(launch: Launch): Promise<Record<string, string>> {
  const folder = socketFolder(launch.data)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (launch.account) await chown(folder, launch.account.uid, launch.account.gid)
  if (await canListen(folder)) {
    const quoted = `"${folder.replaceAll('"', '""')}"`
    return {
      listen_addresses: '',
      unix_socket_directories: quoted,
      unix_socket_permissions: '0700',
      port: `${socketPort}`,
    }
  }
  // After a crash the previous port, if it is free: clients that hold the server's address can go on.
  const former = (await readPostmaster(launch.data))?.port ?? 0
  const port = (await freePort(former)) ?? (await freePort(0))
  if (port === undefined) throw new Error('No port is free on 127.0.0.1 for the embedded PostgreSQL.')
  return { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: `${port}` }
}

async function canListen(folder: string): Promise<boolean> {
  const path = join(folder, `.s.PGSQL.${socketPort}`)
  // psql takes a comma in the path for a list of hosts.
  if (process.platform === 'win32' || path.includes(',') || Buffer.byteLength(path) > longestSocketPath)
    return false
  // Some file systems (shared folders of virtual machines) have no sockets.
  return (await listenOnce({ path: join(folder, `try-${randomBytes(3).toString('hex')}`) })) !== undefined
}

async function freePort(preferred: number): Promise<number | undefined> {
  const address = await listenOnce({ host: '127.0.0.1', port: preferred })
  return typeof address === 'object' ? address.port : undefined
}

async function listenOnce(where: ListenOptions): Promise<AddressInfo | string | undefined> {
  const server = createServer()
  const address = await new Promise<AddressInfo | string | undefined>((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(where, () => resolve(server.address() ?? undefined))
  })
  if (address !== undefined) await new Promise((resolve) => server.close(resolve))
  return address
}

/** Content of `postmaster.pid`. */
export type Postmaster = {
  pid: number
  /** Data directory, as passed to the server. */
  data: string
  port: number
  /** Folder of its Unix socket; empty if it listens on loopback. */
  socket: string
}

/** Reads `postmaster.pid`; undefined if it is missing or incomplete. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, data, , port, socket] = text.split('\n')
  if (!Number(pid) || !data || !Number(port) || socket === undefined) return undefined
  return { pid: Number(pid), data, port: Number(port), socket }
}

/** Returns the process id in `postmaster.pid`, if that process lives and is this cluster's server. */
export async function serverProcess(cluster: string): Promise<number | undefined> {
  const pid = (await readPostmaster(cluster))?.pid
  return pid !== undefined && isAlive(pid) && (await isServer(pid, cluster)) ? pid : undefined
}

/** Returns whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns whether a process is the cluster's server. Process ids are reused, in a container immediately, so the id in a
 * stale file may be that of any program. A server's working directory is its cluster; where the directory can't be
 * read, the program's name has to do.
 */
async function isServer(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'win32') return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === cluster
  } catch (error) {
    // A container's root can't inspect processes of other accounts, but sees their owners.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return servesCluster(pid, cluster)
    if (process.platform === 'linux') return false
  }
  const answer = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm='], {
    timeout: 5_000,
  }).catch(() => undefined)
  return answer?.stdout.includes('postgres') ?? false
}

async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  const owners = await Promise.all([stat(`/proc/${pid}`), stat(cluster)]).catch(() => undefined)
  return owners !== undefined && owners[0].uid === owners[1].uid
}
