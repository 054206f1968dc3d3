import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open } from 'node:fs/promises'
import { type AddressInfo, createServer, type ListenOptions } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { installedBinaries, program } from './binaries.ts'
import { commandLine, type Launch } from './launch.ts'
import { forgetOldLogs, logFolder, logTail, startLog } from './logs.ts'
import { isAlive, readPostmaster, serverProcess } from './process.ts'

/** The folder of a cluster's socket, and the port that names the socket in it. */
export const socketFolder = (cluster: string) => join(cluster, 'run')
export const socketPort = 5432

/** That all systems take, in bytes. */
const longestSocketPath = 100

/** What differs from PostgreSQL's defaults, whatever the cluster's own file says. Durability is a promise. */
const settings = {
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A file for each day of the week, which is begun anew a week later.
  logging_collector: 'on',
  log_directory: logFolder,
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Details and parameters hold people's data.
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
}

/**
 * Starts a server that outlives us: a session of its own, no terminal, its output in the log.
 * @returns a function that tells whether it has ended
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
    // PostgreSQL takes a stale postmaster.pid for a live one if somebody else's process has that id now. An id
    // that it knows as its grandparent's it does not: that is how pg_ctl tells it.
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

/** A fast shutdown: ends all sessions, writes everything. Waits for the end, at most a minute. */
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

/** A socket that only its owner reaches; where that can't be, loopback with a port that is free. */
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
  // After a crash the former port, if it can be had: whoever holds the server's address can go on.
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

async function freePort(wanted: number): Promise<number | undefined> {
  const address = await listenOnce({ host: '127.0.0.1', port: wanted })
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
