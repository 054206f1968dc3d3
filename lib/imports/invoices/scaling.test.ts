import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { NewInvoice } from '../schemas.ts'
import { importInvoices } from './import.ts'

// An index on the customer followed by another column than the invoice is scanned in full for each row, like a table.
// Instead of measuring time, the database counts the rows that a transaction reads.

const COUNT = 3000
/** Number of rows at which the tables are so small that any index is equally good. */
const FIRST_COUNT = 1000
/** Most rows read per invoice: itself, its lines, and rows with its number. */
const MAX_READ = 12

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.close())

/** @param purchaseOrder the purchase order of each line */
function invoices(price: string, purchaseOrder?: string): NewInvoice[] {
  return Array.from({ length: COUNT }, (_, index) => ({
    number: `I-${String(index).padStart(6, '0')}`,
    platform: 'web-services',
    issuer: 'Reseller',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: price,
    lines: [{ type: 'web-services', description: 'Compute', price, qty: '1', purchaseOrder: purchaseOrder }],
  }))
}

/** Returns the number of rows that an import reads from tables and indexes, per invoice after the first ones. */
async function rowsRead(customer: string, price: string, purchaseOrder?: string): Promise<number> {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, async (tx) => {
    await allowImportTimes(tx)
    const all = invoices(price, purchaseOrder)
    await importInvoices(tx, customerId, all.slice(0, FIRST_COUNT), { correct: true })
    const before = await rowsReadBy(tx)
    await importInvoices(tx, customerId, all.slice(FIRST_COUNT), { correct: true })
    return ((await rowsReadBy(tx)) - before) / (COUNT - FIRST_COUNT)
  })
}

async function rowsReadBy(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ read: number }>(`
    SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))::int AS read FROM pg_class c
    LEFT JOIN pg_index i ON i.indexrelid = c.oid
    WHERE coalesce(i.indrelid, c.oid) IN ('invoices'::regclass, 'line_items'::regclass, 'invoice_sums'::regclass)`)
  return rows[0]?.read ?? Number.NaN
}

test('a first file is stored by primary keys and numbers, and so it is again', async () => {
  const customer = await addNewCustomer()
  expect(await rowsRead(customer, '1')).toBeLessThanOrEqual(MAX_READ)
  expect(await rowsRead(customer, '1')).toBeLessThanOrEqual(MAX_READ)
  expect(await rowsRead(customer, '2')).toBeLessThanOrEqual(MAX_READ)
})

test('A file of purchase orders is stored by primary keys and numbers', async () => {
  const customer = await addNewCustomer()
  expect(await rowsRead(customer, '1', 'PO-1')).toBeLessThanOrEqual(2 * MAX_READ)
  expect(await rowsRead(customer, '2', 'PO-2')).toBeLessThanOrEqual(2 * MAX_READ)
})

test('A large file among customers with one invoice each is stored by keys after ANALYZE', async () => {
  for (let n = 0; n < 150; n++) await addInvoice(await addNewCustomer(), 'I-1')
  await analyze()
  const customer = await addNewCustomer()
  expect(await rowsRead(customer, '1')).toBeLessThanOrEqual(MAX_READ)
  expect(await rowsRead(customer, '2')).toBeLessThanOrEqual(MAX_READ)
})

test('The file of a second customer is stored by keys after an ANALYZE with the first', async () => {
  await rowsRead(await addNewCustomer(), '1')
  await analyze()
  const customer = await addNewCustomer()
  expect(await rowsRead(customer, '1')).toBeLessThanOrEqual(MAX_READ)
  expect(await rowsRead(customer, '2')).toBeLessThanOrEqual(MAX_READ)
})

/** Runs ANALYZE like the server's autovacuum. */
async function analyze(): Promise<void> {
  const owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  await owner.query('ANALYZE')
  await owner.end()
}
