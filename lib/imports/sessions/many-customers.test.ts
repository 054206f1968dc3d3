import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Big from 'big.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { platformTable } from '../focus/platforms.ts'
import { importFocus } from '../run.ts'
import type { NewInvoice } from '../schemas.ts'
import { runSession } from './session.ts'

// One file of a whole reseller: each account's charges go to the customer that the map names, all or nothing.

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-many-'))
const TERMS = { platforms: platformTable(), dueDays: 30, paid: false, map: 'map.csv' }
/** More than the 200 groups that a report lists. */
const COUNT = 210
const CUSTOMERS = Array.from({ length: COUNT }, (_, n) => `customer-${n}`)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-22' })
  for (const id of CUSTOMERS) await addCustomer(id)
  await addProfile('customer-3', 'emea')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const HEADER =
  'InvoiceIssuerName,InvoiceId,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
// The last customer's charges come first in the file.
const charges = Array.from({ length: 7 * COUNT }, (_, n) => ({
  account: COUNT - 1 - (n % COUNT),
  cost: `${n}.123${n}`,
}))
const rows = charges.map(
  ({ account, cost }, n) => `AWS,IN-${n % 2},acc-${account},2026-09-01,2026-10-01,USD,AWS,S,Usage,${cost}`,
)

function write(name: string, lines: readonly string[]): string {
  writeFileSync(join(folder, name), lines.join('\n'))
  return name
}
const mapOf = (customers: readonly string[]) => [
  'account,customer,billingProfile',
  ...customers.map((customer, n) => `acc-${n},${customer},${customer === 'customer-3' ? 'emea' : ''}`),
]
const stored = (customer: string) =>
  db.sql(
    customer,
    'SELECT customer_id, number, total_amount, billing_profile_id, import_id FROM invoices ORDER BY id',
  )
async function rowsLeft(): Promise<number> {
  let left = 0
  for (const id of CUSTOMERS) {
    const [row] = await db.sql(
      id,
      'SELECT (SELECT count(*) FROM invoices) + (SELECT count(*) FROM imports) + (SELECT count(*) FROM audit_events) AS n',
    )
    left += Number(row?.n)
  }
  return left
}

test('An account missing in the map, or an unknown customer, is reported and nothing is stored', async () => {
  const run = { paths: [write('costs.csv', [HEADER, ...rows])], folder }
  write('map.csv', mapOf(CUSTOMERS.slice(0, COUNT - 1)))
  await expect(importFocus(run, TERMS)).rejects.toThrow(`acc-${COUNT - 1}`)
  write('map.csv', mapOf([...CUSTOMERS.slice(0, COUNT - 2), 'nobody', 'customer-2.example']))
  await expect(importFocus(run, TERMS)).rejects.toMatchObject({
    problems: [
      { file: 'map.csv', line: COUNT, reason: 'there is no customer with the id nobody' },
      { file: 'map.csv', line: COUNT + 1, reason: expect.stringContaining('its id is customer-2') },
    ],
  })
  expect(await rowsLeft()).toBe(0)
})

test('A failed write for a customer in the middle rolls back the customers before it', async () => {
  const invoice = (overrides: Partial<NewInvoice> = {}): NewInvoice => ({
    number: 'I-1',
    platform: 'web-services',
    issuer: 'Resale',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: '1',
    lines: [{ type: 'web-services', description: 'x', price: '1', qty: '1' }],
    ...overrides,
  })
  const [one, other] = [newCustomerId('customer-0'), newCustomerId('customer-1')]
  const entries = [
    { owner: one, invoice: invoice() },
    { owner: other, invoice: invoice({ billingProfileId: 'nowhere' }) },
  ]
  const counts = () => ({ files: [], leftOut: [], rows: 2, used: 2 })
  const failing = runSession({ kind: 'invoices', files: [], entries, counts }, {})
  await expect(failing).rejects.toThrow(
    'customer-1, invoice I-1, billingProfileId: there is no billing profile nowhere',
  )
  expect(await rowsLeft()).toBe(0)
})

test('A dry run reports all customers and stores nothing', async () => {
  write('map.csv', mapOf(CUSTOMERS))
  const run = { paths: [write('costs.csv', [HEADER, ...rows])], folder, isDryRun: true }
  const { report } = await importFocus(run, TERMS)
  expect([report.counts.added, report.groups.length, report.invoicesElsewhere]).toEqual([
    COUNT,
    200,
    COUNT - 200,
  ])
  expect(await rowsLeft()).toBe(0)
})

test('Each customer has the sums of its accounts, and its own part of the import', async () => {
  write('map.csv', mapOf(CUSTOMERS))
  const run = { paths: [write('costs.csv', [HEADER, ...rows])], folder }
  const { importId, report } = await importFocus(run, TERMS)
  expect(await rowsLeft()).toBe(3 * CUSTOMERS.length)
  const sumOf = (account: number) =>
    charges
      .filter((charge) => charge.account === account)
      .reduce((sum, { cost }) => sum.plus(cost), new Big(0))
  for (const [account, customer] of CUSTOMERS.entries()) {
    const storedRows = await stored(customer)
    const total = storedRows.reduce((sum, { total_amount }) => sum.plus(String(total_amount)), new Big(0))
    expect(total.toFixed(2)).toBe(sumOf(account).toFixed(2, Big.roundHalfUp))
    expect(new Set(storedRows.map((row) => `${row.customer_id} ${row.import_id}`))).toEqual(
      new Set([`${customer} ${importId}`]),
    )
    const group = report.groups.find((each) => each.customer === customer)
    // The 200 largest groups are reported.
    if (group) expect(group.exact).toBe(sumOf(account).toFixed())
  }
  expect((await stored('customer-3')).map((row) => row.billing_profile_id)).toEqual(['emea'])
  // A customer's import row and history contain nothing about the others.
  const [row] = await db.sql('customer-5', 'SELECT id, report FROM imports')
  expect(row?.id).toBe(importId)
  expect(JSON.stringify(row?.report)).toContain('"customer-5"')
  expect(
    JSON.stringify(row?.report)
      .match(/customer-\d+/g)
      ?.every((name) => name === 'customer-5'),
  ).toBe(true)
  expect(await db.sql('customer-5', 'SELECT action, subject FROM audit_events')).toEqual([
    { action: 'invoices.imported', subject: importId },
  ])
  const total = charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0))
  expect(report.sums).toMatchObject([{ currency: 'USD', invoices: COUNT, exact: total.toFixed() }])
})
