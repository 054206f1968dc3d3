import type pg from 'pg'
import { errorCode } from '#lib/platform/api/error-mapper.ts'

/** Standby of the primary that may lag a little: for reads whose rows may be old, never for a decision. */
export type Replica = {
  /** Like the pools of these names on the primary. */
  reads: pg.Pool
  streams: pg.Pool
  /** Checks how far the replica has replayed. Concurrent calls share one check. Never throws. */
  refresh(): Promise<Unavailability | undefined>
  /** Returns the result of the latest check, or `behind` if the check is too old. */
  unavailability(): Unavailability | undefined
  /** Returns the error of the latest check. */
  error(): Error | undefined
  /** Returns the creation time of the replica's newest migration, by the latest check. */
  migration(): number | undefined
  /**
   * Returns whether the replica is recent enough and shows all writes for this customer, by any process. Costs a short
   * query on the primary.
   */
  shows(customerId: string): Promise<boolean>
  /** Marks the replica as away until the next check, after a connection to it broke. */
  broke(): void
  close(): Promise<void>
}

type Pools = Pick<Replica, 'reads' | 'streams'> & {
  /** On the replica: queries its replay position. */
  watch: pg.Pool
  /** On the primary. */
  keys: pg.Pool
}

// Writes outside of the snapshot of a moment that the replica has reached may be missing there. Independent of any
// clock.
// Each transaction that writes rows of a customer replaces the version of the customer, also in processes without this
// setting: its row has 32 bits of the last one's id, to which the epoch is added. `recent_writes` has those of the previous
// release. In the first minute of a day, the clock of the replica may still be in the day before.
const UNSEEN = {
  name: 'unseen-writes',
  text: `SELECT (now() AT TIME ZONE 'UTC')::time < '00:01'
    OR EXISTS (SELECT FROM customer_versions v,
        CAST(pg_snapshot_xmax(pg_current_snapshot())::text AS bigint) next
      WHERE v.customer_id = $1 AND NOT pg_visible_in_snapshot(
        (next - ((next - v.xmin::text::bigint) & 4294967295))::text::xid8, $2::pg_snapshot))
    OR EXISTS (SELECT FROM unversioned_writes
      WHERE customer_id = $1 AND NOT pg_visible_in_snapshot(transaction, $2::pg_snapshot))
    OR EXISTS (SELECT FROM recent_writes
      WHERE customer_id = $1 AND NOT pg_visible_in_snapshot(transaction, $2::pg_snapshot)) AS unseen`,
}

/**
 * Returns the replica of these pools.
 * @param mostBehind largest age of its rows, in milliseconds
 */
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
 * Reason why a replica is not used. `other`: it does not replicate our primary any more. `unknown`: the primary does
 * not report its own position.
 */
export type Unavailability = 'away' | 'behind' | 'other' | 'unknown'

/** Moment of the primary. */
type Moment = {
  /** Start of the query for the moment, by `performance.now()`. */
  began: number
  /** Snapshot of the ended transactions. */
  snapshot: string
  /** Position in the WAL after all their writes. */
  position: bigint
}

// The snapshot is taken before the position is read. With synchronous commit, as by default, visible transactions are
// flushed already, so the flush position suffices; the insert position would make us wait for later writes.
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

/** SQLSTATEs of a missing or foreign schema or table: another database of that server. */
const NO_TABLE = new Set(['3F000', '42P01', '42501'])

/** `replicatedMoment` is undefined while the replica has reached none. */
type ReplicaState =
  | { replicatedMoment: Moment | undefined; migration: number }
  | { unavailability: Unavailability; error: Error | undefined }
type PrimaryPosition = { snapshot: string; position: string; system: string }
/** `position` is null if the server is not a replica. */
type There = { position: string | null; system: string; migration: number }

/** Most moments to remember: beyond, every second one is dropped. */
const MAX_WAITING_MOMENTS = 50
/** Time in milliseconds after which an unresponsive server counts as away. */
const QUERY_TIMEOUT_MS = 1000

/** Tracks moments of the primary, and the newest one that the replica has reached. */
function momentsOf(primary: pg.Pool, replica: pg.Pool) {
  let waiting: Moment[] = []
  let replicatedMoment: Moment | undefined

  /**
   * Records a moment of the primary and reads the replica's position. If either is unreachable, all moments are
   * dropped.
   */
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
    // The replica may return as another server, restored to an earlier state.
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

/** Parses a WAL position (LSN), such as `1A/2B3C`. */
function parseLsn(text: string): bigint {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
