import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '../client.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { onDatabase } from './test-server.ts'

type Reusable = {
  database: TestDatabase
  superuser: pg.Client
  filled: string[]
  isUsed: boolean
  before?: Database | undefined
}
const slot = globalThis as {
  closeReusableDatabase?: () => Promise<void>
  licensesInvoicesDatabase?: Database | undefined
}
let reusable: Reusable | undefined

/**
 * Returns an empty database for one test of many in a file: `close` empties it for the file's next test, whose
 * statements find warm connections, at a fraction of the cost of another database. test-restore.ts drops it at the end
 * of the file. Only where the tests have a superuser, and for tests that leave the schema as it is; otherwise each test
 * gets another database.
 */
export async function reusableDatabase(): Promise<TestDatabase> {
  const url = inject('superuserUrl')
  if (!url || reusable?.isUsed) return testDatabase()
  const before = slot.licensesInvoicesDatabase
  reusable ??= await open(url)
  const { database } = reusable
  Object.assign(reusable, { isUsed: true, before })
  // What a process remembers of a database (`perDatabase`) belongs to this test.
  const opened = { ...database.opened }
  slot.licensesInvoicesDatabase = opened
  return { ...database, opened, close: empty }
}

async function open(url: string): Promise<Reusable> {
  const database = await testDatabase()
  const superuser = new pg.Client({
    connectionString: onDatabase(url, new URL(database.url).pathname.slice(1)),
  })
  superuser.on('error', () => {})
  await superuser.connect()
  const { rows } = await superuser.query<{ table: string }>(TABLES_WITH_ROWS)
  slot.closeReusableDatabase = async () => {
    delete slot.closeReusableDatabase
    reusable = undefined
    await superuser.end()
    await database.close()
  }
  return { database, superuser, filled: rows.map(({ table }) => table), isUsed: false }
}

const TABLES_WITH_ROWS = `SELECT c.oid::regclass::text AS table FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)' AND pg_relation_size(c.oid) > 0`

/** Deletes all rows but those of the tables that the template has filled. */
async function empty(): Promise<void> {
  if (!reusable) return
  const { database, superuser, filled, before } = reusable
  const { app, reads, streams, keys, leaks, sessions, signIn, jobs } = database.opened
  const isBusy = (pool: pg.Pool) => pool.waitingCount > 0 || pool.idleCount < pool.totalCount
  while ([app, reads, streams, keys, leaks, sessions, signIn, jobs].some(isBusy))
    // Fixed wait: polling interval, as the end of a pool waits for its connections.
    await pause(2)
  slot.licensesInvoicesDatabase = before
  const { rows } = await superuser.query<{ table: string }>(TABLES_WITH_ROWS)
  const deletes = rows.flatMap(({ table }) => (filled.includes(table) ? [] : [`DELETE FROM ${table}`]))
  // Without triggers and foreign keys.
  const statements = ['BEGIN', 'SET LOCAL session_replication_role = replica', ...deletes, 'COMMIT']
  try {
    await superuser.query(statements.join('; '))
    reusable.isUsed = false
  } catch {
    // A deadlock with work that goes on after its test: the next test gets another database.
    await slot.closeReusableDatabase?.()
  }
}
