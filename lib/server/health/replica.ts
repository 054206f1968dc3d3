import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import type { Replica, Unavailability } from '#lib/platform/db/replica.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { newestMigration } from './readiness.ts'

/** Interval of the checks, and of the sweeps, in milliseconds. */
const CHECK_INTERVAL_MS = 200
const SWEEP = 60_000
const START_TIMEOUT_MS = 10_000

// A replica without these migrations is too far behind to be used.
const SWEEP_UP = "DELETE FROM recent_writes WHERE at < now() - interval '1 minute'"

/**
 * Watches the replica of DATABASE_READ_URL, where one is set, until stopped. While the replica is unusable, all reads
 * use the primary server, and the log reports it once.
 * @param timeoutMs time for the replica to get the migrations of this release, in milliseconds
 * @throws Error where that server is not a replica of ours, or has an older schema, or the database is distributed by
 * Citus; an unavailable one is accepted
 */
export async function watchReplica(timeoutMs = START_TIMEOUT_MS): Promise<{ stop(): void }> {
  const { replica, jobs } = database()
  if (!replica) return { stop() {} }
  const { rows } = await jobs.query<{ distributed: boolean }>("SELECT is_spread('invoices') AS distributed")
  if (rows[0]?.distributed)
    throw new Error(
      'DATABASE_READ_URL is not for a database distributed by Citus: how far the replica of the coordinator is says nothing about those of the workers.',
    )
  const stopping = new AbortController()
  await expectReplica(replica, timeoutMs)
  watch(replica, stopping.signal).catch((error: unknown) =>
    log().error({ err: error }, 'replica not watched'),
  )
  return { stop: () => stopping.abort() }
}

async function watch(replica: Replica, signal: AbortSignal): Promise<void> {
  let reported: Unavailability | undefined
  let sweptAt = performance.now()
  while (!signal.aborted) {
    const unavailability = await replica.refresh()
    const error = replica.error()
    if (unavailability && unavailability !== reported)
      log().warn(
        { fault: unavailability, ...(error && { reason: reasonOf(error) }) },
        'replica not read from',
      )
    if (!unavailability && reported) log().info('replica read from again')
    reported = unavailability
    if (performance.now() - sweptAt > SWEEP) {
      sweptAt = performance.now()
      await sweep().catch((error) => log().warn({ reason: reasonOf(error) }, 'recent writes not swept'))
    }
    await sleep(CHECK_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Removes recent writes that each replica shows by now: they are at least a minute old. */
export async function sweep(): Promise<void> {
  await database().jobs.query(SWEEP_UP)
}

/** Throws where the server is not a replica of ours: reads would return other data. */
async function expectReplica(replica: Replica, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs
  for (;;) {
    if ((await replica.refresh()) === 'other')
      throw new Error(
        'The database of DATABASE_READ_URL is no replica of that of DATABASE_URL: it takes writes, or is another one.',
      )
    const migration = replica.migration()
    if (migration === undefined || migration >= newestMigration()) return
    if (performance.now() > until)
      throw new Error(
        'The database of DATABASE_READ_URL has an older schema than this release: it is too far behind.',
      )
    await sleep(CHECK_INTERVAL_MS)
  }
}
