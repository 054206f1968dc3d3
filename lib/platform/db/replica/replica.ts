import type pg from 'pg'
import { type Fault, type Moment, momentsOf } from './moments.ts'

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
