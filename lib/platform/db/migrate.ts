import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { isPooled } from './client.ts'
import { loginOf, ownerOf } from './logins.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { ensureLogins, lackLogins } from './roles.ts'

type Options = {
  /** With the migrations and drizzle's journal of them. */
  folder?: string
  /** How long to wait for another process that migrates, and for each migration's locks, in milliseconds. */
  timeouts?: { migrationLock: number; locks: number }
  /** Gives logins that were made with another DATABASE_SECRET the passwords of this one. */
  renew?: boolean
  /** Somebody says that this address leads to the server itself, whatever it looks like. */
  isDirect?: boolean
}

const DEFAULT_TIMEOUTS_MS = { migrationLock: 600_000, locks: 300_000 }

/**
 * Brings the database at `url` to the newest migration, while others use it: each migration is a transaction of its own,
 * or as many steps as it has statements, and none waits long for a lock. Safe when several processes start at once, and
 * after a crash. A database that has all migrations is left at once, whoever migrates it meanwhile.
 * @throws Error that names the migration; those before it stay
 */
export async function migrate(
  url: string,
  { folder, timeouts = DEFAULT_TIMEOUTS_MS, renew = false, isDirect = false }: Options = {},
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
    await withMigrationLock(url, timeouts.migrationLock, async (check) => {
      await ensureLogins(client, { renew })
      await client.query(JOURNAL)
      const open = await missing(client, all)
      for (const migration of open) {
        check()
        const began = performance.now()
        await apply(client, migration, timeouts.locks)
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

async function apply(client: pg.Client, migration: Migration, timeoutMs: number): Promise<void> {
  const one = migration.inTransaction ? applyWhole : applyInSteps
  try {
    await untilUnlocked(client, migration.name, timeoutMs, () => one(client, migration))
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
    await withMigrationLock(url, DEFAULT_TIMEOUTS_MS.migrationLock, () => ensureLogins(client, options))
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

/**
 * How long a migration waits for a lock, in milliseconds. Whoever comes later waits behind it: so it is shorter than a
 * read of the service waits (lib/platform/db/client.ts).
 */
const LOCK_WAIT = 150
/** As long as a statement may hold its locks, in milliseconds. */
const QUERY_TIMEOUT_MS = 10_000
/** Those up to this one are older than these limits: they change all rows at once, however many there are. */
const LAST_UNLIMITED = 28

/** What vacuums, and whatever else locks nobody's rows, is waited for as long, in milliseconds. */
const HARMLESS_WAIT = 5000
const INDEX_WAIT = 600_000

const DONE = 'INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)'

/** Applies a migration in one transaction, or leaves nothing of it. */
async function applyWhole(client: pg.Client, migration: Migration): Promise<void> {
  const isLimited = Number.parseInt(migration.name, 10) > LAST_UNLIMITED
  await client.query('BEGIN')
  try {
    await blockVacuums(client)
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT}`)
    await client.query(`SET LOCAL statement_timeout = ${isLimited ? QUERY_TIMEOUT_MS : 0}`)
    for (const query of migration.queries) await client.query(query)
    await client.query(DONE, [migration.hash, migration.when])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * PostgreSQL ends its own vacuum of a table for whoever waits for a second, which is too long to wait with a lock that
 * keeps readers out. This lock keeps out vacuums, and nobody else waits behind it.
 */
async function blockVacuums(client: pg.Client): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${HARMLESS_WAIT}`)
  await client.query(`DO $$ DECLARE tables text; BEGIN
    SELECT string_agg(oid::regclass::text, ', ' ORDER BY oid) INTO tables FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE');
    IF tables IS NOT NULL THEN EXECUTE 'LOCK TABLE ' || tables || ' IN SHARE UPDATE EXCLUSIVE MODE'; END IF;
  END $$`)
}

/**
 * Applies a migration statement by statement, each for itself. One that was cut off is applied from its beginning: what
 * it has done must be harmless to repeat, which `test/architecture/migrations.test.ts` holds.
 */
async function applyInSteps(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('SET statement_timeout = 0')
  await client.query(`SET lock_timeout = ${INDEX_WAIT}`)
  for (const query of migration.queries) {
    const index = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/i.exec(
      query,
    )?.[1]
    if (index !== undefined && (await isBuilt(client, index))) continue
    await client.query(query)
  }
  await client.query(DONE, [migration.hash, migration.when])
}

/** Whether an index is there and whole. What a build that was cut off has left is dropped. */
async function isBuilt(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT indisvalid AS whole FROM pg_index WHERE indexrelid = to_regclass(format('public.%I', $1::text))",
    [name],
  )
  if (rows[0] && !rows[0].whole) await client.query(`DROP INDEX CONCURRENTLY "${name}"`)
  return rows[0]?.whole ?? false
}

/** Pauses between tries, in milliseconds. */
const INITIAL_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000

/** Who holds what for longer than a try waits, or waits for it in the other order. */
const LOCK_ERRORS = new Set(['55P03', '40P01'])

/**
 * Tries again and again what did not get its locks, with growing pauses.
 * @param timeoutMs after which it is not tried again, in milliseconds
 * @throws Error that names the migration and the transactions that run for the longest time
 */
export async function untilUnlocked(
  client: pg.Client,
  name: string,
  timeoutMs: number,
  attempt: () => Promise<void>,
): Promise<void> {
  const end = performance.now() + timeoutMs
  for (let tries = 1, pause = INITIAL_PAUSE_MS; ; tries++, pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!LOCK_ERRORS.has((error as { code?: string }).code ?? '')) throw error
      if (performance.now() + pause > end)
        throw new Error(
          `it did not get its locks, tried ${tries} times: it never waits for long, so that nobody waits behind it. ${await oldest(client)} What is applied stays, and the next start goes on.`,
          { cause: error },
        )
      log().warn({ migration: name, tries }, 'migration: what it changes is held by others, trying again')
      await sleep(pause)
    }
  }
}

async function oldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ told: string }>(
    `SELECT format('process %s, %s, for %s s', pid, coalesce(nullif(application_name, ''), usename),
       round(extract(epoch FROM statement_timestamp() - xact_start))) AS told
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
       AND query NOT LIKE '%pg_try_advisory_xact_lock%'
     ORDER BY xact_start LIMIT 3`,
  )
  return rows.length === 0 ? '' : `The oldest transactions: ${rows.map(({ told }) => told).join('; ')}.`
}

