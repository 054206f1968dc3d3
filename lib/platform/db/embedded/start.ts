import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCluster, makeCluster } from './cluster.ts'
import type { Launch } from './launch.ts'
import { logTail } from './logs.ts'
import { serverProcess } from './process.ts'
import { startServer, stopServer } from './server.ts'
import { joinServer, type User } from './users.ts'
import { chooseLaunch } from './way.ts'

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
export async function enterServer(dataDir: string, namespaces: boolean): Promise<Entry> {
  const deadline = Date.now() + longestStart
  const starts = starter(dataDir, namespaces)
  let cluster = await findCluster(dataDir)
  while (Date.now() < deadline) {
    const user = cluster && (await joinServer(cluster).catch(starts.withdraw))
    if (user && cluster) return { user, cluster, launch: starts.own() }
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
  const own = () => (hasEnded() ? undefined : launch)
  // What nobody can use must not stay.
  const withdraw = async (error: Error) => {
    const mine = own()
    if (mine) await stopServer(mine.data)
    throw error
  }
  return { start, own, withdraw }
}

/** The line that says where and how a server runs. */
export function noteOf({ user, cluster, launch }: Entry): string {
  const path = relative(process.cwd(), cluster)
  const place = path.startsWith('..') ? cluster : path
  const listens = user.port === undefined ? '' : `, on 127.0.0.1:${user.port}`
  return `PostgreSQL ${user.version} in ${place}, ${launch?.how ?? 'already running'}${listens}`
}
