import { eq, getTableColumns, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Transaction } from './client.ts'
import { loginOf } from './logins.ts'
import { withRowPlans } from './rows.ts'
import { assets } from './schema/assets.ts'
import { billingProfiles, customers } from './schema/customers.ts'
import { invoices, lineItems } from './schema/invoices/invoices.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addAsset, addCustomer, addInvoice } from './test-rows.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addAsset('northwind', 'workspace-suite-1', { purchased: 3, commitmentEnd: new Date(0) })
  await addAsset('northwind', 'cloud-platform-1', null)
  await addInvoice('northwind', 'IN-1', { periodStart: '2026-10-01', periodEnd: '2026-11-01' }, [
    {},
    { price: '2.50' },
  ])
  await addInvoice('northwind', 'IN-2', { isHistory: true })
  client = new pg.Client(loginOf(database.url, 'console_app'))
  await client.connect()
  await client.query("SELECT set_config('console.customer', 'northwind', false)")
})
afterAll(async () => {
  await client.end()
  await database.close()
})

const micros = sql<string>`(extract(epoch from ${assets.createdAt}) * 1000000)::bigint::text`
const own = eq(lineItems.invoiceId, invoices.id)

/** Each with and without a plan; text by text, so that the order of the fields counts too. */
it.each<[string, (tx: Transaction) => Promise<unknown[]>]>([
  ['a whole table', (tx) => tx.select().from(assets).orderBy(assets.id)],
  [
    'a part, with a sum',
    (tx) =>
      tx
        .select({ type: assets.type, n: sql<number>`count(*)::int` })
        .from(assets)
        .groupBy(assets.type)
        .orderBy(assets.type),
  ],
  [
    'a table beside an expression',
    (tx) => tx.select({ asset: assets, micros }).from(assets).orderBy(assets.id),
  ],
  ['an expression with a decoder', (tx) => tx.select({ n: sql`count(*)`.mapWith(Number) }).from(invoices)],
  ['an expression with a name', (tx) => tx.select({ n: sql<number>`1 + 1`.as('n') }).from(customers)],
  ['nothing', (tx) => tx.select().from(invoices).where(eq(invoices.id, 'none'))],
  [
    'a join',
    (tx) => tx.select().from(invoices).innerJoin(lineItems, own).orderBy(invoices.id, lineItems.position),
  ],
  [
    'a join that finds nothing',
    (tx) =>
      tx.select().from(invoices).leftJoin(lineItems, eq(lineItems.invoiceId, 'none')).orderBy(invoices.id),
  ],
  [
    'a join that finds some',
    (tx) =>
      tx
        .select({ invoice: { id: invoices.id }, line: getTableColumns(lineItems) })
        .from(invoices)
        .leftJoin(lineItems, sql`${own} AND ${lineItems.price} = 2.5`)
        .orderBy(invoices.id),
  ],
  ['what was written', (tx) => tx.update(billingProfiles).set({ name: 'New' }).returning()],
  [
    'plain statements',
    async (tx) => (await tx.execute(sql`SELECT id, invoice_date FROM invoices ORDER BY id`)).rows,
  ],
])('gives the rows that drizzle gives of %s', async (_, read) => {
  const expected = await read(drizzle(client))
  const rows = await read(withRowPlans(drizzle(client)))
  expect(rows).toEqual(expected)
  expect(JSON.stringify(rows)).toBe(JSON.stringify(expected))
})
