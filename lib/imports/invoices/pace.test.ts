import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newCustomerId } from '#lib/access/store.ts'
import { scope } from '#lib/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/db/test-rows.ts'
import type { NewInvoice } from '../shapes.ts'
import { importInvoices } from './import.ts'

// An index that begins with the customer, but has something else before the invoice, is read from end to end for each
// row. No clock tells that: the database counts the scans of each index in a transaction.

const COUNT = 6000
/** The first batches, where the tables are so small that each index is as good as the other. */
const FIRST = 2000

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.close())

function invoices(price: string): NewInvoice[] {
  return Array.from({ length: COUNT }, (_, index) => ({
    number: `I-${String(index).padStart(6, '0')}`,
    platform: 'web-services',
    issuer: 'Reseller',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: price,
    lines: [{ type: 'web-services', description: 'Compute', price, qty: '1' }],
  }))
}

/** How often an import scanned tables from end to end, and how often indexes that are neither a primary key nor the numbers'. */
async function astray(customer: string, price: string): Promise<number> {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, async (tx) => {
    await importInvoices(tx, customerId, invoices(price), { correct: true })
    const { rows } = await tx.execute<{ scans: number }>(`
      SELECT sum(pg_stat_get_xact_numscans(c.oid))::int AS scans FROM pg_class c
      LEFT JOIN pg_index i ON i.indexrelid = c.oid
      WHERE NOT coalesce(i.indisprimary, false) AND c.relname <> 'invoices_number'
        AND coalesce(i.indrelid, c.oid) IN ('invoices'::regclass, 'line_items'::regclass)`)
    return rows[0]?.scans ?? Number.NaN
  })
}

test('a first file is stored by primary keys and numbers, and so it is again', async () => {
  const customer = await addNewCustomer()
  expect(await astray(customer, '1')).toBeLessThanOrEqual(FIRST)
  expect(await astray(customer, '1')).toBeLessThanOrEqual(FIRST)
  expect(await astray(customer, '2')).toBeLessThanOrEqual(FIRST)
})

test('so is a large file among customers with one invoice each, once the server has looked at them', async () => {
  for (let n = 0; n < 300; n++) await addInvoice(await addNewCustomer(), 'I-1')
  await analyze()
  const customer = await addNewCustomer()
  expect(await astray(customer, '1')).toBeLessThanOrEqual(FIRST)
  expect(await astray(customer, '2')).toBeLessThanOrEqual(FIRST)
})

test('so is the file of a second customer, once the server has looked at the first', async () => {
  await astray(await addNewCustomer(), '1')
  await analyze()
  const customer = await addNewCustomer()
  expect(await astray(customer, '1')).toBeLessThanOrEqual(FIRST)
  expect(await astray(customer, '2')).toBeLessThanOrEqual(FIRST)
})

/** As the server does by itself, now and then. */
async function analyze(): Promise<void> {
  const owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  await owner.query('ANALYZE')
  await owner.end()
}
