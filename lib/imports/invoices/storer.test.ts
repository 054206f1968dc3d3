import { afterAll, beforeAll, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { NewInvoice } from '../schemas.ts'
import { importInvoices } from './import.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const invoice = (overrides: Partial<NewInvoice>): NewInvoice => ({
  number: '1',
  platform: 'web-services',
  issuer: 'AWS',
  invoiceDate: '2026-09-30',
  dueDate: '2099-10-30',
  currency: 'USD',
  totalAmount: '12.00',
  lines: [{ type: 'web-services', description: 'Compute', price: '12', qty: '1' }],
  ...overrides,
})

test('Payments from before an invoice was voided are restored when it returns', async () => {
  const customer = await addNewCustomer()
  const customerId = newCustomerId(customer)
  const run = (importId: string, overrides: Partial<NewInvoice>, correct = false) =>
    scope({ customerId }, async (tx) => {
      await tx.execute(
        `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
         VALUES ('${customerId}', '${importId}', 'invoices', '[]', '{}', clock_timestamp())`,
      )
      await importInvoices(tx, customerId, [invoice(overrides)], { importId, correct })
    })
  const owed = async () =>
    (await db.sql(customer, 'SELECT sum(balance_amount)::text AS owed FROM invoices'))[0]?.owed
  await run('one', {})
  await run('two', { balanceAmount: '5' })
  await run('three', { documentState: 'voided' })
  await expect(run('four', {}, true)).rejects.toThrow(
    'invoice 1: 7.00 USD of it was settled before it was voided: give its balance, too',
  )
  expect(await owed()).toBe('0')
  await run('five', { balanceAmount: '5.00' }, true)
  expect(await owed()).toBe('5.00')
})
