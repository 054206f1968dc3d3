import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/access/rules.ts'
import { readScope } from '#lib/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addCustomer } from '#lib/db/test-rows.ts'
import { run } from '#lib/db/test-server.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { invoiceTokens } from './backfill.ts'
import { findInvoices } from './find.ts'
import { sumFound } from './sums.ts'

let database: TestDatabase
const MANY = 450
const owner = { customerId: 'northwind' as Caller['customerId'], billingProfiles: ['default'] }

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
})
afterAll(() => database.close())

const found = async (search: string) =>
  (await readScope(owner, (tx) => findInvoices(tx, owner, { search }, 1000, {}))).map(({ id }) => id)
const count = (search: string) =>
  readScope(
    owner,
    async (tx) => (await sumFound(tx, owner, { search })).billed.find(({ month }) => !month)?.count,
  )
const tokens = async (customer: string) =>
  Number((await database.sql(customer, 'SELECT count(*) AS n FROM invoice_tokens'))[0]?.n)

it('gives tokens to what came before them; until then, a search asks each row', async () => {
  // As it was before the migration.
  await run(database.url, 'ALTER TABLE invoices DISABLE TRIGGER tokens_of_added')
  for (const customer of ['northwind', 'southwind'])
    await database.sql(
      customer,
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
         due_date, currency, total_amount, balance_amount)
       SELECT $1, 'test-party', 'test-party', 'ID-' || n, 'IN-' || n, 'default', 'web-services', 'R', '2026-09-30', '2026-10-30', 'USD', 1, 0
       FROM generate_series(1, $2::int) n`,
      [customer, MANY],
    )
  await run(database.url, 'ALTER TABLE invoices ENABLE TRIGGER tokens_of_added')
  await run(database.url, 'UPDATE backfills SET finished_at = NULL')
  expect(await tokens('northwind')).toBe(0)
  expect(await found('n-123')).toEqual(['ID-123'])
  expect(await count('n-12')).toBe(11)

  const looked = await runBackfills({ signal: new AbortController().signal, known: [invoiceTokens] })
  expect(looked).toBe(2 * MANY)
  const each = await database.sql(
    'northwind',
    'SELECT count(*) AS n FROM invoices, tokens_of_invoice(number, id)',
  )
  for (const customer of ['northwind', 'southwind']) expect(await tokens(customer)).toBe(Number(each[0]?.n))
  expect(await found('n-123')).toEqual(['ID-123'])
  expect(await count('n-12')).toBe(11)
  // By its tokens, and not by its rows any more.
  await database.sql('northwind', 'DELETE FROM invoice_tokens')
  expect(await found('n-123')).toEqual([])
})
