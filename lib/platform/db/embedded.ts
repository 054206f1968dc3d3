import { mkdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDataDir } from '#lib/platform/runtime/data-dir.ts'
import { chooseLaunch } from './embedded/choose-launch.ts'
import { findCluster, makeCluster } from './embedded/cluster.ts'
import type { Launch } from './embedded/launch.ts'
import { logTail, serverProcess, startServer, stopServer } from './embedded/server.ts'
import { joinServer, type User } from './embedded/users.ts'

/** Running embedded PostgreSQL server. */
export type Embedded = {
  /** Connection URL of the default database `console` as its superuser, for `pg` and for psql. */
  url: string
  /** One line that describes how the server runs. */
  note: string
  /**
   * Leaves the server; the last user, of all processes and calls, stops the server and waits for its end. Idempotent.
   */
  release(): Promise<void>
}

/**
 * Starts the PostgreSQL server of `${dataDir}/postgres`, creating the cluster if necessary, or adopts the running
 * server. Restarts a server that dies while it is used.
 * @param options.namespaces false to avoid user namespaces, as on a machine that forbids them
 * @throws Error with the reason, and the end of the server's log if there is one
 */
export async function startEmbedded(dataDir: string, { namespaces = true } = {}): Promise<Embedded> {
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const entry = await enterServer(folder, namespaces)
  // Afterwards: which account runs the server depends on whether that account may enter the folder.
  openDataDir(folder)
  let user = entry.user
  let released: Promise<void> | undefined
  let returned = Promise.resolve()

  // A process that has lost its connection is not counted as a user: the next one to leave would stop the server under
  // it.
  const comeBack = async () => {
    while (!released && (await findCluster(folder).catch(() => undefined))) {
      const entered = await enterServer(folder, namespaces).catch(() => undefined)
      if (entered) {
        user = entered.user
        watch()
        return
      }
      await sleep(1_000, undefined, { ref: false })
    }
  }
  const watch = () => {
    user.gone.then(() => {
      if (!released) returned = comeBack()
    })
  }
  watch()

  const leave = async () => {
    await returned
    await user.leave()
  }
  const release = () => {
    released ??= leave()
    return released
  }
  return { url: entry.user.url, note: noteOf(entry), release }
}

/** Longest start, in milliseconds: after a crash the server first replays its write-ahead log. */
const longestStart = 120_000

/** Starts that may fail immediately before the server is considered broken. */
const mostFailures = 5

/** User of a cluster's server; `launch` is set if this process started the server. */
type Entry = { user: User; cluster: string; launch: Launch | undefined }

/**
 * Joins the server of `${dataDir}/postgres`; creates and starts it unless another process did or does. Needs no lock:
 * PostgreSQL allows one server per cluster, and a process that loses the race, or arrives while the server stops,
 * retries.
 * @param dataDir absolute path of an existing folder
 * @param namespaces false to avoid user namespaces
 */
async function enterServer(dataDir: string, namespaces: boolean): Promise<Entry> {
  const deadline = Date.now() + longestStart
  const starts = starter(dataDir, namespaces)
  let cluster = await findCluster(dataDir)
  while (Date.now() < deadline) {
    const user = cluster && (await joinServer(cluster).catch(starts.withdraw))
    if (user && cluster) return { user, cluster, launch: starts.liveLaunch() }
    // A server that refuses connections is starting or stopping.
    if (!cluster || !(await serverProcess(cluster))) cluster = await starts.start(cluster)
    await sleep(20)
  }
  throw new Error(`The embedded PostgreSQL doesn't answer.${await logTail(cluster)}`)
}

/** Returns functions that start servers one after the other, each when the previous one has ended. */
function starter(dataDir: string, namespaces: boolean) {
  let launch: Launch | undefined
  let hasEnded = () => true
  let started = 0
  const start = async (cluster: string | undefined): Promise<string | undefined> => {
    if (!hasEnded()) return cluster
    if (started === mostFailures) {
      throw new Error(`The embedded PostgreSQL doesn't start.${await logTail(cluster)}`)
    }
    await sleep(50 * started)
    launch ??= await chooseLaunch(dataDir, cluster, namespaces)
    const made = await makeCluster(launch, dataDir)
    hasEnded = await startServer(launch)
    started += 1
    return made
  }
  const liveLaunch = () => (hasEnded() ? undefined : launch)
  // A server that refuses its users must not stay behind.
  const withdraw = async (error: Error) => {
    const mine = liveLaunch()
    if (mine) await stopServer(mine.data)
    throw error
  }
  return { start, liveLaunch, withdraw }
}

/** Returns the line that describes where and how a server runs. */
function noteOf({ user, cluster, launch }: Entry): string {
  const path = relative(process.cwd(), cluster)
  const displayPath = path.startsWith('..') ? cluster : path
  const listens = user.port === undefined ? '' : `, on 127.0.0.1:${user.port}`
  return `PostgreSQL ${user.version} in ${displayPath}, ${launch?.how ?? 'already running'}${listens}`
}
