import { execFile } from 'node:child_process'
import { readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What `postmaster.pid` says. */
export type Postmaster = {
  pid: number
  /** The data directory, as the server was given it. */
  data: string
  port: number
  /** Folder of its Unix socket, or '' where it listens on loopback. */
  socket: string
}

/** Reads `postmaster.pid`; undefined if there is none, or not all of it yet. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, data, , port, socket] = text.split('\n')
  if (!Number(pid) || !data || !Number(port) || socket === undefined) return undefined
  return { pid: Number(pid), data, port: Number(port), socket }
}

/** The process that `postmaster.pid` names, if it lives and is the server of this cluster; else undefined. */
export async function serverProcess(cluster: string): Promise<number | undefined> {
  const pid = (await readPostmaster(cluster))?.pid
  return pid !== undefined && isAlive(pid) && (await isServer(pid, cluster)) ? pid : undefined
}

/** Whether there is a process with this id, whosever. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Ids are used again, at once in a container: the one in a stale file may be anybody's. A server's working
 * directory is its cluster; where that can't be seen, its name must do.
 */
async function isServer(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'win32') return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === cluster
  } catch (error) {
    // A container's root may not look into the processes of other accounts, but sees whose they are.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return isOwned(pid, cluster)
    if (process.platform === 'linux') return false
  }
  const answer = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm='], {
    timeout: 5_000,
  }).catch(() => undefined)
  return answer?.stdout.includes('postgres') ?? false
}

async function isOwned(pid: number, cluster: string): Promise<boolean> {
  const owners = await Promise.all([stat(`/proc/${pid}`), stat(cluster)]).catch(() => undefined)
  return owners !== undefined && owners[0].uid === owners[1].uid
}
