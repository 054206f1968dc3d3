import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { findInvoices } from './search.ts'
import { sumMatches } from './sums/summary.ts'
import { invoiceTokens } from './tokens.ts'

let database: TestDatabase
/** More than the first batch of a backfill. */
const MANY = 220
const owner = { customerId: 'northwind' as Caller['customerId'], billingProfiles: ['default'] }

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
})
afterAll(() => database.close())

const searchIds = async (search: string) =>
  (await readScope(owner, (tx) => findInvoices(tx, owner, { search }, { limit: 1000 }))).map(({ id }) => id)
const count = (search: string) =>
  readScope(
    owner,
    async (tx) => (await sumMatches(tx, owner, { search })).billed.find(({ month }) => !month)?.count,
  )
const tokens = async (customer: string) =>
  Number((await database.sql(customer, 'SELECT count(*) AS n FROM invoice_tokens'))[0]?.n)

it('The backfill adds tokens to earlier invoices; until then, a search checks each row', async () => {
  // The state before the migration.
  await run(
    database.url,
    'ALTER TABLE invoices DISABLE TRIGGER tokens_of_added; ALTER TABLE line_items DISABLE TRIGGER orders_of_added',
  )
  for (const customer of ['northwind', 'southwind'])
    await database.sql(
      customer,
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
         due_date, currency, total_amount, balance_amount, purchase_order)
       SELECT $1, 'test-party', 'test-party', 'ID-' || n, 'IN-' || n, 'default', 'web-services', 'R', '2026-09-30', '2026-10-30', 'USD', 1, 0,
         'PO/' || n
       FROM generate_series(1, $2::int) n`,
      [customer, MANY],
    )
  for (const customer of ['northwind', 'southwind'])
    await database.sql(
      customer,
      `INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, purchase_order)
       SELECT customer_id, id, n, 'web-services', 'Compute', 1, 1, 'USD', CASE WHEN n = 2 AND id LIKE '%7' THEN 'LINE-' || id END
       FROM invoices, generate_series(1, 2) n`,
    )
  await run(
    database.url,
    'ALTER TABLE invoices ENABLE TRIGGER tokens_of_added; ALTER TABLE line_items ENABLE TRIGGER orders_of_added',
  )
  await run(database.url, 'UPDATE backfills SET finished_at = NULL')
  expect(await tokens('northwind')).toBe(0)
  expect(await searchIds('n-123')).toEqual(['ID-123'])
  expect(await count('n-12')).toBe(11)
  expect(await searchIds('o/123')).toEqual(['ID-123'])

  const looked = await runBackfills({ signal: new AbortController().signal, backfills: [invoiceTokens] })
  expect(looked).toBe(2 * MANY)
  const each = await database.sql(
    'northwind',
    `SELECT count(DISTINCT (id, token)) AS n FROM invoices, tokens_of_invoice(number, id, purchase_order, (
       SELECT array_agg(purchase_order) FROM line_items WHERE invoice_id = invoices.id), buyer_reference, cost_center)`,
  )
  for (const customer of ['northwind', 'southwind']) expect(await tokens(customer)).toBe(Number(each[0]?.n))
  expect(await searchIds('n-123')).toEqual(['ID-123'])
  expect(await count('n-12')).toBe(11)
  expect(await searchIds('o/123')).toEqual(['ID-123'])
  expect(await searchIds('ne-id-127')).toEqual(['ID-127'])
  expect(await count('ne-id-')).toBe(22)
  // By its tokens, and not by its rows any more.
  await database.sql('northwind', 'DELETE FROM invoice_tokens')
  expect(await searchIds('n-123')).toEqual([])
})
