import { spawn } from 'node:child_process'
import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAlive, serverProcess } from './server.ts'

/** Time for a server to finish its requests, in milliseconds. */
const GRACE = 10_000

/** Ends the processes of its owner. */
export type ProcessReaper = {
  /** Registers a process that leads a process group (it was spawned `detached`), with all processes of the group. */
  endGroup(pid: number): void
  /** Registers a folder of this run: PostgreSQL servers in it are ended, and the folder is removed. */
  removeFolder(path: string): void
  /** Ends the processes now. Otherwise they are ended after the owner, even if that was killed with SIGKILL. */
  dismiss(): Promise<void>
}

/**
 * Starts a process that outlives this one long enough to clean up. It waits for the end of its input, which the kernel
 * closes together with its owner, so that it needs no polling.
 * @param graceMs time for processes to end after SIGTERM, in milliseconds
 */
export function startProcessReaper(graceMs = GRACE): ProcessReaper {
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), String(graceMs)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'], detached: true })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.unref()
  // A pipe is a socket here, which would keep its owner alive.
  ;(child.stdin as typeof child.stdin & { unref(): void }).unref()
  const send = (what: string, value: string | number) => child.stdin.write(`${what} ${value}\n`)
  return {
    endGroup: (pid) => send('group', pid),
    removeFolder: (path) => send('folder', path),
    dismiss() {
      child.ref()
      child.stdin.end()
      return ended
    },
  }
}

async function tidyUp(commands: string): Promise<void> {
  const parsed = commands.split('\n').map((line) => /^(\w+) (.+)$/.exec(line) ?? [])
  const values = (what: string) => parsed.flatMap(([, name, value = '']) => (name === what ? [value] : []))
  // First the processes that could restart a server, or write into a folder.
  await Promise.all(values('group').map((pid) => end(-Number(pid), 'SIGTERM')))
  await Promise.all(values('folder').map(removeFolder))
}

async function removeFolder(folder: string): Promise<void> {
  // An app restarts a lost server as long as the folder exists.
  for (let round = 0; round < 3; round++) {
    const clusters = await clustersIn(folder)
    const servers = await Promise.all(clusters.map(serverProcess))
    const pids = servers.filter((pid) => pid !== undefined)
    await Promise.all(pids.map((pid) => end(pid, 'SIGQUIT')))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

/** Returns the database folders of the data directories in a folder, at most two levels deep. */
async function clustersIn(folder: string, depth = 2): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const clusters = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.name === 'postgres') return realpath(path).catch(() => [])
    return entry.isDirectory() && depth > 0 ? clustersIn(path, depth - 1) : []
  })
  return (await Promise.all(clusters)).flat()
}

/**
 * Ends a process or a process group.
 * @param pid process id, or the negative id of a group
 */
async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    const until = performance.now() + Number(process.argv[2])
    if (!isAlive(pid)) return
    try {
      process.kill(pid, next)
    } catch {
      return
    }
    // Fixed wait: polling interval.
    while (isAlive(pid) && performance.now() < until) await sleep(20)
  }
}

if (import.meta.main) await tidyUp(await text(process.stdin))
