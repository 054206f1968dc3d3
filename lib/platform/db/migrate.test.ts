import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { openDatabase } from './client.ts'
import { migrate } from './migrate.ts'
import { dropDatabase, onDatabase, run } from './test-servers/test-server.ts'

let url: string
let name: string
let owner: pg.Client
beforeEach(async () => {
  name = `console_migrate_${randomBytes(6).toString('hex')}`
  url = onDatabase(inject('templateUrl'), name)
  await run(onDatabase(url, 'postgres'), `CREATE DATABASE ${name}`)
  owner = await connect()
})
afterEach(async () => {
  await owner.end()
  await dropDatabase(onDatabase(url, 'postgres'), name)
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Returns a folder with these migrations, in order. */
async function folderOf(migrations: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  await mkdir(join(folder, 'meta'))
  const entries = Object.keys(migrations).map((tag) => ({ tag, when: 1000 + Number.parseInt(tag, 10) }))
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ entries }))
  for (const [tag, text] of Object.entries(migrations)) await writeFile(join(folder, `${tag}.sql`), text)
  return folder
}

const INITIAL_MIGRATION = {
  '0100_first': 'CREATE TABLE things (id int);--> statement-breakpoint\nINSERT INTO things VALUES (1)',
}
const SECOND = { ...INITIAL_MIGRATION, '0101_second': 'ALTER TABLE things ADD COLUMN note text' }
/** Just long enough to find out that the lock is held. */
const SHORT = { migrationLock: 1, locks: 1 }

const applied = async () =>
  (await owner.query('SELECT created_at::int AS at FROM drizzle.__drizzle_migrations ORDER BY id')).rows.map(
    ({ at }) => at,
  )
const rows = async (query: string) => (await owner.query(query)).rows

test('each migration stays applied when the next one fails, and the next start continues', async () => {
  const third = 'INSERT INTO things VALUES (2);--> statement-breakpoint\nALTER TABLE nothing ADD x int'
  const broken = await folderOf({ ...SECOND, '0102_third': third })
  const outcome = await migrate(url, { folder: broken }).then(() => 'done', reasonOf)
  expect(outcome).toBe('The migration 0102_third was not applied: relation "nothing" does not exist')
  expect(await applied()).toEqual([1100, 1101])
  expect(await rows('SELECT * FROM things')).toEqual([{ id: 1, note: null }])
  await migrate(url, { folder: await folderOf({ ...SECOND, '0102_third': 'INSERT INTO things VALUES (2)' }) })
  expect(await applied()).toEqual([1100, 1101, 1102])
})

test('a migration inserted between two applied ones is applied', async () => {
  const others = {
    '0100_first': INITIAL_MIGRATION['0100_first'],
    '0102_third': 'INSERT INTO things VALUES (3)',
  }
  await migrate(url, { folder: await folderOf(others) })
  await migrate(url, { folder: await folderOf({ ...SECOND, '0102_third': others['0102_third'] }) })
  expect(await applied()).toEqual([1100, 1102, 1101])
})

describe('a table that another transaction uses', () => {
  let user: pg.Client
  beforeEach(async () => {
    await migrate(url, { folder: await folderOf(INITIAL_MIGRATION) })
    user = await connect()
    await user.query('BEGIN; SELECT FROM things')
  })
  afterEach(() => user.end())

  test('is locked in short attempts, between which others read it', async () => {
    const reader = await connect()
    let isDone = false
    const done = migrate(url, { folder: await folderOf(SECOND) }).finally(() => {
      isDone = true
    })
    const waits =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    let tries = 0
    let wasWaiting = false
    while (tries < 3) {
      await reader.query('SELECT pg_sleep(0.01) FROM things')
      const isWaiting = (await rows(waits)).length > 0
      if (isWaiting && !wasWaiting) tries += 1
      wasWaiting = isWaiting
    }
    expect(isDone).toBe(false)
    await user.query('COMMIT')
    await done
    await reader.end()
    expect(await applied()).toEqual([1100, 1101])
  })

  test('fails the migration after the time limit, with its name and the blocking transactions, and leaves no part of it', async () => {
    const outcome = await migrate(url, { folder: await folderOf(SECOND), timeouts: SHORT }).then(
      () => 'done',
      reasonOf,
    )
    expect(outcome).toContain(
      'The migration 0101_second was not applied: it did not get its locks, tried 1 times',
    )
    const { rows: backend } = await user.query('SELECT pg_backend_pid() AS pid')
    expect(outcome).toContain(`The oldest transactions: process ${backend[0].pid}, `)
    expect(await applied()).toEqual([1100])
  })
})

