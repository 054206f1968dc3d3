import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import { checkConnections } from '#lib/platform/db/client.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { isBehindPooler, isDistributed, run } from '#lib/platform/db/test-servers/test-server.ts'
import { listInvoices, readInvoice } from './operations.ts'

// How PostgreSQL plans the list of a customer with many invoices, where the average customer has a few.

const MANY = 5000
/** Customers with one invoice. */
const SMALL = 150
/** PostgreSQL chooses between plans after five runs of a statement. */
const READS = 12
const LISTS = ['', 'filter=platform:web-services', 'orderBy=totalAmount%20desc', 'orderBy=dueDate%20asc']

let database: TestDatabase
let key: string
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('large')
  await database.insertMany(
    'large',
    MANY,
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
       currency, total_amount, balance_amount, document_state)
     SELECT 'large', 'test-party', 'test-party', 'IN-' || n, 'IN-' || n, 'default', 'web-services', 'Resale', date '2020-01-01' + n % 2000,
       date '2020-02-01' + n % 2000, 'USD', n, 0, 'issued' FROM generate_series($1::int, $2::int) n`,
  )
  for (let count = 0; count < SMALL; count++) {
    const small = await addNewCustomer()
    await addInvoice(small, 'ONLY')
  }
  await addInvoice('large', 'WHOLE')
  await run(database.url, 'VACUUM ANALYZE invoices')
  key = await addKey('large', ['finance-user', 'it-manager'])
  // As at the start of the server: the first connection of a pool shows whether there is Citus.
  await checkConnections(database.opened)
})
afterAll(() => database.close())

type Mounted = Parameters<typeof answer>[0][number]
async function read(
  search: string,
  operation: Mounted = listInvoices,
  path = '/billing/v1/invoices',
): Promise<void> {
  const headers = new Headers({ authorization: `Bearer ${key}` })
  const request = { method: 'GET', path, search, headers }
  const { status } = await answer([operation], { ...request, read: async () => new Uint8Array() })
  expect(status).toBe(200)
}

/** Returns how often PostgreSQL has used each kind of plan for prepared texts, on all connections for reads. */
async function plansOf(texts: string[]): Promise<{ generic: number; custom: number }> {
  const { reads } = database.opened
  const clients = await Promise.all(Array.from({ length: reads.totalCount }, () => reads.connect()))
  const count = { generic: 0, custom: 0 }
  for (const client of clients) {
    const { rows } = await client
      .query<{ generic: number; custom: number }>(
        'SELECT generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements WHERE statement = ANY($1)',
        [texts],
      )
      .finally(() => client.release())
    for (const { generic, custom } of rows) {
      count.generic += generic
      count.custom += custom
    }
  }
  return count
}

it.skipIf(isDistributed || isBehindPooler).each(LISTS)(
  'a list (%s) has one plan for all customers, which sorts nothing',
  async (query) => {
    const [list] = (await sentBy(() => read(query))).filter(({ text }) => text.includes('to_json'))
    for (let count = 0; count < READS; count++) await read(query)
    expect(await plansOf([list?.text ?? ''])).toEqual({ generic: 1 + READS, custom: 0 })
    const { reads } = database.opened
    const client = await reads.connect()
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${list?.text}`)
    client.release()
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/\bSort\b/)
  },
)

it.skipIf(isDistributed || isBehindPooler).each([
  ['the list of assets', listAssets, '/billing/v1/assets', /from "assets"/],
  ['an invoice', readInvoice, '/billing/v1/invoices/WHOLE', /"?invoice/],
] as const)('%s has one plan for all customers', async (_, operation, path, itsQueries) => {
  const sent = await sentBy(() => read('', operation, path))
  const texts = sent
    .map(({ text }) => text)
    .filter((text) => itsQueries.test(text) && !text.includes('api_keys'))
  expect(texts.length).toBeGreaterThan(0)
  for (let count = 0; count < READS; count++) await read('', operation, path)
  const { generic, custom } = await plansOf(texts)
  expect(generic).toBeGreaterThanOrEqual((1 + READS) * texts.length)
  expect(custom).toBe(0)
})
