import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { distribute } from './citus/distribute.ts'
import { hasCitus } from './citus/table-distribution.ts'
import { isPooled } from './client.ts'
import { ensureLogins, lackLogins } from './ensure-logins.ts'
import { loginOf, ownerOf } from './logins.ts'
import { type Migration, readMigrations } from './migration-files.ts'

type Options = {
  /** Folder with the migrations and drizzle's journal of them. */
  folder?: string
  /** Longest waits for another migrating process, and for each migration's locks, in milliseconds. */
  timeouts?: { migrationLock: number; locks: number }
  /** Resets the passwords of logins that were made with another DATABASE_SECRET. */
  renew?: boolean
  /** Declares that this address leads to the server itself, though it looks like a pooler. */
  isDirect?: boolean
}

const DEFAULT_TIMEOUTS_MS = { migrationLock: 600_000, locks: 300_000 }

/**
 * Applies all missing migrations to the database at `url`, while it is in use: each migration is one transaction, or
 * one step per statement, and none waits long for a lock. Safe when several processes start concurrently, and after a
 * crash. An up-to-date database needs no lock. Tables that are new in a distributed database are distributed, too.
 * @throws Error with the migration's name; earlier migrations stay applied
 */
export async function migrate(
  url: string,
  { folder, timeouts = DEFAULT_TIMEOUTS_MS, renew = false, isDirect = false }: Options = {},
): Promise<void> {
  const client = new pg.Client({ ...ownerOf(url), connectionTimeoutMillis: 5000, keepAlive: true })
  // If the connection breaks between two statements, the next statement fails.
  client.on('error', () => {})
  await client.connect()
  try {
    const all = readMigrations(folder)
    const isComplete = !(await lackLogins(client)) && (await missing(client, all)).length === 0
    if (isComplete && !(await hasUndistributed(client, url))) return
    if (!isDirect && (await isPooled(client)))
      throw new Error(
        'DATABASE_URL is a pooler; migrations need the server itself. Give its address in DATABASE_DIRECT_URL.',
      )
    await withMigrationLock(url, timeouts.migrationLock, async (check) => {
      await ensureLogins(client, { renew })
      await client.query(JOURNAL)
      const open = await missing(client, all)
      for (const migration of open) {
        check()
        const began = performance.now()
        await apply(client, migration, timeouts.locks)
        // For a new database, thirty log lines would be noise.
        if (open.length < all.length)
          log().info({ migration: migration.name, ms: Math.round(performance.now() - began) }, 'migrated')
      }
      if (await hasUndistributed(client, url)) await distribute(url)
    })
  } finally {
    await client.end()
  }
}

/** Returns whether a distributed database has tables to move, such as after a distribution that failed. */
async function hasUndistributed(client: pg.Client, url: string): Promise<boolean> {
  if (!(await hasCitus(client))) return false
  const { rows } = await client.query("SELECT FROM pg_dist_partition WHERE partmethod = 'h' LIMIT 1")
  return rows.length > 0 && (await distribute(url, { dryRun: true })).moves.length > 0
}

/** Drizzle's table of migrations: older versions migrated by drizzle's own program. */
const JOURNAL = `CREATE SCHEMA IF NOT EXISTS drizzle;
  CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`

/** Returns the migrations that the database lacks, the oldest first. */
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
 * Creates the missing logins, without migrating.
 * @param options.renew resets the passwords of logins that were made with another DATABASE_SECRET
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
 * Checks, as the login of the jobs, that the database has all migrations of this release.
 * @throws Error with the command to run, where one is missing
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
 * Longest wait of a migration for a lock, in milliseconds. Later queries queue up behind it, so it is shorter than the
 * lock wait of the service's reads (lib/platform/db/client.ts).
 */
const LOCK_WAIT = 150
/** Longest time for which a statement may hold its locks, in milliseconds. */
const QUERY_TIMEOUT_MS = 10_000
/** Last migration without these limits: older ones update all rows in one statement. */
const LAST_UNLIMITED = 28

/** Longest wait for vacuums and other locks that block no rows, in milliseconds. */
const HARMLESS_WAIT = 5000
const INDEX_WAIT = 600_000

const DONE = 'INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)'

/** Applies a migration in one transaction. */
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
 * Takes a lock on all tables that keeps vacuums out and blocks neither reads nor writes. PostgreSQL cancels its
 * autovacuum only for a waiter of one second, which is too long to wait with a lock that blocks readers.
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
 * Applies a migration statement by statement, without a transaction. An interrupted migration is repeated from its
 * beginning: its statements must be idempotent, which `test/architecture/migrations.test.ts` checks.
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

/** Returns whether an index exists and is valid. Drops the invalid index of an interrupted build. */
async function isBuilt(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT indisvalid AS whole FROM pg_index WHERE indexrelid = to_regclass(format('public.%I', $1::text))",
    [name],
  )
  if (rows[0] && !rows[0].whole) await client.query(`DROP INDEX CONCURRENTLY "${name}"`)
  return rows[0]?.whole ?? false
}

/** Pauses between attempts, in milliseconds. */
const INITIAL_PAUSE_MS = 250
const MAX_PAUSE_MS = 10_000

/** SQLSTATEs of a lock that is held for longer than an attempt waits, and of a deadlock. */
const LOCK_ERRORS = new Set(['55P03', '40P01'])

/**
 * Retries an attempt that did not get its locks, with growing pauses.
 * @param timeoutMs time after which there is no further attempt, in milliseconds
 * @throws Error with the migration's name and the longest-running transactions
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
          `it did not get its locks, tried ${tries} times: it never waits for long, so that no one waits behind it. ${await oldest(client)} What is applied stays, and the next start goes on.`,
          { cause: error },
        )
      log().warn({ migration: name, tries }, 'migration: what it changes is held by others, trying again')
      await sleep(pause)
    }
  }
}

async function oldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ description: string }>(
    `SELECT format('process %s, %s, for %s s', pid, coalesce(nullif(application_name, ''), usename),
       round(extract(epoch FROM statement_timestamp() - xact_start))) AS description
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
       AND query NOT LIKE '%pg_try_advisory_xact_lock%'
     ORDER BY xact_start LIMIT 3`,
  )
  return rows.length === 0
    ? ''
    : `The oldest transactions: ${rows.map(({ description }) => description).join('; ')}.`
}

// Arbitrary number, unique on the server.
const ADVISORY_LOCK = 7_120_115_322

const AGAIN = 250

/**
 * Runs `work` under an advisory lock against other migrating processes of this database. The lock belongs to a
 * transaction on a connection of its own: it ends with its process, however that ends, and a pooler in between can't
 * pass it on. The transaction has no snapshot, so that it delays neither vacuum nor index builds.
 * @param timeoutMs longest wait for another process, in milliseconds
 * @param work gets a function that throws if the lock was lost
 * @throws Error if the other process has not finished by then
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
    // Released before the connection, which a pooler may keep.
    await guard.query('ROLLBACK').catch(() => {})
    await guard.end()
  }
}

async function isFree(guard: pg.Client): Promise<boolean> {
  // Without parameters (simple query protocol): the snapshot ends with the statement. The extended protocol keeps the
  // snapshot for the whole transaction, and CREATE INDEX CONCURRENTLY would wait for it forever.
  const { rows } = await guard.query(`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS free`)
  return rows[0].free
}
