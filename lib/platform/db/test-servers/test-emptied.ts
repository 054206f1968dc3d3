import { once } from 'node:events'
import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../client.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { onDatabase } from './test-server.ts'

/** A database that a test has left empty, with its connections. */
type Emptied = { database: TestDatabase; superuser: pg.Client; schema: string }

/** Database for the next test of this worker. It ends with the test server. */
let unused: Emptied | undefined
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
  const { database, superuser, schema } = unused ?? (await newDatabase(url))
  unused = undefined
  slot.licensesInvoicesDatabase = database.opened
  let isClosed = false
  return {
    ...database,
    async close() {
      // After a failure, a test may close the database of the test before once more.
      if (isClosed) return
      isClosed = true
      if (slot.licensesInvoicesDatabase === database.opened) slot.licensesInvoicesDatabase = before
      const isReusable = !unused && (await becomesIdle(database.opened))
      if (!isReusable || (await schemaOf(superuser)) !== schema) {
        await superuser.end()
        return database.close()
      }
      await superuser.query(DELETE_ALL)
      unused = { database, superuser, schema }
    },
  }
}

async function newDatabase(superuserUrl: string): Promise<Emptied> {
  const database = await testDatabase()
  const superuser = new pg.Client(onDatabase(superuserUrl, new URL(database.url).pathname.slice(1)))
  superuser.on('error', () => {})
  await superuser.connect()
  return { database, superuser, schema: await schemaOf(superuser) }
}

/** Longest wait for the statements of a test that has ended, in milliseconds. */
const MAX_WAIT_MS = 5000

/** Waits for statements of a test that has ended; returns whether none is left. */
async function becomesIdle(opened: Database): Promise<boolean> {
  const { app, reads, streams, keys, leaks, sessions, signIn, jobs } = opened
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  for (const pool of [app, reads, streams, keys, leaks, sessions, signIn, jobs]) {
    while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount) {
      const isReleased = await once(pool, 'release', { signal }).then(
        () => true,
        () => false,
      )
      if (!isReleased) return false
    }
  }
  return true
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
