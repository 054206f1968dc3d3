import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import type { Fault, Replica } from '#lib/platform/db/replica.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { newestMigration } from './readiness.ts'

/** Between two looks, and between two rounds of sweeping, in milliseconds. */
const LOOK = 200
const SWEEP = 60_000
const PATIENCE = 10_000

// A replica that does not show these yet is too far behind to be read from.
const SWEEP_UP = "DELETE FROM recent_writes WHERE at < now() - interval '1 minute'"

/**
 * Looks at the replica of DATABASE_READ_URL, if there is one, until it is told to stop. While it can't be used all
 * reads go to our own server, and the log says so once.
 * @param patience how long it may take until the replica has the migrations of this release, in milliseconds
 * @throws Error where the server there is no replica of ours, or has an older schema; one that is away is fine
 */
export async function watchReplica(patience = PATIENCE): Promise<{ stop(): void }> {
  const { replica } = database()
  if (!replica) return { stop() {} }
  const stopping = new AbortController()
  await expectReplica(replica, patience)
  watch(replica, stopping.signal).catch((error: unknown) =>
    log().error({ err: error }, 'replica not watched'),
  )
  return { stop: () => stopping.abort() }
}

async function watch(replica: Replica, signal: AbortSignal): Promise<void> {
  let said: Fault | undefined
  let sweptAt = performance.now()
  while (!signal.aborted) {
    const fault = await replica.look()
    const error = replica.error()
    if (fault && fault !== said)
      log().warn({ fault, ...(error && { reason: reasonOf(error) }) }, 'replica not read from')
    if (!fault && said) log().info('replica read from again')
    said = fault
    if (performance.now() - sweptAt > SWEEP) {
      sweptAt = performance.now()
      await sweep().catch((error) => log().warn({ reason: reasonOf(error) }, 'recent writes not swept'))
    }
    await sleep(LOOK, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Lets go what is known of writes that each replica shows by now: it is a minute old, at least. */
export async function sweep(): Promise<void> {
  await database().jobs.query(SWEEP_UP)
}

/** Refuses what would be read in the place of our server though it is something else. */
async function expectReplica(replica: Replica, patience: number): Promise<void> {
  const until = performance.now() + patience
  for (;;) {
    if ((await replica.look()) === 'other')
      throw new Error(
        'The database of DATABASE_READ_URL is no replica of that of DATABASE_URL: it takes writes, or is another one.',
      )
    const migration = replica.migration()
    if (migration === undefined || migration >= newestMigration()) return
    if (performance.now() > until)
      throw new Error(
        'The database of DATABASE_READ_URL has an older schema than this release: it is too far behind.',
      )
    await sleep(LOOK)
  }
}
