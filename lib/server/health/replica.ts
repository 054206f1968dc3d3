import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import type { Replica, Unavailability } from '#lib/platform/db/replica.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { newestMigration } from './readiness.ts'

/** Between two looks, and between two rounds of sweeping, in milliseconds. */
const CHECK_INTERVAL_MS = 200
const SWEEP = 60_000
const START_TIMEOUT_MS = 10_000

// A replica that does not show these yet is too far behind to be read from.
const SWEEP_UP = "DELETE FROM recent_writes WHERE at < now() - interval '1 minute'"

/**
 * Looks at the replica of DATABASE_READ_URL, if there is one, until it is told to stop. While it can't be used all
 * reads go to our own server, and the log says so once.
 * @param timeoutMs how long it may take until the replica has the migrations of this release, in milliseconds
 * @throws Error where the server there is no replica of ours, or has an older schema; one that is away is fine
 */
export async function watchReplica(timeoutMs = START_TIMEOUT_MS): Promise<{ stop(): void }> {
  const { replica } = database()
  if (!replica) return { stop() {} }
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

/** Lets go what is known of writes that each replica shows by now: it is a minute old, at least. */
export async function sweep(): Promise<void> {
  await database().jobs.query(SWEEP_UP)
}

/** Refuses what would be read in the place of our server though it is something else. */
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