test('no migration waits for a lock as long as a read of the service does, or holds one for long', async () => {
  const limit = "SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout'"
  const seen = `CREATE TABLE seen AS ${limit}`
  const createTable = "CREATE TABLE held AS SELECT current_setting('statement_timeout') AS most"
  await migrate(url, {
    folder: await folderOf({ '0100_limits': `${seen};--> statement-breakpoint\n${createTable}` }),
  })
  const service = openDatabase(url)
  const { rows: reads } = await service.reads.query(limit)
  await service.close()
  expect((await rows('SELECT setting FROM seen'))[0].setting).toBeLessThan(reads[0].setting)
  expect(await rows('SELECT * FROM held')).toEqual([{ most: '10s' }])
})

test('several concurrent processes apply each migration once', async () => {
  const folder = await folderOf(SECOND)
  await Promise.all([1, 2, 3, 4].map(() => migrate(url, { folder })))
  expect(await applied()).toEqual([1100, 1101])
  expect(await rows('SELECT id FROM things')).toEqual([{ id: 1 }])
})

test('a start waits for another migrating process up to a limit, and not at all if no migration is missing', async () => {
  const other = await connect()
  await other.query('BEGIN; SELECT pg_advisory_xact_lock(7120115322)')
  const folder = await folderOf(INITIAL_MIGRATION)
  const outcome = await migrate(url, { folder, timeouts: SHORT }).then(() => 'done', reasonOf)
  expect(outcome).toContain('Another process has been migrating the database for 0 s and is not done.')
  await other.query('COMMIT')
  await migrate(url, { folder })
  await other.query('BEGIN; SELECT pg_advisory_xact_lock(7120115322)')
  await migrate(url, { folder, timeouts: SHORT })
  await other.end()
})

test('a process that dies during a migration leaves no part of it, and blocks no other process', async () => {
  const folder = await folderOf({
    ...INITIAL_MIGRATION,
    '0101_long': 'INSERT INTO things VALUES (2);--> statement-breakpoint\nSELECT pg_sleep(9)',
  })
  const dies = migrate(url, { folder }).then(() => 'done', reasonOf)
  const all =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(9)%' AND pid <> pg_backend_pid()"
  await expect.poll(() => rows(all)).toHaveLength(1)
  await rows(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  expect(await dies).toContain('The migration 0101_long was not applied')
  expect(await rows('SELECT id FROM things')).toEqual([{ id: 1 }])
  await migrate(url, {
    folder: await folderOf({ ...INITIAL_MIGRATION, '0101_long': 'INSERT INTO things VALUES (2)' }),
  })
  expect(await rows('SELECT id FROM things')).toEqual([{ id: 1 }, { id: 2 }])
})

describe('a migration without a transaction', () => {
  const index = 'CREATE UNIQUE INDEX CONCURRENTLY "things_id" ON "things" USING btree ("id")'
  const steps = (text: string) => ({ ...INITIAL_MIGRATION, '0101_index': `-- no-transaction\n${text}` })
  const indexes = () =>
    rows(
      "SELECT indexrelid::regclass::text AS name, indisvalid AS whole FROM pg_index WHERE indrelid = 'things'::regclass ORDER BY 1",
    )

  test('builds an index while others write', async () => {
    await migrate(url, { folder: await folderOf(INITIAL_MIGRATION) })
    const writer = await connect()
    await writer.query('BEGIN; INSERT INTO things VALUES (5)')
    const done = migrate(url, { folder: await folderOf(steps(index)) })
    const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query LIKE '%UNIQUE INDEX CONCURRENTLY%'`
    await expect.poll(() => rows(waits)).toHaveLength(1)
    await owner.query('INSERT INTO things VALUES (6)')
    await writer.query('COMMIT')
    await done
    expect(await indexes()).toEqual([{ name: 'things_id', whole: true }])
    await writer.end()
  })

  test('drops and rebuilds an invalid index of a failed run, and keeps a valid one', async () => {
    await migrate(url, { folder: await folderOf(INITIAL_MIGRATION) })
    await owner.query('INSERT INTO things VALUES (1)')
    const both = `CREATE INDEX CONCURRENTLY things_plain ON things (id);--> statement-breakpoint\n${index}`
    const folder = await folderOf(steps(both))
    expect(await migrate(url, { folder }).then(() => 'done', reasonOf)).toContain(
      'The migration 0101_index was not applied: could not create unique index "things_id"',
    )
    expect(await indexes()).toEqual([
      { name: 'things_id', whole: false },
      { name: 'things_plain', whole: true },
    ])
    const [plain] = await rows("SELECT 'things_plain'::regclass::oid AS oid")
    await owner.query('DELETE FROM things WHERE ctid = (SELECT max(ctid) FROM things)')
    await migrate(url, { folder })
    expect(await indexes()).toEqual([
      { name: 'things_id', whole: true },
      { name: 'things_plain', whole: true },
    ])
    expect(await rows("SELECT 'things_plain'::regclass::oid AS oid")).toEqual([plain])
    expect(await applied()).toEqual([1100, 1101])
  })
})
