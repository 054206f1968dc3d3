import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const MB = 1024 * 1024
const EVERY_MS = 500

/** Cost of some work for this process and the database. Times in seconds, memory in MB. */
export type Cost = {
  seconds: number
  queries: number
  /** Rows written, by table. */
  rows: Record<string, string>
  rssPeak: number
  /** Memory growth in MB per minute over the second half, by a line through all points. */
  rssSlope: number
  failure: string | undefined
}

/**
 * Runs the work, and measures its cost.
 * @param url of the database, as its superuser
 */
export async function costOf(url: string, work: () => Promise<unknown>): Promise<Cost> {
  const before = await written(url)
  const points: [seconds: number, mb: number][] = []
  const began = performance.now()
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      points.push([(performance.now() - began) / 1000, process.memoryUsage.rss() / MB])
      await pause(EVERY_MS, undefined, { signal: watching.signal }).catch(() => {})
    }
  })()
  const counted = countQueries()
  const failure = await work().then(() => undefined, String)
  const queryCounts = counted()
  const seconds = (performance.now() - began) / 1000
  watching.abort()
  await watch
  const after = await written(url)
  return {
    seconds,
    queries: queryCounts,
    rows: writtenBetween(before, after),
    rssPeak: Math.max(...points.map(([, mb]) => mb)),
    rssSlope: slopeOf(points.slice(Math.floor(points.length / 2))) * 60,
    failure,
  }
}

/** Counts the queries that this process sends to the database, until the returned function is called. */
function countQueries(): () => number {
  const { query } = pg.Client.prototype
  let count = 0
  pg.Client.prototype.query = function counting(this: pg.Client, ...args: never[]) {
    count += 1
    return (query as (...args: never[]) => never).apply(this, args)
  } as typeof query
  return () => {
    pg.Client.prototype.query = query
    return count
  }
}

type Written = Map<string, { inserted: number; updated: number }>

/** Returns the rows written so far. The pools must be closed: a connection reports its statistics when it ends. */
async function written(url: string): Promise<Written> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Connections that were closed a moment ago still report their statistics.
  await pause(1000)
  const { rows } = await client.query(
    'SELECT relname, n_tup_ins::int AS inserted, n_tup_upd::int AS updated FROM pg_stat_user_tables',
  )
  await client.end()
  return new Map(rows.map(({ relname, inserted, updated }) => [relname, { inserted, updated }]))
}

/** Returns the numbers of inserted and updated rows per changed table, such as `+2 ~1`. */
function writtenBetween(before: Written, after: Written): Record<string, string> {
  const changes: Record<string, string> = {}
  for (const [table, { inserted, updated }] of after) {
    const former = before.get(table)
    const insertions = inserted - (former?.inserted ?? 0)
    const updates = updated - (former?.updated ?? 0)
    if (insertions > 0 || updates > 0) changes[table] = `+${insertions} ~${updates}`
  }
  return changes
}

/** Returns the slope of a line through the points, by least squares. */
function slopeOf(points: readonly [number, number][]): number {
  const mean = (coordinate: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + coordinate(point), 0) / points.length
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)]
  const sumOfSquares = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  return sumOfSquares === 0
    ? 0
    : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / sumOfSquares
}
