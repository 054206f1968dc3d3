import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { recordPayment } from '#lib/billing/payments/ledger.ts'
import { paymentOpenings } from '#lib/billing/payments/openings.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type Database, openDatabase } from '#lib/platform/db/client.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { dropDatabase, onDatabase, run } from '#lib/platform/db/test-servers/test-server.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { openAgain } from '#lib/server/backfills/store.ts'

// A database that the version before payments has filled: every balance is the same before and after.

const name = `console_payments_${randomBytes(6).toString('hex')}`
let url: string
let client: pg.Client
let database: Database

beforeAll(async () => {
  url = onDatabase(inject('templateUrl'), name)
  await run(onDatabase(url, 'postgres'), `CREATE DATABASE ${name}`)
  const folder = join(await mkdtemp(join(tmpdir(), 'migrations-')), 'all')
  await cp(new URL('../../platform/db/migrations', import.meta.url), folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] }
  const end = journal.entries.findIndex(({ tag }) => tag.endsWith('_payments'))
  expect(end).toBeGreaterThan(0)
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }))
  await migrate(url, { folder })
  client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET ROLE console_app')
})
afterAll(async () => {
  await client.end()
  await database?.close()
  await dropDatabase(onDatabase(url, 'postgres'), name)
})

async function as(customer: string, query: string, values: unknown[] = []) {
  await client.query("SELECT set_config('console.customer', $1, false)", [customer])
  return (await client.query(query, values)).rows
}

const CUSTOMERS = ['northwind', 'sunbird']
/** Each invoice: id, state, currency, total, balance. */
const INVOICES: [id: string, state: string, currency: string, total: string, balance: string][] = [
  ['OPEN', 'issued', 'EUR', '100.00', '100.00'],
  ['PART', 'issued', 'EUR', '100.00', '40.004'],
  ['PAID', 'issued', 'JPY', '500', '0'],
  ['OVERPAID', 'issued', 'KWD', '1.500', '-0.250'],
  ['FEE', 'issued', 'USD', '10', '12.50'],
  ['CREDIT', 'issued', 'EUR', '-30', '-10'],
  ['DRAFT', 'draft', 'EUR', '77', '0'],
  ['VOID', 'voided', 'EUR', '88', '0'],
  ['BEFORE', 'issued', 'EUR', '60', '20'],
]
async function balances(): Promise<Record<string, string>[][]> {
  const all: Record<string, string>[][] = []
  for (const customer of CUSTOMERS)
    all.push(
      await as(customer, 'SELECT id, balance_amount::text, payable_amount::text FROM invoices ORDER BY id'),
    )
  return all
}

test('an upgrade changes no balance, and makes one opening row for each amount that was settled', async () => {
  for (const customer of CUSTOMERS) {
    await as(
      customer,
      "INSERT INTO customers (id, name, domain, contact_email) VALUES ($1, $1, $1, $1 || '@x.example')",
      [customer],
    )
    await as(customer, "INSERT INTO billing_profiles (customer_id, id, name) VALUES ($1, 'default', $1)", [
      customer,
    ])
    await as(customer, `INSERT INTO parties (customer_id, id, content) VALUES ($1, 'p', '{"name":"P"}')`, [
      customer,
    ])
    for (const values of INVOICES)
      await as(
        customer,
        `INSERT INTO invoices (customer_id, id, number, document_state, currency, total_amount, balance_amount,
           billing_profile_id, platform, issuer, invoice_date, due_date, seller_id, buyer_id)
         VALUES ($1, $2, $2, $3, $4, $5, $6, 'default', 'web-services', 'AWS', '2026-05-01', '2026-05-31', 'p', 'p')`,
        [customer, ...values],
      )
  }
  const before = await balances()
  await migrate(url)
  expect(await balances()).toEqual(before)

  // While the backfill has yet to come, an old process writes a balance, and an operator records a payment.
  await as('sunbird', "UPDATE invoices SET balance_amount = 15 WHERE id = 'BEFORE'")
  database = openDatabase(url)
  const customerId = newCustomerId('sunbird')
  const payment = { kind: 'payment' as const, paidOn: '2026-06-01', amount: '10', currency: 'EUR' }
  await scope({ customerId }, (tx) =>
    recordPayment(tx, customerId, { ...payment, reference: 'B-1', invoices: [{ id: 'PART' }] }, 'r'),
  )
  const expected = before.map((rows, at) =>
    rows.map((row) => {
      if (at === 0) return row
      if (row.id === 'BEFORE') return { ...row, balance_amount: '15' }
      return row.id === 'PART' ? { ...row, balance_amount: '30.004', payable_amount: '30.00' } : row
    }),
  )
  expect(await balances()).toEqual(expected)

  for (let run = 0; run < 2; run++) {
    await runBackfills({ signal: new AbortController().signal, backfills: [paymentOpenings] })
    await openAgain('payments')
  }
  expect(await balances()).toEqual(expected)
  for (const customer of CUSTOMERS) {
    const openings = await as(
      customer,
      "SELECT invoice_id AS id, trim_scale(amount)::text AS amount FROM payments WHERE kind = 'opening' ORDER BY 1",
    )
    expect(openings).toEqual([
      { id: 'BEFORE', amount: '40' },
      { id: 'CREDIT', amount: '-20' },
      { id: 'FEE', amount: '-2.5' },
      { id: 'OVERPAID', amount: '1.75' },
      { id: 'PAID', amount: '500' },
      { id: 'PART', amount: '59.996' },
    ])
    const wrong = await as(
      customer,
      `SELECT i.id FROM invoices i LEFT JOIN payment_entries e ON e.customer_id = i.customer_id AND e.invoice_id = i.id
       WHERE i.document_state = 'issued' GROUP BY i.customer_id, i.id
       HAVING i.total_amount - coalesce(sum(e.amount), 0) <> i.balance_amount`,
    )
    expect(wrong).toEqual([])
  }
})
