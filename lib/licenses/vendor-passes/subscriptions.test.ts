import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { holdersOf } from './holders.ts'
import { findTracked, makeMissedDue } from './subscriptions.ts'

// Under row-level security, an index on a call such as lower() is never used: each page would read the whole table.

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await addCustomer('many')
  await database.sql(
    'many',
    `INSERT INTO vendor_subscriptions (customer_id, id, vendor, account, vendor_customer_id, subscription_id, sku_id)
     SELECT 'many', 'v' || n, 'google-workspace', 'default', 'C' || n / 5, 'S' || n, 'K' FROM generate_series(1, 2000) n`,
  )
  await owner.query('ANALYZE vendor_subscriptions')
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

const account = { vendor: 'google-workspace', vendorAccount: 'default' }
const named = { vendorCustomerId: 'C1', subscriptionId: 'S1' }

test.each([
  ['a page is matched with our subscriptions', () => findTracked(account, [named])],
  ['the holder of a subscription is looked for', () => holdersOf([{ ...account, ...named }])],
])('%s by an index of the ids', async (_what, runQuery) => {
  const query = vi.spyOn(database.opened.jobs, 'query')
  await runQuery()
  const [text, values] = query.mock.calls[0] as unknown as [string, unknown[]]
  query.mockRestore()
  await owner.query('BEGIN')
  await owner.query('SET LOCAL ROLE console_jobs')
  const { rows } = await owner.query(`EXPLAIN ${text}`, values)
  await owner.query('ROLLBACK')
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(
    /vendor_subscriptions_held on vendor_subscriptions[^\n]*\n *Index Cond: .*subscription_key = /,
  )
})

test('A customer that failed in a pass is not counted as missed, in any letter case of its name', async () => {
  const failed = Array.from({ length: 400 }, (_, n) => `c${n}`)
  const inOneMinute = new Date(Date.now() + 60_000)
  expect(await makeMissedDue(account, inOneMinute, failed, 100)).toBe(1)
  const due = 'SELECT subscription_id AS "at" FROM vendor_subscriptions WHERE next_read_at IS NOT NULL'
  expect(await database.sql('many', due)).toEqual([{ at: 'S2000' }])
})
