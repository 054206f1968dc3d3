import { tmpdir } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

let db: TestDatabase
const { admin } = commandLine(() => db.url, tmpdir())
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-22' })
  for (const id of ['alder', 'birch', 'cedar']) await addCustomer(id)
  for (const id of ['alder', 'birch']) {
    await addInvoice(id, 'A', { totalAmount: '10.50', balanceAmount: '10.50' })
    await addInvoice(id, 'B', { totalAmount: '3', balanceAmount: '-1' })
  }
})
afterAll(() => db.close())

const plant = (customer: string) =>
  db.sql(customer, 'UPDATE invoice_sums SET total = total + 0.01 WHERE due_date IS NULL')

describe('sums verify', () => {
  test('reports correct sums, for all customers or one', async () => {
    expect(await admin('sums verify')).toEqual({
      code: 0,
      out: 'The sums of 3 customers are those of the invoices.\n',
      err: '',
    })
    const { code, out } = await admin('sums verify --customer birch.example')
    expect([code, out]).toEqual([0, 'The sums of 1 customer are those of the invoices.\n'])
  })

  test('lists differences with their customers, and exits with 1', async () => {
    await plant('birch')
    const { code, out, err } = await admin('sums verify')
    expect(code).toBe(1)
    expect(out.split('\n')).toEqual(
      [
        'birch: 1 difference',
        'profile  issuer    platform        currency  month       due      kept                                 invoices',
        'default  Reseller  cloud-platform  USD       2026-10-01  settled  1, total 3.01, balance -1, credits 1  1, total 3, balance -1, credits 1',
        '',
      ].map((line, at) =>
        at === 1
          ? expect.stringMatching(/^profile +issuer +platform +currency +month +due +kept +invoices$/)
          : line,
      ),
    )
    expect(err).toBe(
      'The sums of birch are not those of the invoices. Make them anew with: sums rebuild --customer <id>\n',
    )
    expect((await admin('sums verify --customer alder')).code).toBe(0)
  })

  test('finds a missing sum and a superfluous one', async () => {
    await db.sql(
      'cedar',
      `INSERT INTO invoice_sums VALUES ('cedar', 'default', 'R', 'p', 'USD', '2026-10-01', null, 1, 2, 0, 0)`,
    )
    expect((await admin('sums verify --customer cedar')).out).toContain(
      '1, total 2, balance 0  0, total 0, balance 0',
    )
    await db.sql('cedar', 'DELETE FROM invoice_sums')
    await db.sql('alder', 'DELETE FROM invoice_sums WHERE due_date IS NOT NULL')
    const { out } = await admin('sums verify --customer alder')
    expect(out).toContain('0, total 0, balance 0  1, total 10.5, balance 10.5')
    await admin('sums rebuild --customer alder')
  })

  test('knows the customer', async () => {
    const { code, err } = await admin('sums verify --customer nobody')
    expect([code, err]).toEqual([1, 'There is no customer "nobody".\n'])
  })
})

describe('sums rebuild', () => {
  test('rebuilds the sums of one customer only, and records the rebuild', async () => {
    await plant('alder')
    const { code, out } = await admin('sums rebuild --customer birch')
    expect([code, out]).toEqual([0, 'Rebuilt: 2 sums of birch; 1 was different.\n'])
    expect((await admin('sums verify --customer birch')).code).toBe(0)
    expect((await admin('sums verify')).err).toContain('The sums of alder are not')
    expect(
      await db.sql('birch', "SELECT subject, details FROM audit_events WHERE action = 'sums.rebuilt'"),
    ).toEqual([{ subject: 'birch', details: { differences: 1 } }])
    expect((await admin('sums rebuild --customer alder')).out).toContain('1 was different')
    expect((await admin('sums rebuild --customer alder')).out).toContain('0 were different')
  })

  test('waits for an import of the customer', async () => {
    const customerId = newCustomerId('alder')
    let rebuilt: Promise<{ code: number | null; err: string }> | undefined
    let isDone = false
    await scope({ customerId }, async (tx) => {
      await lockImports(tx, customerId)
      rebuilt = admin('sums rebuild --customer alder').finally(() => {
        isDone = true
      })
      await waitForPrompt()
      expect(isDone).toBe(false)
    })
    expect(await rebuilt).toMatchObject({ code: 0, err: 'An import for alder is waited for …\n' })
  })

  test('needs a customer', async () => {
    expect((await admin('sums rebuild')).code).toBe(2)
  })
})

/** Waits until a command has tried the import lock in vain. */
async function waitForPrompt(): Promise<void> {
  const owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  const query = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
    AND query LIKE '%pg_try_advisory_xact_lock%'`
  await expect.poll(async () => (await owner.query(query)).rowCount).toBe(2)
  await owner.end()
}
