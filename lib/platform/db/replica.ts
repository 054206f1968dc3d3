import type pg from 'pg'
import { errorCode } from '#lib/platform/api/problem.ts'

/** A server that follows ours and may be a little behind: for reads whose rows may be old, never for a decision. */
export type Replica = {
  /** As the pools of the same names on our own server. */
  reads: pg.Pool
  streams: pg.Pool
  /** Finds out how far it is: as often as anybody wants, one at a time. Never throws. */
  refresh(): Promise<Unavailability | undefined>
  /** What the latest look found, and whether that was too long ago. */
  unavailability(): Unavailability | undefined
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
  let replicatedMoment: Moment | undefined
  let broken: Unavailability | undefined
  let error: Error | undefined
  let migration: number | undefined
  let looking: Promise<Unavailability | undefined> | undefined

  const isRecent = (moment: Moment | undefined) =>
    moment !== undefined && performance.now() - moment.began <= mostBehind
  const unavailability = () => broken ?? (isRecent(replicatedMoment) ? undefined : 'behind')
  const refresh = async () => {
    const replicaState = await moments.next()
    broken = 'unavailability' in replicaState ? replicaState.unavailability : undefined
    error = 'unavailability' in replicaState ? replicaState.error : undefined
    replicatedMoment = 'unavailability' in replicaState ? undefined : replicaState.replicatedMoment
    migration = 'unavailability' in replicaState ? undefined : replicaState.migration
    return unavailability()
  }
  return {
    reads,
    streams,
    unavailability,
    error: () => error,
    migration: () => migration,
    refresh() {
      looking ??= refresh().finally(() => {
        looking = undefined
      })
      return looking
    },
    async shows(customerId) {
      if (unavailability() !== undefined || replicatedMoment === undefined) return false
      const values = [customerId, replicatedMoment.snapshot]
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
export type Unavailability = 'away' | 'behind' | 'other' | 'unknown'

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
const REPLICA_STATE = {
  name: 'reached',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text AS position,
    (SELECT system_identifier FROM pg_control_system())::text AS system,
    (SELECT max(created_at) FROM drizzle.__drizzle_migrations)::float8 AS migration`,
}

/** No such schema or table, or none of ours: another database of that server. */
const NO_TABLE = new Set(['3F000', '42P01', '42501'])

/** `reached` is undefined where it has reached none of them yet. */
type ReplicaState =
  | { replicatedMoment: Moment | undefined; migration: number }
  | { unavailability: Unavailability; error: Error | undefined }
type PrimaryPosition = { snapshot: string; position: string; system: string }
/** `position` is null where it is no replica. */
type There = { position: string | null; system: string; migration: number }

/** However far behind it is: with more, every second one is left out. */
const MAX_WAITING_MOMENTS = 50
/** A server that does not answer is away, in milliseconds. */
const QUERY_TIMEOUT_MS = 1000

/** Moments of our own server, and which of them is the newest that a replica has reached. */
function momentsOf(primary: pg.Pool, replica: pg.Pool) {
  let waiting: Moment[] = []
  let replicatedMoment: Moment | undefined

  /** Takes a moment of our server and asks the replica how far it is. Where either of them is away, all is forgotten. */
  const next = async (): Promise<ReplicaState> => {
    const began = performance.now()
    const primaryPosition = await one<PrimaryPosition>(primary, MOMENT).catch(asError)
    if (primaryPosition instanceof Error) return forget('unknown', primaryPosition)
    if (waiting.length === MAX_WAITING_MOMENTS) waiting = waiting.filter((_, index) => index % 2 === 0)
    waiting.push({ snapshot: primaryPosition.snapshot, position: parseLsn(primaryPosition.position), began })
    const there = await one<There>(replica, REPLICA_STATE).catch(asError)
    if (there instanceof Error) return forget(NO_TABLE.has(errorCode(there) ?? '') ? 'other' : 'away', there)
    if (there.position === null || there.system !== primaryPosition.system) return forget('other')
    const replayed = parseLsn(there.position)
    replicatedMoment = waiting.findLast(({ position }) => position <= replayed) ?? replicatedMoment
    waiting = waiting.filter(({ position }) => position > replayed)
    return { replicatedMoment, migration: there.migration }
  }
  const forget = (unavailability: Unavailability, error?: Error) => {
    // It may come back as another one, restored to an earlier state.
    waiting = []
    replicatedMoment = undefined
    return { unavailability, error }
  }
  return { next }
}

async function one<Row extends pg.QueryResultRow>(from: pg.Pool, query: pg.QueryConfig): Promise<Row> {
  const { rows } = await from.query<Row>({ ...query, query_timeout: QUERY_TIMEOUT_MS } as pg.QueryConfig)
  return rows[0] as Row
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** A place in the log, as in `1A/2B3C`, as a number. */
function parseLsn(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
