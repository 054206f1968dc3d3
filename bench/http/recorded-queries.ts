import pg from 'pg'
import { nameOf, PipelinedQueries } from '#lib/platform/db/pipeline.ts'

/** A query as sent. Queries of one pipeline were sent together, on one connection or on several. */
type RecordedQuery = { connection: number; pipeline: number; query: pg.QueryConfig }

/** Queries that one request sends to the database, in order. */
export type RecordedQueries = readonly RecordedQuery[]

type Send = (this: pg.Client, ...args: unknown[]) => unknown

/**
 * Runs `work` and returns the queries that this process sent to the database during it. Run it once before: the first
 * run opens connections.
 */
export async function recordQueries(work: () => Promise<unknown>): Promise<RecordedQueries> {
  const { prototype } = pg.Client
  const send = prototype.query as Send
  const connections: pg.Client[] = []
  const sent: RecordedQuery[] = []
  let pipeline = 0
  const answered = () => {
    pipeline = sent.length
  }
  prototype.query = function noting(this: pg.Client, ...args: unknown[]) {
    if (!connections.includes(this)) connections.push(this)
    const note = (query: pg.QueryConfig) =>
      void sent.push({ connection: connections.indexOf(this), pipeline, query })
    const [first] = args
    if (first instanceof PipelinedQueries) {
      for (const { text, values, rowMode, isUnnamed } of first.queries)
        note(configOf([{ name: isUnnamed ? undefined : nameOf(text), text, rowMode }, values]))
      const { onEnd } = first
      first.onEnd = (error) => {
        answered()
        onEnd(error)
      }
      return send.apply(this, args)
    }
    note(configOf(args))
    const last = args.at(-1)
    if (typeof last === 'function') {
      const call = (...result: unknown[]) => {
        answered()
        return last(...result)
      }
      return send.apply(this, [...args.slice(0, -1), call])
    }
    const answer = send.apply(this, args) as Promise<unknown>
    answer.then(answered, answered)
    return answer
  } as typeof prototype.query
  try {
    await work()
    // A read is answered before its COMMIT.
    await new Promise((resolve) => setTimeout(resolve, 50))
  } finally {
    prototype.query = send as typeof prototype.query
  }
  return sent
}

function configOf([first, second]: unknown[]): pg.QueryConfig {
  const config =
    typeof first === 'string' ? { text: first } : (first as pg.QueryConfig & { rowMode?: 'array' })
  const values = Array.isArray(second) ? second : config.values
  const { text, name } = config
  const asArray = 'rowMode' in config && config.rowMode ? { rowMode: config.rowMode } : {}
  return { text, ...(name ? { name } : {}), ...(values ? { values } : {}), ...asArray }
}

/** Returns how often a request waits for the database: a read in a transaction does not wait for its COMMIT. */
export function roundTrips(queries: RecordedQueries): number {
  const isRead = queries.some(({ query }) => query.text.includes('READ ONLY'))
  const awaited = isRead ? queries.filter(({ query }) => query.text !== 'COMMIT') : queries
  return new Set(awaited.map(({ pipeline }) => pipeline)).size
}
