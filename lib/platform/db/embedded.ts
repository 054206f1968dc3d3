import { mkdir } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseLaunch } from './embedded/choose-launch.ts'
import { findCluster, makeCluster } from './embedded/cluster.ts'
import type { Launch } from './embedded/launch.ts'
import { logTail, serverProcess, startServer, stopServer } from './embedded/server.ts'
import { joinServer, type User } from './embedded/users.ts'

/** A running PostgreSQL of our own. */
export type Embedded = {
  /** Connection URL of the default database `console` as its superuser, for `pg` and for psql. */
  url: string
  /** One plain line that says how it runs. */
  note: string
  /** Leaves the server; whoever leaves last, of all processes and calls, stops it and waits for that. Idempotent. */
  release(): Promise<void>
}

/**
 * Starts the PostgreSQL in `${dataDir}/postgres`, making it first if needed, or adopts the one that runs there.
 * Should the server die while it is used, it is started again.
 * @param options.namespaces false to do without user namespaces, as a machine does that forbids them
 * @throws Error that says what stands in the way, with the end of the server's log if there is one
 */
export async function startEmbedded(dataDir: string, { namespaces = true } = {}): Promise<Embedded> {
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true })
  const entry = await enterServer(folder, namespaces)
  let user = entry.user
  let released: Promise<void> | undefined
  let returned = Promise.resolve()

  // Who lost the connection is no user any more: the next one to leave would stop the server under us.
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

/** After a crash the server first replays what was written, hence the long time. In milliseconds. */
const longestStart = 120_000

/** How often a server may end at once before we believe that it can't start. */
const mostFailures = 5

/** Who uses the server of which cluster; `launch` is there if we started it ourselves. */
type Entry = { user: User; cluster: string; launch: Launch | undefined }

/**
 * Becomes a user of the server in `${dataDir}/postgres`; makes and starts it if nobody else did or does.
 * There is no lock around this: PostgreSQL lets one server run per cluster, and whoever comes second, or comes
 * while it stops, tries again.
 * @param dataDir absolute path of a folder that exists
 * @param namespaces false to do without user namespaces
 */
async function enterServer(dataDir: string, namespaces: boolean): Promise<Entry> {
  const deadline = Date.now() + longestStart
  const starts = starter(dataDir, namespaces)
  let cluster = await findCluster(dataDir)
  while (Date.now() < deadline) {
    const user = cluster && (await joinServer(cluster).catch(starts.withdraw))
    if (user && cluster) return { user, cluster, launch: starts.liveLaunch() }
    // A server that is there but doesn't let us in is starting or stopping.
    if (!cluster || !(await serverProcess(cluster))) cluster = await starts.start(cluster)
    await sleep(20)
  }
  throw new Error(`The embedded PostgreSQL doesn't answer.${await logTail(cluster)}`)
}

/** Starts servers one after the other, each when the one before has ended. */
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
  // What nobody can use must not stay.
  const withdraw = async (error: Error) => {
    const mine = liveLaunch()
    if (mine) await stopServer(mine.data)
    throw error
  }
  return { start, liveLaunch, withdraw }
}

/** The line that says where and how a server runs. */
function noteOf({ user, cluster, launch }: Entry): string {
  const path = relative(process.cwd(), cluster)
  const displayPath = path.startsWith('..') ? cluster : path
  const listens = user.port === undefined ? '' : `, on 127.0.0.1:${user.port}`
  return `PostgreSQL ${user.version} in ${displayPath}, ${launch?.how ?? 'already running'}${listens}`
}
