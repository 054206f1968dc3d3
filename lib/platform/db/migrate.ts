import pg from 'pg'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { isPooled } from './connections.ts'
import { loginOf, ownerOf } from './logins.ts'
import { applyInSteps, applyWhole } from './migrating/apply.ts'
import { type Migration, readMigrations } from './migrating/files.ts'
import { untilUnlocked } from './migrating/retries.ts'
import { inTurn } from './migrating/turn.ts'
import { ensureLogins, lackLogins } from './roles.ts'

type Options = {
  /** With the migrations and drizzle's journal of them. */
  folder?: string
  /** How long to wait for another process that migrates, and for each migration's locks, in milliseconds. */
  patience?: { turn: number; locks: number }
  /** Gives logins that were made with another DATABASE_SECRET the passwords of this one. */
  renew?: boolean
  /** Somebody says that this address leads to the server itself, whatever it looks like. */
  isDirect?: boolean
}

const PATIENCE = { turn: 600_000, locks: 300_000 }

/**
 * Brings the database at `url` to the newest migration, while others use it: each migration is a transaction of its own,
 * or as many steps as it has statements, and none waits long for a lock. Safe when several processes start at once, and
 * after a crash. A database that has all migrations is left at once, whoever migrates it meanwhile.
 * @throws Error that names the migration; those before it stay
 */
export async function migrate(
  url: string,
  { folder, patience = PATIENCE, renew = false, isDirect = false }: Options = {},
): Promise<void> {
  const client = new pg.Client({ ...ownerOf(url), connectionTimeoutMillis: 5000, keepAlive: true })
  // Of a connection that breaks between two statements the next one tells.
  client.on('error', () => {})
  await client.connect()
  try {
    const all = readMigrations(folder)
    if (!(await lackLogins(client)) && (await missing(client, all)).length === 0) return
    if (!isDirect && (await isPooled(client)))
      throw new Error(
        'A pooler stands before the database: migrations need the server itself. Give its address in DATABASE_DIRECT_URL.',
      )
    await inTurn(url, patience.turn, async (check) => {
      await ensureLogins(client, { renew })
      await client.query(JOURNAL)
      const open = await missing(client, all)
      for (const migration of open) {
        check()
        const began = performance.now()
        await apply(client, migration, patience.locks)
        // Of a new database nobody wants to read thirty lines.
        if (open.length < all.length)
          log().info({ migration: migration.name, ms: Math.round(performance.now() - began) }, 'migrated')
      }
    })
  } finally {
    await client.end()
  }
}

/** As drizzle keeps it, by whose program older versions have migrated. */
const JOURNAL = `CREATE SCHEMA IF NOT EXISTS drizzle;
  CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`

/** Those that the database does not have yet, the first one first. */
async function missing(client: pg.Client, all: readonly Migration[]): Promise<Migration[]> {
  const { rows: made } = await client.query(
    "SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS made",
  )
  if (!made[0].made) return [...all]
  const { rows } = await client.query('SELECT created_at AS when FROM drizzle.__drizzle_migrations')
  const applied = new Set(rows.map(({ when }) => Number(when)))
  return all.filter(({ when }) => !applied.has(when))
}

async function apply(client: pg.Client, migration: Migration, patience: number): Promise<void> {
  const one = migration.inTransaction ? applyWhole : applyInSteps
  try {
    await untilUnlocked(client, migration.name, patience, () => one(client, migration))
  } catch (error) {
    throw new Error(`The migration ${migration.name} was not applied: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Makes the logins that are missing, and migrates nothing.
 * @param options.renew gives those that were made with another DATABASE_SECRET the passwords of this one
 */
export async function makeLogins(url: string, options: { renew: boolean }): Promise<void> {
  const client = new pg.Client({ ...ownerOf(url), connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    await inTurn(url, PATIENCE.turn, () => ensureLogins(client, options))
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
    const names = (await missing(client, readMigrations())).map(({ name }) => name).join(', ')
    if (names !== '')
      throw new Error(`The database lacks ${names}: run \`npm run admin -- database migrate\` as its owner.`)
  } finally {
    await client.end()
  }
}
