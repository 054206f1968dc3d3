import { spawn } from 'node:child_process'
import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAlive, serverProcess } from './server.ts'

/** In milliseconds. A server finishes its requests. */
const GRACE = 10_000

/** Ends what its owner started. */
export type ProcessReaper = {
  /** A process that leads a group of its own (it was spawned `detached`), with all that it starts in its group. */
  endGroup(pid: number): void
  /** A folder of this run: what runs on it as PostgreSQL ends, and the folder goes. */
  removeFolder(path: string): void
  /** Does it now. Without this it is done once the owner has ended, even where that was killed with -9. */
  dismiss(): Promise<void>
}

/**
 * Starts a process that outlives this one by as long as it needs to tidy up. It waits for the end of its input, which
 * the kernel closes with its owner, so that nobody has to ask who is still alive.
 * @param graceMs how long those that it asks to end have for it, in milliseconds
 */
export function startProcessReaper(graceMs = GRACE): ProcessReaper {
  const args = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), String(graceMs)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'], detached: true })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.unref()
  // A pipe is a socket here, which would keep its owner from ending.
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
  // First who would start a server again, or write into a folder.
  await Promise.all(values('group').map((pid) => end(-Number(pid), 'SIGTERM')))
  await Promise.all(values('folder').map(removeFolder))
}

async function removeFolder(folder: string): Promise<void> {
  // An app that lost its server starts it again as long as there is a folder.
  for (let round = 0; round < 3; round++) {
    const clusters = await clustersIn(folder)
    const servers = await Promise.all(clusters.map(serverProcess))
    const pids = servers.filter((pid) => pid !== undefined)
    await Promise.all(pids.map((pid) => end(pid, 'SIGQUIT')))
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

/** The database folders of the data directories in a folder; these lie at most two folders deep. */
async function clustersIn(folder: string, depth = 2): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const clusters = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.name === 'postgres') return realpath(path).catch(() => [])
    return entry.isDirectory() && depth > 0 ? clustersIn(path, depth - 1) : []
  })
  return (await Promise.all(clusters)).flat()
}

/** @param pid a process, or the negative id of a group */
async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    const until = performance.now() + Number(process.argv[2])
    if (!isAlive(pid)) return
    try {
      process.kill(pid, next)
    } catch {
      return
    }
    // Fixed wait: between two looks.
    while (isAlive(pid) && performance.now() < until) await sleep(20)
  }
}

if (import.meta.main) await tidyUp(await text(process.stdin))
