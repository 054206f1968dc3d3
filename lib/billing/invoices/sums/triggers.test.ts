import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { loginOf } from '#lib/platform/db/logins.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { compareSums } from './verify-totals.ts'

// The sums follow whatever statement writes invoices, of whatever program.

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

const write = (query: string, values: unknown[] = []) => db.sql(customer, query, values)
const sums = async (customerId = customer): Promise<unknown[]> => {
  const rows = await db.sql(
    customerId,
    `SELECT concat_ws(' ', month, coalesce(due_date::text, 'settled'), count, total, balance, credit_count) AS row
     FROM invoice_sums ORDER BY month, due_date NULLS FIRST`,
  )
  return rows.map(({ row }) => row)
}
const within = <T>(fn: (tx: Transaction) => Promise<T>) =>
  scope({ customerId: customer as Caller['customerId'] }, fn)
const OPEN = { invoiceDate: '2026-10-31', dueDate: '2026-11-30', totalAmount: '10', balanceAmount: '4' }

describe('a row of sums', () => {
  it('covers all invoices with the same month and due day, and settled ones regardless of due day', async () => {
    await addInvoice(customer, 'A', OPEN)
    await addInvoice(customer, 'B', { ...OPEN, invoiceDate: '2026-10-01', balanceAmount: '0.5' })
    await addInvoice(customer, 'C', { ...OPEN, balanceAmount: '0' })
    await addInvoice(customer, 'D', {
      ...OPEN,
      dueDate: '2027-01-01',
      totalAmount: '-3',
      balanceAmount: '-3',
    })
    await addInvoice(customer, 'E', { ...OPEN, documentState: 'draft', balanceAmount: '0' })
    expect(await sums()).toEqual(['2026-10-01 settled 2 7 -3 1', '2026-10-01 2026-11-30 2 20 4.5 0'])
  })

  it('follows a payment and its reversal, and is deleted with the last invoice', async () => {
    await addInvoice(customer, 'A', OPEN)
    await write("UPDATE invoices SET balance_amount = 0 WHERE id = 'A'")
    expect(await sums()).toEqual(['2026-10-01 settled 1 10 0 0'])
    await write("UPDATE invoices SET balance_amount = -1 WHERE id = 'A'")
    expect(await sums()).toEqual(['2026-10-01 settled 1 10 -1 1'])
    await write("UPDATE invoices SET balance_amount = 10 WHERE id = 'A'")
    expect(await sums()).toEqual(['2026-10-01 2026-11-30 1 10 10 0'])
    await write("UPDATE invoices SET document_state = 'voided', balance_amount = 0 WHERE id = 'A'")
    expect(await sums()).toEqual([])
    await write("UPDATE invoices SET document_state = 'issued', balance_amount = 4 WHERE id = 'A'")
    await write("DELETE FROM invoices WHERE id = 'A'")
    expect(await sums()).toEqual([])
  })

  it('is not written when its values stay the same', async () => {
    await addInvoice(customer, 'A', OPEN)
    const rowLocation = () => write('SELECT ctid FROM invoice_sums')
    const before = await rowLocation()
    await write('UPDATE invoices SET is_history = true')
    expect(await rowLocation()).toEqual(before)
  })

  it('follows one statement with many new and existing rows', async () => {
    await addInvoice(customer, 'A', OPEN)
    await write(
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
         due_date, currency, total_amount, balance_amount)
       SELECT customer_id, seller_id, buyer_id, new, new, billing_profile_id, platform, issuer, invoice_date, due_date,
         currency, 1, 0 FROM invoices, unnest(array['A', 'B', 'C']) new
       ON CONFLICT (customer_id, id) DO UPDATE SET balance_amount = excluded.balance_amount`,
    )
    expect(await sums()).toEqual(['2026-10-01 settled 3 12 0 0'])
  })
})

describe('Another customer’s sums', () => {
  it('are never written or read', async () => {
    const other = await addNewCustomer()
    await addInvoice(customer, 'A', OPEN)
    expect(await sums(other)).toEqual([])
    await expect(
      db.sql(other, 'INSERT INTO invoice_sums SELECT $1, * FROM (SELECT 1) x', [customer]),
    ).rejects.toThrow()
    await db.sql(other, 'UPDATE invoice_sums SET count = 9')
    await db.sql(other, 'DELETE FROM invoice_sums')
    expect(await sums()).toEqual(['2026-10-01 2026-11-30 1 10 4 0'])
  })

  it.each(['console_keys', 'console_jobs'] as const)('are hidden from %s', async (login) => {
    const client = new pg.Client(loginOf(db.url, login))
    await client.connect()
    await expect(client.query('SELECT * FROM invoice_sums')).rejects.toThrow('permission denied')
    await client.end()
  })
})

describe('parallel writers', () => {
  it('add their amounts, and a removal leaves the amounts of other writers', async () => {
    await addInvoice(customer, 'A', OPEN)
    const first = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const blocked = within(async (tx) => {
      await tx.execute("DELETE FROM invoices WHERE id = 'A'")
      first.resolve()
      await goOn.promise
    })
    await first.promise
    const others = Promise.all(['B', 'C', 'D'].map((id) => addInvoice(customer, id, OPEN)))
    await isWaiting()
    goOn.resolve()
    await Promise.all([blocked, others])
    expect(await sums()).toEqual(['2026-10-01 2026-11-30 3 30 12 0'])
  })
})

/** Waits until a statement waits for another transaction's row lock. */
async function isWaiting(): Promise<void> {
  const owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  await expect
    .poll(
      async () => (await owner.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount,
    )
    .toBeGreaterThan(0)
  await owner.end()
}

describe('Wrong sums', () => {
  it.each([
    ['fewer invoices', 'count = 0'],
    ['an amount that stays without invoices', 'total = total + 1'],
    ['more credit than there is', "credit_count = 2, due_date = '2026-11-30'"],
  ])('cause an error with a remedy when a query updates them: %s', async (_, planted) => {
    await addInvoice(customer, 'A', OPEN)
    await write(`UPDATE invoice_sums SET ${planted}`)
    const result = await within((tx) => tx.execute("DELETE FROM invoices WHERE id = 'A'")).then(
      () => '',
      reasonOf,
    )
    expect(result).toContain(`The sums of the customer ${customer} are not those of its invoices.`)
    expect(result).toContain(`sums rebuild --customer ${customer}`)
    expect(await write('SELECT id FROM invoices')).toEqual([{ id: 'A' }])
  })

  it('are reported with their key, stored and expected values', async () => {
    await addInvoice(customer, 'A', OPEN)
    await write('UPDATE invoice_sums SET balance = 5, credit_count = 1')
    const customerId = customer as Caller['customerId']
    expect(await within((tx) => compareSums(tx, customerId))).toEqual({
      count: 1,
      differences: [
        {
          ...{ profile: 'default', issuer: 'Reseller', platform: 'cloud-platform', currency: 'USD' },
          ...{ month: '2026-10-01', due: '2026-11-30' },
          kept: { count: 1, total: '10', balance: '5', credits: 1 },
          is: { count: 1, total: '10', balance: '4', credits: 0 },
        },
      ],
    })
  })
})
