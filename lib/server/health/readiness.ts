import { setTimeout as sleep } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import type { Missing } from './answer.ts'

const TIMEOUT_MS = 1000

let pendingCheck: Promise<Missing | undefined> | undefined

/**
 * Returns the missing requirement, within a second. Concurrent checks share one connection, because any client may send
 * them.
 */
export function whatIsMissing(): Promise<Missing | undefined> {
  pendingCheck ??= checkDatabase().finally(() => {
    pendingCheck = undefined
  })
  return pendingCheck
}

let newest: number | undefined

/** Returns the creation time of this release's newest migration, which is constant at run time. */
export function newestMigration(): number {
  newest ??= Math.max(...listMigrations().map(({ when }) => when))
  return newest
}

async function checkDatabase(): Promise<Missing | undefined> {
  const abort = new AbortController()
  const query = {
    // Migrations are applied in order. A later release may have added more.
    text: 'SELECT EXISTS (SELECT FROM drizzle.__drizzle_migrations WHERE created_at >= $1) AS applied',
    values: [newestMigration()],
    query_timeout: TIMEOUT_MS,
  }
  const answer = database()
    .jobs.query<{ applied: boolean }>(query)
    .then(
      ({ rows }) => (rows[0]?.applied ? undefined : ('migrations' as const)),
      () => 'database' as const,
    )
  const timeout = sleep(TIMEOUT_MS, 'database' as const, { signal: abort.signal }).catch(() => undefined)
  return Promise.race([answer, timeout]).finally(() => abort.abort())
}
