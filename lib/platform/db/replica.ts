import type pg from 'pg'
import { errorCode } from '#lib/platform/api/problem.ts'

/** A server that follows ours and may be a little behind: for reads whose rows may be old, never for a decision. */
export type Replica = {
  /** As the pools of the same names on our own server. */
  reads: pg.Pool
  streams: pg.Pool
  /** Finds out how far it is: as often as anybody wants, one at a time. Never throws. */
  look(): Promise<Fault | undefined>
  /** What the latest look found, and whether that was too long ago. */
  fault(): Fault | undefined
  /** What the latest look failed with. */
  error(): Error | undefined
  /** When the newest migration was made that the latest look has found there. */
  migration(): number | undefined
  /**
   * Whether it is as new as it has to be and shows all that was written for this customer, by whichever process.
   * Costs a short question to our own server.
   */
  shows(customerId: string): Promise<boolean>
  /** A connection to it broke: nobody is sent there until the next look. */
  broke(): void
  close(): Promise<void>
}

type Pools = Pick<Replica, 'reads' | 'streams'> & {
  /** On the replica: asks how far it is. */
  watch: pg.Pool
  /** On our own server. */
  keys: pg.Pool
}

// What is not in the snapshot of a moment that the replica has reached may be missing there. Nobody's clock is asked.
const UNSEEN = {
  name: 'unseen-writes',
  text: `SELECT EXISTS (SELECT FROM recent_writes
    WHERE customer_id = $1 AND NOT pg_visible_in_snapshot(transaction, $2::pg_snapshot)) AS unseen`,
}

/** @param mostBehind how old the rows there may be, in milliseconds */
export function openReplica({ reads, streams, watch, keys }: Pools, mostBehind: number): Replica {
  const moments = momentsOf(keys, watch)
  let reached: Moment | undefined
  let broken: Fault | undefined
  let error: Error | undefined
  let migration: number | undefined
  let looking: Promise<Fault | undefined> | undefined

  const isRecent = (moment: Moment | undefined) =>
    moment !== undefined && performance.now() - moment.began <= mostBehind
  const fault = () => broken ?? (isRecent(reached) ? undefined : 'behind')
  const look = async () => {
    const found = await moments.next()
    broken = 'fault' in found ? found.fault : undefined
    error = 'fault' in found ? found.error : undefined
    reached = 'fault' in found ? undefined : found.reached
    migration = 'fault' in found ? undefined : found.migration
    return fault()
  }
  return {
    reads,
    streams,
    fault,
    error: () => error,
    migration: () => migration,
    look() {
      looking ??= look().finally(() => {
        looking = undefined
      })
      return looking
    },
    async shows(customerId) {
      if (fault() !== undefined || reached === undefined) return false
      const values = [customerId, reached.snapshot]
      const { rows } = await keys.query<{ unseen: boolean }>({ ...UNSEEN, values })
      return rows[0]?.unseen === false
    },
    broke() {
      broken = 'away'
    },
    async close() {
      await Promise.all([reads, streams, watch].map((pool) => pool.end()))
    },
  }
}

/**
 * Why a replica is not read from at the moment. `other`: it is no replica of our server any more. `unknown`: our own
 * server does not say how far it is itself.
 */
export type Fault = 'away' | 'behind' | 'other' | 'unknown'

/** A moment of our own server. */
type Moment = {
  /** When this process began to ask for it, by `performance.now()`. */
  began: number
  /** Which transactions had ended. */
  snapshot: string
  /** All that they wrote lies before this place of the log. */
  position: bigint
}

// The snapshot is taken before the position is read. Where COMMIT waits for the disk, as it does unless somebody turned
// that off, what is visible is behind the flushed part already; what is not flushed yet would keep us waiting for it.
const MOMENT = {
  name: 'moment',
  text: `SELECT pg_current_snapshot()::text AS snapshot,
    CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END::text AS position,
    (SELECT system_identifier FROM pg_control_system())::text AS system`,
}
const REACHED = {
  name: 'reached',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text AS position,
    (SELECT system_identifier FROM pg_control_system())::text AS system,
    (SELECT max(created_at) FROM drizzle.__drizzle_migrations)::float8 AS migration`,
}

/** No such schema or table, or none of ours: another database of that server. */
const NO_TABLE = new Set(['3F000', '42P01', '42501'])

/** `reached` is undefined where it has reached none of them yet. */
type Found = { reached: Moment | undefined; migration: number } | { fault: Fault; error: Error | undefined }
type Asked = { snapshot: string; position: string; system: string }
/** `position` is null where it is no replica. */
type There = { position: string | null; system: string; migration: number }

/** However far behind it is: with more, every second one is left out. */
const MOST_WAITING = 50
/** A server that does not answer is away, in milliseconds. */
const PATIENCE = 1000

/** Moments of our own server, and which of them is the newest that a replica has reached. */
function momentsOf(own: pg.Pool, replica: pg.Pool) {
  let waiting: Moment[] = []
  let reached: Moment | undefined

  /** Takes a moment of our server and asks the replica how far it is. Where either of them is away, all is forgotten. */
  const next = async (): Promise<Found> => {
    const began = performance.now()
    const asked = await one<Asked>(own, MOMENT).catch(asError)
    if (asked instanceof Error) return forget('unknown', asked)
    if (waiting.length === MOST_WAITING) waiting = waiting.filter((_, index) => index % 2 === 0)
    waiting.push({ snapshot: asked.snapshot, position: placeOf(asked.position), began })
    const there = await one<There>(replica, REACHED).catch(asError)
    if (there instanceof Error) return forget(NO_TABLE.has(errorCode(there) ?? '') ? 'other' : 'away', there)
    if (there.position === null || there.system !== asked.system) return forget('other')
    const place = placeOf(there.position)
    reached = waiting.findLast(({ position }) => position <= place) ?? reached
    waiting = waiting.filter(({ position }) => position > place)
    return { reached, migration: there.migration }
  }
  const forget = (fault: Fault, error?: Error) => {
    // It may come back as another one, restored to an earlier state.
    waiting = []
    reached = undefined
    return { fault, error }
  }
  return { next }
}

async function one<Row extends pg.QueryResultRow>(from: pg.Pool, statement: pg.QueryConfig): Promise<Row> {
  const { rows } = await from.query<Row>({ ...statement, query_timeout: PATIENCE } as pg.QueryConfig)
  return rows[0] as Row
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** A place in the log, as in `1A/2B3C`, as a number. */
function placeOf(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