// Any number will do, as long as nothing else on the server takes it.
const ADVISORY_LOCK = 7_120_115_322

const AGAIN = 250

/**
 * Runs `work` while no other process changes this database's tables. The turn is a lock of a transaction on a
 * connection of its own: it goes with its process, however that ends, and a pooler between can't hand it to others. The
 * transaction does nothing, so that it keeps no vacuum from its work and no index from being built.
 * @param timeoutMs how long to wait for another process, in milliseconds
 * @param work is given a check that throws where the turn was lost
 * @throws Error where the other one is not done by then
 */
async function withMigrationLock(
  url: string,
  timeoutMs: number,
  work: (check: () => void) => Promise<void>,
): Promise<void> {
  const guard = new pg.Client({ ...ownerOf(url), connectionTimeoutMillis: 5000, keepAlive: true })
  let lost: Error | undefined
  guard.on('error', (error) => {
    lost = error
  })
  await guard.connect()
  try {
    await guard.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
    const end = performance.now() + timeoutMs
    for (let tries = 0; !(await isFree(guard)); tries++) {
      if (tries === 0) log().info('another process migrates the database: waiting for it')
      if (performance.now() > end)
        throw new Error(
          `Another process has been migrating the database for ${Math.round(timeoutMs / 1000)} s and is not done. Start again later.`,
        )
      await sleep(AGAIN)
    }
    await work(() => {
      if (lost)
        throw new Error('The connection that keeps other processes from migrating broke.', { cause: lost })
    })
  } finally {
    // Given back before the connection is, which something between may keep.
    await guard.query('ROLLBACK').catch(() => {})
    await guard.end()
  }
}

async function isFree(guard: pg.Client): Promise<boolean> {
  // Without values: such a statement is over when it is answered. Others keep their snapshot for the whole transaction,
  // and CREATE INDEX CONCURRENTLY would wait for it without end.
  const { rows } = await guard.query(`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS free`)
  return rows[0].free
}
