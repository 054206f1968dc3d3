import { drizzle } from 'drizzle-orm/node-postgres'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { readLinks } from './document-links.ts'
import type { Selection } from './selection.ts'
import { listInvoiceSummaries } from './store.ts'
import { sumInvoices } from './sums/summary.ts'

// A few drafts among many issued invoices are found by an index, and the issued ones as before.

const ISSUED = 8_000
const DRAFTS = 50
let database: TestDatabase
let client: PoolClient
const owner = { customerId: 'large' as Caller['customerId'], billingProfiles: ['default'] }

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('large')
  await database.insertMany(
    'large',
    ISSUED + DRAFTS,
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, document_state, corrects, billing_profile_id, platform, issuer,
       invoice_date, due_date, currency, total_amount, balance_amount)
     SELECT 'large', 'test-party', 'test-party', 'IN-' || n, 'IN-' || n, CASE WHEN n <= ${DRAFTS} THEN 'draft' ELSE 'issued' END,
       CASE WHEN n % 500 = 0 THEN 'IN-' || n - 1 END, 'default', 'cloud-platform', 'R', date '2020-01-01' + n % 2000,
       date '2026-01-01' + n * 7 % 2000, 'USD', n * 37 % 4999 / 100.0, CASE WHEN n > ${DRAFTS} AND n % 9 = 0 THEN n ELSE 0 END
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

/** Runs a read, and returns the query plans of its statements. */
async function planOf(read: (tx: never) => Promise<unknown>): Promise<string[]> {
  const queries: { query: string; params: unknown[] }[] = []
  const logger = { logQuery: (query: string, params: unknown[]) => void queries.push({ query, params }) }
  await read(drizzle(client, { logger }) as never)
  const plans: string[] = []
  for (const { query, params } of queries) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF) ${query}`, params)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  return plans
}
const list = (selection: Selection) =>
  planOf((tx) => listInvoiceSummaries(tx, owner, selection, { limit: 51 }))

it.each([['draft'], ['voided'], ['draft', 'voided']])(
  'A list of %s %s reads the partial index',
  async (...state) => {
    const [plan] = await list({ filter: { state } })
    expect(plan).toMatch(/using invoices_not_issued /)
    expect(plan).not.toMatch(/invoices_newest|Seq Scan/)
  },
)

it('The sums of drafts read the partial index, too', async () => {
  const plans = await planOf((tx) => sumInvoices(tx, owner, { filter: { state: ['draft'] } }))
  const billed = plans.find((plan) => plan.includes('invoices'))
  expect(billed).toMatch(/invoices_not_issued/)
  expect(billed).not.toMatch(/Seq Scan/)
})

it('The list of issued invoices reads its page only', async () => {
  const plan = (await list({})).at(-1)
  expect(plan).toMatch(/Index Scan Backward using invoices_newest/)
  expect(plan).toMatch(/actual .*rows=51(\.00)? loops=1/)
  expect(plan).not.toMatch(/Sort|Removed by Filter|Seq Scan/)
})

it('The links of one invoice are one statement with a row read per link', async () => {
  const plans = await planOf((tx) => readLinks(tx, owner, 'IN-1000'))
  expect(plans).toHaveLength(1)
  expect(plans[0]).toMatch(/using invoices_number /)
  expect(plans[0]).toMatch(/invoices_correcting/)
  expect(plans[0]).not.toMatch(/Seq Scan/)
})
