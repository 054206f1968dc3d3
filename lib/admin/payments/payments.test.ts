import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from '../test-command.ts'

// The operator records, imports, assigns and reverses payments.

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-payments-'))
let db: TestDatabase
let customer: string
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-20' })
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  customer = await addNewCustomer()
  for (const [id, total] of [
    ['INV-2026-001', '100.00'],
    ['INV-2026-002', '50.00'],
  ] as const)
    await addInvoice(customer, id, { currency: 'EUR', totalAmount: total, balanceAmount: total })
})

const payments = (args: string, more: string[] = [], input = '') =>
  admin(`payments ${args} --customer ${customer}`, input, more)
const balances = async () =>
  Object.fromEntries(
    (
      await db.sql(
        customer,
        'SELECT id, trim_scale(balance_amount)::text AS balance FROM invoices ORDER BY id',
      )
    ).map(({ id, balance }) => [id, balance]),
  )
const count = async () => Number((await db.sql(customer, 'SELECT count(*) AS count FROM payments'))[0]?.count)
const ADD = 'add --date 2026-11-10 --currency EUR'

describe('payments add', () => {
  test('pays several invoices, keeps the rest as credit, and changes nothing the second time', async () => {
    const args = `${ADD} --amount 170 --reference B-1 --invoice INV-2026-001 --invoice INV-2026-002`
    const first = await payments(args)
    expect(first).toMatchObject({ code: 0 })
    expect(first.err).toContain(
      '100 EUR of INV-2026-001, 50 EUR of INV-2026-002, 20 EUR is the customer’s credit',
    )
    expect(await balances()).toEqual({ 'INV-2026-001': '0', 'INV-2026-002': '0' })
    expect((await payments(args)).err).toContain('nothing was changed')
    expect(await count()).toBe(1)
    const other = await payments(args.replace('170', '171'))
    expect(other).toMatchObject({ code: 1 })
    expect(other.err).toContain('has a payment of 170 EUR of 2026-11-10 already')
    const { out } = await payments('list --json --unassigned')
    expect(JSON.parse(out)).toMatchObject([{ reference: 'B-1', credit: '20', amount: '170' }])
  })

  test.each([
    ['--amount 0', 'must be above 0', 2],
    ['--amount 1.005', 'is finer than EUR can be paid', 2],
    ['--amount 10 --invoice INV-9', 'There is no invoice "INV-9"'],
    ['--amount 200 --invoice INV-2026-001=150', 'is more than the 100 that is open'],
    ['--amount 10 --refund', 'A refund pays back a credit note'],
    ['--amount 10 --date 2026-11-21', 'is in the future'],
    ['--amount 10 --date 2026-02-30', 'is no day', 2],
    ['--amount 10 --currency USD --invoice INV-2026-001', 'is in EUR, not in USD'],
  ])('with %s is refused, and nothing is stored', async (args, reason, code = 1) => {
    const ended = await payments(`${ADD} --reference B-2 ${args}`)
    expect(ended.code).toBe(code)
    expect(ended.err).toContain(reason)
    expect(await count()).toBe(0)
  })

  test('pays back the credit of a payment, and no more than that', async () => {
    await payments(`${ADD} --amount 120 --reference B-1 --invoice INV-2026-001`)
    const tooMuch = await payments(`${ADD} --amount 25 --reference R-1 --refund-of B-1`)
    expect(tooMuch.err).toContain('is used or refunded')
    expect((await payments(`${ADD} --amount 15 --reference R-1 --refund-of B-1`)).code).toBe(0)
    const reversal = await payments('reverse B-1', ['--reason', 'returned by the bank'])
    expect(reversal.err).toContain('is refunded by "R-1"')
    const assigned = await payments('assign B-1 --invoice INV-2026-002')
    expect(assigned.err).toContain('5 EUR of INV-2026-002')
    expect(await balances()).toEqual({ 'INV-2026-001': '0', 'INV-2026-002': '45' })
  })
})

