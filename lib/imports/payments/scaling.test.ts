import { afterEach, beforeEach, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { importInvoices } from '../invoices/import.ts'
import type { NewInvoice } from '../schemas.ts'
import { undoImport } from '../undo.ts'

// The triggers of the ledger find each row by its key, with any statistics of the tables. Instead of measuring
// time, the database counts the rows that a transaction reads.

const COUNT = 600
/** Most rows of the ledger read for each invoice: its payments and entries, and references to them. */
const MAX_READ = 60

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.close())

const invoices = (total: string, balanceAmount: string): NewInvoice[] =>
  Array.from({ length: COUNT }, (_, at) => ({
    number: `I-${at}`,
    platform: 'web-services',
    issuer: 'Reseller',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: at % 2 ? total : '9',
    balanceAmount,
    lines: [{ type: 'web-services', description: 'Compute', price: at % 2 ? total : '9', qty: '1' }],
  }))

async function ledgerRowsRead(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ read: number }>(`
    SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))::int AS read FROM pg_class c
    LEFT JOIN pg_index i ON i.indexrelid = c.oid
    WHERE coalesce(i.indrelid, c.oid) IN ('payments'::regclass, 'payment_entries'::regclass)`)
  return rows[0]?.read ?? Number.NaN
}

/** Returns the rows read per invoice by an import, its correction, and by undoing both. */
async function rowsRead(): Promise<number[]> {
  const customerId = newCustomerId(await addNewCustomer())
  const within = (work: (tx: Transaction) => Promise<unknown>) =>
    scope({ customerId }, async (tx) => {
      await allowImportTimes(tx)
      await work(tx)
      return (await ledgerRowsRead(tx)) / COUNT
    })
  const load = (importId: string, all: NewInvoice[]) =>
    within(async (tx) => {
      await tx.execute(
        `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
         VALUES ('${customerId}', '${importId}', 'invoices', '[]', '{}', clock_timestamp())`,
      )
      await importInvoices(tx, customerId, all, { importId, correct: true })
    })
  const undo = (importId: string) => within((tx) => undoImport(tx, customerId, importId))
  return [
    await load('one', invoices('3', '2')),
    // Half of them are corrected, and the balances of the others fall.
    await load('two', invoices('4', '1')),
    await undo('two'),
    await undo('one'),
  ]
}

test.each([
  ['never analyzed', async () => {}],
  ['analyzed while they were empty', () => run(db.url, 'ANALYZE')],
  [
    'analyzed with another customer',
    async () => {
      await rowsRead()
      await run(db.url, 'ANALYZE')
    },
  ],
])('imports and their undo find payments by keys in tables that were %s', async (_, prepare) => {
  await prepare()
  expect(Math.max(...(await rowsRead()))).toBeLessThanOrEqual(MAX_READ)
})
