import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { runHere } from '../test-run.ts'

const backfills = vi.hoisted(() => ({ list: [] as unknown[] }))
vi.mock('#lib/server/backfills/list.ts', () => ({ BACKFILLS: backfills.list }))

let db: TestDatabase
let owner: pg.Client
/** Runs a command that opens the database itself, unlike `commandLine`. */
const admin = (args: string) => {
  vi.stubEnv('DATABASE_URL', db.url)
  return runHere(args.split(' '))
}
beforeAll(async () => {
  db = await testDatabase()
  owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  for (const id of ['alder', 'birch']) await addCustomer(id)
  const capitals: Backfill = {
    name: 'capitals',
    async batch(tx, customerId) {
      const { rowCount } = await tx.execute(
        sql`UPDATE billing_profiles SET name = upper(name) WHERE customer_id = ${customerId}`,
      )
      return { count: rowCount ?? 0, last: null }
    },
  }
  backfills.list.push(capitals)
})
afterAll(async () => {
  await owner.end()
  await db.close()
})

const migrations = listMigrations()
const first = `Database   ${migrations.length} migrations, the newest ${migrations.at(-1)?.name}`

test('The command lists open steps and runs them', async () => {
  const output = (await admin('database status --json')).out
  expect(JSON.parse(output)).toEqual({
    migrations: migrations.length,
    newest: migrations.at(-1)?.name,
    backfills: expect.not.arrayContaining([expect.objectContaining({ finished: null })]),
  })
  await owner.query("DELETE FROM backfills; INSERT INTO backfills (name) VALUES ('capitals'), ('later')")
  const open = (await admin('database status')).out
  expect(open.split('\n').slice(0, 2)).toEqual([first, 'Backfills  2 open'])
  expect(open).toMatch(/\ncapitals +0 of 2 +0 +\S+ \S+ +- +-\n/)

  expect(await admin('database backfill')).toEqual({
    code: 0,
    out: 'Nothing is open: 2 rows were looked at.\n',
    err: '',
  })
  expect(await db.sql('birch', 'SELECT name FROM billing_profiles')).toEqual([{ name: 'BIRCH' }])
  const done = (await admin('database status')).out
  expect(done).toMatch(/\ncapitals +all +2 +/)
  // A step unknown to this release stays open, without waiting for it.
  expect(done).toContain('\nBackfills  1 open\n')
})

test('The command repeats a finished backfill, and rejects unknown names', async () => {
  await db.sql('birch', "UPDATE billing_profiles SET name = 'small'")
  expect((await admin('database backfill')).out).toBe('Nothing is open: 0 rows were looked at.\n')
  expect((await admin('database backfill --again capitals')).out).toBe(
    'Nothing is open: 2 rows were looked at.\n',
  )
  expect(await db.sql('birch', 'SELECT name FROM billing_profiles')).toEqual([{ name: 'SMALL' }])
  expect(await admin('database backfill --again nothing')).toMatchObject({
    code: 1,
    err: 'There is no backfill "nothing": database status lists them.\n',
  })
})

test('The command creates the logins and migrates as the owner, and changes nothing the second time', async () => {
  expect(await admin('database logins')).toEqual({ code: 0, out: 'All logins are there.\n', err: '' })
  const done = 'The database has all migrations of this release.\n'
  expect(await admin('database migrate')).toEqual({ code: 0, out: done, err: '' })
})

test('A start without the right to migrate checks whether another process has migrated', async () => {
  vi.stubEnv('MIGRATE_AT_START', '0')
  expect((await admin('database status')).code).toBe(0)
  const [newest] = migrations.slice(-1)
  await owner.query('DELETE FROM drizzle.__drizzle_migrations WHERE created_at = $1', [newest?.when])
  const result = await admin('database status')
  expect(result).toMatchObject({ code: 1, err: expect.stringContaining(`lacks ${newest?.name}`) })
  await owner.query('INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
    'again',
    newest?.when,
  ])
  vi.unstubAllEnvs()
})