test('a reversed payment stays in the ledger, and its invoices are open again', async () => {
  await payments(`${ADD} --amount 120 --reference B-1 --invoice INV-2026-001`)
  await payments('assign B-1 --invoice INV-2026-002')
  expect(await balances()).toEqual({ 'INV-2026-001': '0', 'INV-2026-002': '30' })
  expect((await payments('reverse B-1', ['--reason', 'returned'])).code).toBe(0)
  expect(await balances()).toEqual({ 'INV-2026-001': '100', 'INV-2026-002': '50' })
  expect((await payments('reverse B-1', ['--reason', 'returned'])).err).toContain('reversed before')
  const { out } = await payments('list --json')
  expect(JSON.parse(out)).toMatchObject([
    { reference: 'B-1', reversed: '2026-11-20', invoices: ['INV-2026-001: 100', 'INV-2026-002: 20'] },
  ])
  const events = await db.sql(customer, 'SELECT action FROM audit_events ORDER BY id')
  expect(events.map(({ action }) => action)).toEqual([
    'payment.added',
    'payment.assigned',
    'payment.reversed',
  ])
})

describe('payments assign', () => {
  test('changes nothing the second time, also where credit is left', async () => {
    await payments(`${ADD} --amount 90 --reference B-1`)
    const part = 'assign B-1 --invoice INV-2026-001=30'
    expect((await payments(part)).err).toContain('30 EUR of INV-2026-001')
    expect((await payments(part)).err).toContain('nothing was changed')
    expect(await balances()).toEqual({ 'INV-2026-001': '70', 'INV-2026-002': '50' })
    const rest = 'assign B-1 --invoice INV-2026-002'
    expect((await payments(rest)).err).toContain('50 EUR of INV-2026-002')
    expect(await payments(rest)).toMatchObject({ code: 0 })
    expect((await payments('assign B-1 --invoice INV-2026-001=10')).err).toContain('10 EUR of INV-2026-001')
    expect(await balances()).toEqual({ 'INV-2026-001': '60', 'INV-2026-002': '0' })
  })

  test('books no credit on a day on which there was none yet', async () => {
    await payments(`${ADD} --amount 100 --reference B-1 --invoice INV-2026-001`)
    // The invoice is voided today: from now on, the amount is credit.
    await db.sql(
      customer,
      "UPDATE invoices SET document_state = 'voided', balance_amount = 0 WHERE id = 'INV-2026-001'",
    )
    const early = await payments('assign B-1 --invoice INV-2026-002 --date 2026-11-15')
    expect(early).toMatchObject({ code: 1 })
    expect(early.err).toContain('"B-1" has less credit than that on 2026-11-15')
    expect(await balances()).toMatchObject({ 'INV-2026-002': '50' })
    expect((await payments('assign B-1 --invoice INV-2026-002 --date 2026-11-20')).code).toBe(0)
    const days = await db.sql(
      customer,
      `SELECT day FROM (SELECT booked_on::text AS day, sum(sum(amount)) OVER (ORDER BY booked_on) AS credit
         FROM payment_entries WHERE invoice_id IS NULL GROUP BY booked_on) AS days WHERE credit < 0`,
    )
    expect(days).toEqual([])
  })

  test('refuses a part that is finer than its currency can be paid', async () => {
    await payments(`${ADD} --amount 90 --reference B-1`)
    const assigned = await payments('assign B-1 --invoice INV-2026-001=0.005')
    expect(assigned.err).toContain('is finer than EUR can be paid')
    expect(await balances()).toMatchObject({ 'INV-2026-001': '100' })
  })
})

test('a payment that is reversed before the date of its invoice is no credit from then on', async () => {
  await addInvoice(customer, 'INV-2026-003', {
    ...{ currency: 'EUR', totalAmount: '40.00', balanceAmount: '40.00' },
    ...{ invoiceDate: '2026-12-01', dueDate: '2026-12-31' },
  })
  await payments(`${ADD} --amount 40 --reference B-1 --invoice INV-2026-003`)
  expect((await payments('reverse B-1', ['--reason', 'returned'])).code).toBe(0)
  const [sums] = await db.sql(
    customer,
    `SELECT sum(amount) FILTER (WHERE booked_on <= '2026-11-20')::int AS now, sum(amount)::int AS ever FROM payment_entries
     WHERE invoice_id IS NULL`,
  )
  expect(sums).toEqual({ now: 0, ever: 0 })
  expect(await balances()).toMatchObject({ 'INV-2026-003': '40' })
})

