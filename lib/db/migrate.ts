import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { withoutValues } from './failure.ts'
import { ensureRoles } from './roles.ts'

/** The committed SQL, forward only. */
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

// Any number will do, as long as nothing else on the server takes it.
const ADVISORY_LOCK = 7_120_115_322

/**
 * Brings the database at `url` to the newest migration. Safe when several processes start at once: one
 * migrates under an advisory lock, the others wait for it (60 s at most).
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    statement_timeout: 60_000,
  })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK])
    await ensureRoles(client)
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS })
  } catch (error) {
    throw withoutValues(error)
  } finally {
    await client.end()
  }
}

/** The migrations of this release, the first one first; `when` each was made, in epoch milliseconds. */
export function knownMigrations(): { name: string; when: number }[] {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'))
  return entries.map(({ tag, when }: { tag: string; when: number }) => ({ name: tag, when }))
}
