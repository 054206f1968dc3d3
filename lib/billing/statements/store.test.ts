import { drizzle } from 'drizzle-orm/node-postgres'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import type { Cursor } from '#lib/platform/lists/paging.ts'
import { keyOf, listOpenItems, sumOpenItems } from './store.ts'

const ROWS = 6300
const owner = { customerId: 'large' as Caller['customerId'], billingProfiles: ['apac', 'default'] }
let database: TestDatabase
let client: PoolClient

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('large')
  for (const id of ['apac', 'emea']) await addProfile('large', id)
  await database.insertMany(
    'large',
    ROWS,
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
       total_amount, balance_amount)
     SELECT 'large', 'test-party', 'test-party', 'IN-' || n, 'IN-' || n, (array['apac', 'default', 'emea'])[1 + n % 3], 'cloud-platform', 'R',
       date '2024-01-01' + n % 700, date '2024-02-01' + n % 700, (array['EUR', 'USD'])[1 + n % 2], n,
       CASE WHEN n % 7 = 0 THEN n ELSE 0 END
     FROM generate_series($1::int, $2::int) n`,
  )
  await run(database.url, 'VACUUM ANALYZE invoices')
  client = await database.opened.reads.connect()
  await client.query("SELECT set_config('console.customer', 'large', false)")
})
afterAll(async () => {
  client.release()
  await database.close()
})

/** Runs the store's own statement, and again for how the database found its rows. */
async function planOf<T>(read: (tx: Parameters<typeof listOpenItems>[0]) => Promise<T>) {
  const statements: { query: string; params: unknown[] }[] = []
  const logger = { logQuery: (query: string, params: unknown[]) => void statements.push({ query, params }) }
  const rows = await read(drizzle(client, { logger }))
  const [{ query, params } = { query: '', params: [] }] = statements
  const { rows: lines } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF) ${query}`, params)
  return { rows, plan: lines.map((line) => line['QUERY PLAN']).join('\n') }
}

it('A page at any depth is read from its index, in both directions', async () => {
  const page = (cursor?: Cursor) => planOf((tx) => listOpenItems(tx, owner, {}, { limit: 251, cursor }))
  const first = await page()
  const last = first.rows.at(-1)
  if (!last) throw new Error('There is nothing.')
  const next = await page({ key: keyOf(last), direction: 'older' })
  const deep = await page({ key: ['USD', 'apac', '2024-06-01', 'IN-1'], direction: 'older' })
  const back = await page({ key: ['USD', 'apac', '2024-06-01', 'IN-1'], direction: 'newer' })
  for (const { rows, plan } of [first, next, deep, back]) {
    expect(rows).toHaveLength(251)
    expect(plan).toMatch(/Index Scan( Backward)? using invoices_statement /)
    expect(plan).not.toMatch(/Sort|Seq Scan/)
  }
})

it('The totals read stored sums, and no invoice', async () => {
  const { rows, plan } = await planOf((tx) => sumOpenItems(tx, owner, {}))
  expect(rows.reduce((all, { count }) => all + count, 0)).toBe((ROWS * 2) / 21)
  expect(plan).toMatch(/ on invoice_sums /)
  // Those of which another amount can be paid than the balance are looked for by their own index: here there are none.
  const reads = plan.split('\n').filter((line) => / on invoices/.test(line))
  expect(reads.filter((line) => !/using invoices_payable on invoices .*rows=0\.00/.test(line))).toEqual([])
})
