import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../client.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { onDatabase } from './test-server.ts'

/** A database that a test has left empty, with its connections. */
type Spare = { database: TestDatabase; superuser: pg.Client; schema: string }

/** Database for the next test of this worker. It ends with the test server. */
let spare: Spare | undefined
const slot = globalThis as typeof globalThis & { licensesInvoicesDatabase?: Database | undefined }

/**
 * Returns a migrated, empty database like `testDatabase`, for many tests that each need one: `close` deletes its rows
 * and keeps it, with its connections, for the next test of this worker. A database whose schema has changed is dropped.
 * Without a superuser, whom neither row-level security nor foreign keys stop, each call makes a new database.
 */
export async function emptiedDatabase(): Promise<TestDatabase> {
  const url = inject('superuserUrl')
  if (url === '') return testDatabase()
  const before = slot.licensesInvoicesDatabase
  const { database, superuser, schema } = spare ?? (await newDatabase(url))
  spare = undefined
  slot.licensesInvoicesDatabase = database.opened
  return {
    ...database,
    async close() {
      if (slot.licensesInvoicesDatabase === database.opened) slot.licensesInvoicesDatabase = before
      await idle(database.opened)
      if (spare || (await schemaOf(superuser)) !== schema) {
        await superuser.end()
        return database.close()
      }
      await superuser.query(DELETE_ALL)
      spare = { database, superuser, schema }
    },
  }
}

async function newDatabase(superuserUrl: string): Promise<Spare> {
  const database = await testDatabase()
  const superuser = new pg.Client(onDatabase(superuserUrl, new URL(database.url).pathname.slice(1)))
  superuser.on('error', () => {})
  await superuser.connect()
  return { database, superuser, schema: await schemaOf(superuser) }
}

/** Waits until no statement of an earlier test is running. */
async function idle({ app, reads, streams, keys, leaks, sessions, signIn, jobs }: Database): Promise<void> {
  const pools = [app, reads, streams, keys, leaks, sessions, signIn, jobs]
  const isBusy = (pool: pg.Pool) => pool.waitingCount > 0 || pool.idleCount < pool.totalCount
  while (pools.some(isBusy)) await new Promise(setImmediate)
}

/** Returns a digest of the properties of tables and triggers that tests change. */
async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`
    SELECT md5(string_agg(concat(relname, relnatts, relrowsecurity, relforcerowsecurity), ',' ORDER BY oid)) || (
      SELECT md5(string_agg(concat(tgname, tgenabled), ',' ORDER BY oid)) FROM pg_trigger) AS digest
    FROM pg_class WHERE relnamespace = 'public'::regnamespace`)
  return rows[0].digest
}

/** Deletes all rows but those of the migrations. */
const DELETE_ALL = `
  SET session_replication_role = replica;
  DO $$ DECLARE filled regclass; BEGIN
    FOR filled IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relname <> 'backfills' AND pg_relation_size(oid) > 0
    LOOP
      EXECUTE format('DELETE FROM %s', filled);
    END LOOP;
  END $$;`
