import type pg from 'pg'
import type { Migration } from './files.ts'

/**
 * How long a migration waits for a lock, in milliseconds. Whoever comes later waits behind it: so it is shorter than a
 * read of the service waits (lib/platform/db/client.ts).
 */
const LOCK_WAIT = 150
/** As long as a statement may hold its locks, in milliseconds. */
const STATEMENT = 10_000
/** Those up to this one are older than these limits: they change all rows at once, however many there are. */
const LAST_UNLIMITED = 28

/** What vacuums, and whatever else locks nobody's rows, is waited for as long, in milliseconds. */
const HARMLESS_WAIT = 5000
const INDEX_WAIT = 600_000

const DONE = 'INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)'

/** Applies a migration in one transaction, or leaves nothing of it. */
export async function applyWhole(client: pg.Client, migration: Migration): Promise<void> {
  const isLimited = Number.parseInt(migration.name, 10) > LAST_UNLIMITED
  await client.query('BEGIN')
  try {
    await keepVacuumsAway(client)
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT}`)
    await client.query(`SET LOCAL statement_timeout = ${isLimited ? STATEMENT : 0}`)
    for (const statement of migration.statements) await client.query(statement)
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
async function keepVacuumsAway(client: pg.Client): Promise<void> {
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
export async function applyInSteps(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('SET statement_timeout = 0')
  await client.query(`SET lock_timeout = ${INDEX_WAIT}`)
  for (const statement of migration.statements) {
    const index = /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/i.exec(
      statement,
    )?.[1]
    if (index !== undefined && (await isBuilt(client, index))) continue
    await client.query(statement)
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
