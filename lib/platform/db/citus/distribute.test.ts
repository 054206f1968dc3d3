import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../migrate.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { addCustomer } from '../test-rows.ts'
import { isDistributed } from '../test-servers/test-server.ts'
import { distribute } from './distribute.ts'
import { LOCAL_COMMENT } from './table-distribution.ts'

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

/** Named so that it comes before all others. */
const NEW_TABLE = `
  CREATE TABLE aardvarks (customer_id text COLLATE "C" NOT NULL REFERENCES customers (id), id text, PRIMARY KEY (customer_id, id));
  --> statement-breakpoint
  GRANT SELECT, INSERT ON aardvarks TO console_app;--> statement-breakpoint
  ALTER TABLE aardvarks ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
  ALTER TABLE aardvarks FORCE ROW LEVEL SECURITY;--> statement-breakpoint
  CREATE POLICY own ON aardvarks TO console_app USING (customer_id = current_setting('console.customer', true))`

/** Applies one migration that the database lacks. */
async function migrateOne(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  await mkdir(join(folder, 'meta'))
  await writeFile(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ entries: [{ tag: '9000_new', when: 9000 }] }),
  )
  await writeFile(join(folder, '9000_new.sql'), text)
  await migrate(database.url, { folder })
}

test('a migration distributes its new table with the others', async () => {
  for (const id of ['alder', 'birch']) await addCustomer(id)
  await migrateOne(NEW_TABLE)
  for (const id of ['alder', 'birch'])
    await database.sql(id, 'INSERT INTO aardvarks VALUES ($1, $1), ($1, $2)', [id, 'second'])
  expect(
    await database.sql(
      'alder',
      "SELECT a.id FROM aardvarks a JOIN billing_profiles p ON p.customer_id = a.customer_id WHERE a.customer_id = 'alder' ORDER BY 1",
    ),
  ).toEqual([{ id: 'alder' }, { id: 'second' }])
  const { rows } = await owner.query(
    "SELECT relforcerowsecurity AS forced FROM pg_class WHERE relname = 'aardvarks'",
  )
  expect(rows).toEqual([{ forced: true }])
  if (!isDistributed) return
  const distributions = await owner.query(
    "SELECT partmethod, colocationid FROM pg_dist_partition WHERE logicalrelid IN ('aardvarks'::regclass, 'assets'::regclass)",
  )
  expect(distributions.rows).toHaveLength(2)
  expect(distributions.rows[0]).toEqual(distributions.rows[1])
  expect(await distribute(database.url, { dryRun: true })).toMatchObject({ moves: [], queries: [] })
})

test.runIf(isDistributed)(
  'a table that an earlier release distributed returns to the coordinator with its rows',
  async () => {
    const whereOutbox = async () => {
      const moved = (await distribute(database.url)).moves.map(({ table, to }) => [table, to])
      const { rows } = await owner.query(
        "SELECT FROM pg_dist_partition WHERE logicalrelid = 'outbox'::regclass",
      )
      return [moved, rows.length]
    }
    const add = () =>
      database.sql('alder', "INSERT INTO outbox (customer_id, kind, recipient) VALUES ('alder', 'x', 'y')")
    await add()
    await owner.query('COMMENT ON TABLE outbox IS NULL')
    const names = ['outbox', 'webhook_attempts']
    expect(await whereOutbox()).toEqual([names.map((name) => [name, 'spread']), 1])
    await add()
    await owner.query(`COMMENT ON TABLE outbox IS '${LOCAL_COMMENT}'`)
    expect(await whereOutbox()).toEqual([names.map((name) => [name, 'home']), 0])
    await add()
    expect(await whereOutbox()).toEqual([[], 0])
    expect(await database.sql('alder', 'SELECT kind FROM outbox')).toHaveLength(3)
    expect(await database.sql('birch', 'SELECT kind FROM outbox')).toEqual([])
  },
)