test('a small rest is written off, up to the limit of its currency', async () => {
  await payments(`${ADD} --amount 99.50 --reference B-1 --invoice INV-2026-001`)
  const rejected = await payments('write-off INV-2026-002 --reference W-1')
  expect(rejected.err).toContain('at most 1 EUR is written off')
  expect((await payments('write-off INV-2026-001 --reference W-1')).err).toContain('0.5 EUR of INV-2026-001')
  expect((await payments('write-off INV-2026-001 --reference W-1')).err).toContain('nothing was changed')
  expect(await balances()).toEqual({ 'INV-2026-001': '0', 'INV-2026-002': '50' })
})

describe('payments import', () => {
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return name
  }
  const HEADER = 'date,amount,currency,reference,payer,endToEndId,remittance,invoice'

  test('matches by reference, number and amount, lists the others, and changes nothing the second time', async () => {
    await addInvoice(customer, 'INV-2026-003', {
      currency: 'EUR',
      totalAmount: '33.33',
      balanceAmount: '33.33',
    })
    const file = put(
      'bank.csv',
      [
        HEADER,
        '2026-11-01,60.00,EUR,T-1,Payer,INV-2026-001,,',
        '2026-11-02,70.00,EUR,T-2,Payer,,"Rechnungen INV-2026-001, INV-2026-002",',
        `2026-11-03,33.33,EUR,T-3,${customer},,thanks,`,
        '2026-11-04,5.00,EUR,T-4,Another,,hello 2026,',
      ].join('\n'),
    )
    const dry = await payments(`import ${file} --dry-run`)
    expect(dry.err).toContain('3 recorded, 0 there already, 1 unmatched, 0 left out: nothing was stored')
    expect(await count()).toBe(0)
    const first = await payments(`import ${file} --json`)
    expect(first.code).toBe(2)
    expect(JSON.parse(first.out)).toMatchObject([
      { reference: 'T-1', by: 'end-to-end reference', invoices: ['INV-2026-001: 60'] },
      { reference: 'T-2', by: 'invoice number', invoices: ['INV-2026-001: 40', 'INV-2026-002: 30'] },
      { reference: 'T-3', by: 'amount', invoices: ['INV-2026-003: 33.33'] },
      { reference: 'T-4', result: 'unmatched' },
    ])
    expect(await balances()).toEqual({ 'INV-2026-001': '0', 'INV-2026-002': '20', 'INV-2026-003': '0' })
    expect((await payments(`import ${file}`)).err).toContain('0 recorded, 3 there already, 1 unmatched')
    expect(await count()).toBe(3)
    await payments(`import ${file} --unmatched-as-credit`)
    expect((await payments('assign T-4 --invoice INV-2026-002')).code).toBe(0)
    expect(await balances()).toMatchObject({ 'INV-2026-002': '15' })
    expect((await payments(`import ${file} --unmatched-as-credit`)).err).toContain(
      '0 recorded, 4 there already',
    )
  })

  test.each([
    ['a bad amount in its last line', '2026-11-02,abc,EUR,T-9,,,,', 'line 3'],
    ['a reference of another payment', '2026-11-02,5,EUR,T-1,,,,', 'line 3'],
    [
      'two payments of one reference, of the same amount',
      '2026-11-01,60.00,EUR,T-1,,INV-2026-002,,',
      'line 3',
    ],
    ['a missing day', ',5,EUR,T-9,,,,', 'line 3'],
    ['an open quote', '2026-11-02,5,EUR,T-9,"x,,,', 'line 3'],
  ])('a file with %s stores nothing', async (_, line, location) => {
    const file = put('bad.csv', [HEADER, '2026-11-01,60.00,EUR,T-1,,INV-2026-001,,', line].join('\n'))
    const ended = await payments(`import ${file}`)
    expect(ended.code).toBe(1)
    expect(ended.err).toContain(location)
    expect(await count()).toBe(0)
  })
})
