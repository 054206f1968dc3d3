import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { withoutValues } from './failure.ts'
import { loginOf, ownerOf } from './logins.ts'
import { ensureLogins } from './roles.ts'

/** The committed SQL, forward only. */
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

// Any number will do, as long as nothing else on the server takes it.
const ADVISORY_LOCK = 7_120_115_322

/**
 * Brings the database at `url` to the newest migration. Safe when several processes start at once: one
 * migrates under an advisory lock, the others wait for it (60 s at most).
 */
export async function migrate(url: string, options: { renew?: boolean } = {}): Promise<void> {
  const client = new pg.Client({
    ...ownerOf(url),
    connectionTimeoutMillis: 5000,
    statement_timeout: 60_000,
  })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK])
    await ensureLogins(client, options)
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS })
  } catch (error) {
    throw withoutValues(error)
  } finally {
    await client.end()
  }
}

/**
 * Looks, as the login of the jobs, whether somebody has migrated the database.
 * @throws Error that says what to run, where a migration of this release is missing
 */
export async function checkMigrated(url: string): Promise<void> {
  const client = new pg.Client({ ...loginOf(url, 'console_jobs'), connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ when: string }>(
      'SELECT created_at AS when FROM drizzle.__drizzle_migrations',
    )
    const done = new Set(rows.map(({ when }) => Number(when)))
    const missing = knownMigrations().filter(({ when }) => !done.has(when))
    if (missing.length === 0) return
    const names = missing.map(({ name }) => name).join(', ')
    throw new Error(`The database lacks ${names}: run \`npm run admin -- database migrate\` as its owner.`)
  } finally {
    await client.end()
  }
}

/** The migrations of this release, the first one first; `when` each was made, in epoch milliseconds. */
export function knownMigrations(): { name: string; when: number }[] {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8'))
  return entries.map(({ tag, when }: { tag: string; when: number }) => ({ name: tag, when }))
}
