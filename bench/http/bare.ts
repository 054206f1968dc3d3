import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { RecordedQueries } from './recorded-queries.ts'
import { type Pace, paceOf } from './throughput.ts'

/** Throughput of a case in multiples of its bare queries, sent from Node, at least. */
export const MIN_TO_QUERIES = { cold: 0.6, 'PATCH of a quantity': 0.6 }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/** Opens one pool, as the login that owns the tables, which row-level security does not apply to. */
export function barePool(url: string, hands: number): pg.Pool {
  // Two connections for each worker: one for the caller and one for the rest.
  const pool = new pg.Pool({ connectionString: url, max: 2 * hands, pipeline: true } as pg.PoolConfig)
  // Connections that the database closes at its end, after the measurement.
  pool.on('error', () => {})
  return pool
}

/**
 * Sends the database queries of a request, and nothing else, on so many connections in parallel: pipelined as the API
 * pipelines them, with the API's names of prepared statements.
 * @param recorded queries of one request for each connection; fewer are shared out in turn
 * @param seconds of the measurement, after one second of warm-up
 */
export async function bare(
  pool: pg.Pool,
  recorded: readonly RecordedQueries[],
  hands: number,
  seconds: number,
): Promise<Pace> {
  await during(pool, recorded, hands, 1)
  const began = performance.now()
  const times = await during(pool, recorded, hands, seconds)
  return paceOf(times, (performance.now() - began) / 1000)
}

async function during(pool: pg.Pool, recorded: readonly RecordedQueries[], hands: number, seconds: number) {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  const work = async (_: unknown, hand: number) => {
    const queries = recorded[hand % recorded.length] ?? []
    while (performance.now() < end) {
      const start = performance.now()
      await send(pool, queries)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: hands }, work))
  return times
}

async function send(pool: pg.Pool, queries: RecordedQueries): Promise<void> {
  const isRead = queries.some(({ query }) => query.text.includes('READ ONLY'))
  const fresh = new Map<unknown, string>()
  const clients: pg.PoolClient[] = []
  const last = queries.at(-1)
  for (const group of Map.groupBy(queries, ({ pipeline }) => pipeline).values()) {
    const answers: Promise<unknown>[] = []
    for (const { connection, query } of group) {
      const client = clients[connection] ?? (await pool.connect())
      clients[connection] = client
      answers.push(client.query({ ...query, ...valuesOf(query, fresh) }))
    }
    // Like the API, which responds before the COMMIT is answered.
    if (isRead && group.at(-1) === last) Promise.all(answers).then(() => release(clients))
    else await Promise.all(answers)
  }
  if (!isRead) release(clients)
}

function release(clients: readonly pg.PoolClient[]): void {
  for (const client of clients) client.release()
}

/** Replaces the ids of new rows by new ones for each request; the ids of a read stay. */
function valuesOf({ values, text }: pg.QueryConfig, fresh: Map<unknown, string>): { values?: unknown[] } {
  if (!values) return {}
  if (!/^\s*insert/i.test(text)) return { values: [...values] }
  const renewed = (value: unknown) => {
    if (typeof value !== 'string' || !UUID.test(value)) return value
    const replacement = fresh.get(value) ?? randomUUID()
    fresh.set(value, replacement)
    return replacement
  }
  return { values: values.map(renewed) }
}
