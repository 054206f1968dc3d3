import { drizzle } from 'drizzle-orm/node-postgres'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sumOpenItems } from '#lib/billing/statements/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { rowsRead, sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import type { Selection } from '../selection.ts'
import { byRows, sumInvoices } from './summary.ts'

// How many rows are read for sums, whatever the clock says: eight thousand invoices, and a row for each month,
// platform and due day.

const INVOICES = 8_000
let database: TestDatabase
let client: PoolClient
let sumCount: number
const owner = { customerId: 'large' as Caller['customerId'], billingProfiles: ['default'] }

beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
  await addCustomer('large')
  await database.insertMany(
    'large',
    INVOICES,
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
       due_date, currency, total_amount, balance_amount)
     SELECT 'large', 'test-party', 'test-party', 'IN-' || n, 'IN-' || n, 'default', (array['cloud-platform', 'web-services'])[1 + n % 2],
       'R', date '2024-11-01' + n % 730, date '2024-12-01' + n % 730, 'USD', n % 4999 / 100.0, CASE WHEN n % 730 > 640 THEN n % 3 ELSE 0 END
     FROM generate_series($1::int, $2::int) n`,
  )
  await run(database.url, 'VACUUM ANALYZE invoices')
  await run(database.url, 'VACUUM ANALYZE invoice_sums')
  sumCount = Number((await database.sql('large', 'SELECT count(*) AS n FROM invoice_sums'))[0]?.n)
  client = await database.opened.reads.connect()
  await client.query("SELECT set_config('console.customer', 'large', false)")
})
afterAll(async () => {
  client.release()
  await database.close()
})

/** Which tables the statements of `read` look at, and how many rows they read there, whether they keep them or not. */
async function readBy(read: (tx: Transaction) => Promise<unknown>) {
  const queries = await sentBy(() => read(drizzle(client)))
  const tables: Record<string, number> = {}
  for (const { from } of await rowsRead(client, queries))
    for (const [table, rows] of Object.entries(from)) tables[table] = (tables[table] ?? 0) + rows
  return { tables, queryCount: queries.length }
}
const bySelection = (selection: Selection, strategy?: ReturnType<typeof byRows>) =>
  readBy((tx) => sumInvoices(tx, owner, selection, strategy))

describe(`of ${INVOICES} invoices`, () => {
  it.each<[string, Selection]>([
    ['all', {}],
    [
      'those that are past due, of a platform',
      { filter: { status: ['PAST DUE'], platform: ['web-services'] } },
    ],
    [
      'those of a year',
      { minCreationTime: epochOfDay('2025-01-01'), maxCreationTime: epochOfDay('2025-12-31') },
    ],
  ])('the summary reads stored sums and no invoice: %s', async (_, selection) => {
    const { tables, queryCount } = await bySelection(selection)
    // Of the invoices those alone of which another amount can be paid than the balance: here none.
    expect({ ...tables, invoices: 0 }).toEqual({
      invoice_sums: tables.invoice_sums,
      invoices: tables.invoices ?? 0,
    })
    // What was billed, and what has a balance.
    expect(tables.invoice_sums).toBeLessThanOrEqual(2 * sumCount)
    expect(sumCount).toBeLessThan(500)
    expect(queryCount).toBe(3)
  })

  it('a range with partial months reads the invoices of those days', async () => {
    const cut = { minCreationTime: epochOfDay('2024-11-30'), maxCreationTime: epochOfDay('2026-10-02') }
    const { tables, queryCount } = await bySelection(cut)
    const days = 3
    expect(tables.invoices).toBeLessThanOrEqual(2 * days * Math.ceil(INVOICES / 730))
    expect(queryCount).toBe(3)
  })

  it('the test detects a summary that reads all invoices', async () => {
    expect((await bySelection({}, byRows({}))).tables.invoices).toBeGreaterThanOrEqual(INVOICES)
  })

  it('the totals of a statement read stored sums and no invoice', async () => {
    const { tables, queryCount } = await readBy((tx) => sumOpenItems(tx, owner, {}))
    // Of the invoices those alone of which another amount can be paid than the balance: here none.
    expect({ ...tables, invoices: 0 }).toEqual({
      invoice_sums: tables.invoice_sums,
      invoices: tables.invoices ?? 0,
    })
    expect(tables.invoice_sums).toBeLessThanOrEqual(sumCount)
    expect(queryCount).toBe(1)
  })
})
