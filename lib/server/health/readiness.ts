import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import { knownMigrations } from '#lib/platform/db/migration-files.ts'

const PATIENCE_MS = 1000

/** What stands in the way of answering requests. */
export type Missing = 'database' | 'migrations'

let asking: Promise<Missing | undefined> | undefined

/** What this process lacks, found out within a second. Anybody may ask: however many do, one connection is used. */
export function whatIsMissing(): Promise<Missing | undefined> {
  asking ??= ask().finally(() => {
    asking = undefined
  })
  return asking
}

let newest: number | undefined

/** When the newest migration of this release was made: that does not change while it runs. */
export function newestMigration(): number {
  newest ??= Math.max(...knownMigrations().map(({ when }) => when))
  return newest
}

async function ask(): Promise<Missing | undefined> {
  const late = new AbortController()
  const statement = {
    // They are applied in their order. A later release may have added its own.
    text: 'SELECT EXISTS (SELECT FROM drizzle.__drizzle_migrations WHERE created_at >= $1) AS applied',
    values: [newestMigration()],
    query_timeout: PATIENCE_MS,
  }
  const answer = database()
    .jobs.query<{ applied: boolean }>(statement)
    .then(
      ({ rows }) => (rows[0]?.applied ? undefined : ('migrations' as const)),
      () => 'database' as const,
    )
  const patience = sleep(PATIENCE_MS, 'database' as const, { signal: late.signal }).catch(() => undefined)
  return Promise.race([answer, patience]).finally(() => late.abort())
}
