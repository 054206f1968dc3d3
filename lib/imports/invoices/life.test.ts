import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { NewInvoice } from '../schemas.ts'
import { type InvoiceImport, importInvoices } from './import.ts'

// From draft to issued to voided, and never back; and the amount owed at each step.

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

const run = (invoices: NewInvoice[], options: InvoiceImport = {}) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, (tx) => importInvoices(tx, customerId, invoices, options))
}
const invoice = (number: string, overrides: Partial<NewInvoice> = {}): NewInvoice => ({
  number,
  platform: 'web-services',
  issuer: 'AWS',
  invoiceDate: '2026-09-30',
  dueDate: '2099-10-30',
  currency: 'USD',
  totalAmount: '10.00',
  lines: [{ type: 'web-services', description: 'Compute', price: '10', qty: '1' }],
  ...overrides,
})
const PERIOD = { billingAccount: 'A-1', periodStart: '2026-09-01', periodEnd: '2026-10-01' }
const DRAFT = { ...PERIOD, documentState: 'draft', isNumbered: false } as const
const rows = async (): Promise<string[]> => {
  const result = await db.sql(
    customer,
    `SELECT concat_ws(' ', id, document_state, balance_amount, '-> ' || replaced_by) AS row
     FROM invoices ORDER BY id COLLATE "C"`,
  )
  return result.map(({ row }) => row as string)
}
const owed = async () =>
  (await db.sql(customer, 'SELECT coalesce(sum(balance_amount), 0)::text AS owed FROM invoices'))[0]?.owed

describe('two issuers with one number', () => {
  test('each have their invoice, and the first to arrive keeps the bare number', async () => {
    await run([invoice('2026-05-1')])
    expect(
      await run([invoice('2026-05-1', { issuer: 'Cloud Resale, Ltd.', totalAmount: '7' })]),
    ).toMatchObject({
      added: 1,
    })
    await run([invoice('2026-05-1', { issuer: 'Cloud Resale GmbH', totalAmount: '2' })])
    expect(await rows()).toEqual([
      '2026-05-1 issued 10.00',
      'cloud-resale-gmbh:2026-05-1 issued 2',
      'cloud-resale-ltd:2026-05-1 issued 7',
    ])
    expect(
      await run([invoice('2026-05-1', { issuer: 'Cloud Resale, Ltd.', totalAmount: '7' })]),
    ).toMatchObject({
      unchanged: 1,
    })
  })

  test('also in one file, and a correction of one does not change the other', async () => {
    const other = { issuer: 'Other', totalAmount: '3' }
    await run([invoice('1'), invoice('1', other), invoice('2')])
    await run([invoice('1', { ...other, totalAmount: '4' })], { correct: true })
    expect(await rows()).toEqual([
      '1 issued 10.00',
      '2 issued 10.00',
      'other:1 voided 0 -> other:1~2',
      'other:1~2 issued 4',
    ])
  })

  test('the same number twice from one issuer is refused', async () => {
    await expect(run([invoice('1'), invoice('1')])).rejects.toThrow('invoice 1: is given twice')
    expect(await rows()).toEqual([])
  })
})

describe('a draft', () => {
  test('is never owed, changes freely, and is issued in its place', async () => {
    await run([invoice('D', DRAFT)])
    expect(await rows()).toEqual(['D draft 0'])
    expect(await run([invoice('D', { ...DRAFT, totalAmount: '15' })])).toMatchObject({ redrafted: 1 })
    expect(await run([invoice('D', { ...DRAFT, totalAmount: '15' })])).toMatchObject({ unchanged: 1 })
    await db.sql(customer, "UPDATE invoices SET created_at = '2020-01-01'")
    expect(await run([invoice('D', { ...PERIOD, isNumbered: false, totalAmount: '18' })])).toMatchObject({
      redrafted: 1,
    })
    expect(await rows()).toEqual(['D issued 18'])
    const [{ fresh } = {}] = await db.sql(customer, "SELECT created_at > '2021-01-01' AS fresh FROM invoices")
    expect(fresh).toBe(true)
  })

  test('is superseded by the issued one of its issuer, account and period', async () => {
    await run([
      invoice('D', DRAFT),
      invoice('OTHER-ACCOUNT', { ...DRAFT, billingAccount: 'A-2' }),
      invoice('OTHER-PERIOD', { ...DRAFT, periodStart: '2026-10-01', periodEnd: '2026-11-01' }),
    ])
    await run([invoice('OTHER-ISSUER', { ...DRAFT, issuer: 'GCP' })], { answer: 'another' })
    expect(await run([invoice('INV-7', { ...PERIOD, totalAmount: '12' })])).toMatchObject({
      added: 1,
      superseded: 1,
    })
    expect(await rows()).toEqual([
      'INV-7 issued 12',
      'OTHER-ACCOUNT draft 0',
      'OTHER-ISSUER draft 0',
      'OTHER-PERIOD draft 0',
    ])
    // A draft with another total is stored and not owed; one with the bill’s total is dropped.
    expect(await run([invoice('D', { ...DRAFT, totalAmount: '12.00' })])).toMatchObject({ unchanged: 1 })
    expect(await run([invoice('D', DRAFT)])).toMatchObject({ added: 1 })
    expect(await run([invoice('D', { ...DRAFT, totalAmount: '12.00' })])).toMatchObject({ unchanged: 1 })
    expect((await rows()).filter((row) => row.startsWith('D'))).toEqual([])
    expect(await owed()).toBe('12')
  })

  test('stays next to an issued one that comes with it: both are of the running period', async () => {
    const file = [invoice('MARKET', PERIOD), invoice('D', DRAFT)]
    await run(file)
    await run([invoice('MARKET', PERIOD), invoice('D', { ...DRAFT, totalAmount: '11' })])
    expect(await rows()).toEqual(['D draft 0', 'MARKET issued 10.00'])
    await run([invoice('MARKET', PERIOD), invoice('MAIN', { ...PERIOD, totalAmount: '30' })])
    expect(await rows()).toEqual(['MAIN issued 30', 'MARKET issued 10.00'])
  })

  test('does not replace an issued invoice', async () => {
    await run([invoice('D', { ...PERIOD, isNumbered: false })])
    await expect(run([invoice('D', DRAFT)], { correct: true })).rejects.toThrow('is issued already')
  })
})

describe('a period that was billed without a number', () => {
  const summary = invoice('2026-09-1a2b3c4d', { ...PERIOD, isNumbered: false })

  test('is not billed again by a numbered invoice with another total, unless that corrects it', async () => {
    await run([summary])
    const bill = invoice('INV-7', { ...PERIOD, totalAmount: '10.05' })
    await expect(run([bill])).rejects.toMatchObject({
      problems: [{ subject: 'invoice 2026-09-1a2b3c4d', allowedBy: '--correct' }],
    })
    expect(await owed()).toBe('10.00')
    expect(await run([bill], { correct: true })).toMatchObject({ added: 1, voided: 1 })
    expect(await rows()).toEqual(['2026-09-1a2b3c4d voided 0 -> INV-7', 'INV-7 issued 10.05'])
  })

  test('is billed by the numbered invoice with the same total, which takes its place', async () => {
    await run([summary])
    expect(await run([invoice('INV-7', PERIOD)])).toMatchObject({ added: 1, voided: 1 })
    expect(await rows()).toEqual(['2026-09-1a2b3c4d voided 0 -> INV-7', 'INV-7 issued 10.00'])
  })

  test('is not billed again without one after the numbered invoice', async () => {
    await run([invoice('INV-7', PERIOD)])
    expect(await run([summary])).toMatchObject({ unchanged: 1 })
    expect(await rows()).toEqual(['INV-7 issued 10.00'])
    // Of a total above the bill's, nothing is owed until the issuer confirms it.
    expect(await run([{ ...summary, totalAmount: '15' }])).toMatchObject({ added: 1 })
    expect(await rows()).toEqual(['2026-09-1a2b3c4d draft 0', 'INV-7 issued 10.00'])
  })

  test('is billed by both where one file has both', async () => {
    await run([invoice('INV-7', PERIOD), summary])
    await run([invoice('INV-7', PERIOD), summary])
    expect(await owed()).toBe('20.00')
  })

  test('is not billed again by a draft of it that is issued beside the numbered invoice', async () => {
    await run([invoice('INV-7', PERIOD), invoice('D', DRAFT)])
    const issued = invoice('D', { ...PERIOD, isNumbered: false })
    await run([issued])
    expect(await rows()).toEqual(['INV-7 issued 10.00'])
    await run([invoice('INV-7', PERIOD), issued])
    expect(await rows()).toEqual(['D issued 10.00', 'INV-7 issued 10.00'])
  })

  test('is not billed again by a draft of it that is issued next to the numbered invoice', async () => {
    await run([invoice('INV-7'), summary])
    const billed = invoice('INV-7', PERIOD)
    await run([invoice('INV-8'), { ...summary, totalAmount: '11' }], { correct: true })
    await expect(run([billed])).rejects.toThrow('has invoice INV-7 instead')
  })

  test('is not billed again by an invoice whose period becomes known later', async () => {
    const other = invoice('2026-09-5e6f7a8b', { ...PERIOD, billingAccount: 'A-2', isNumbered: false })
    const third = invoice('2026-09-9c0d1e2f', { ...DRAFT, billingAccount: 'A-3' })
    const { billingAccount: _, ...period } = PERIOD
    const accounts = ['A-1', 'A-2', 'A-3']
    const all = invoice('INV-7', { ...period, accounts, form: 'summary', totalAmount: '20' })
    await run([summary, other, third])
    await expect(run([all])).rejects.toThrow(
      'A-2 of AWS is billed for the period from 2026-09-01 by this summary',
    )
    expect(await run([all], { correct: true })).toMatchObject({ added: 1, voided: 2, superseded: 1 })
    expect(await owed()).toBe('20')
    const again = invoice('2026-09-00000000', { ...PERIOD, billingAccount: 'A-4', isNumbered: false })
    await run([again])
    expect(await owed()).toBe('20')
    await run([all, again])
    expect(await owed()).toBe('30.00')
  })

  test('is never replaced by another account, of which we made the same number', async () => {
    await run([summary])
    await expect(run([{ ...summary, billingAccount: 'A-2' }], { correct: true })).rejects.toThrow(
      'is that of account A-1, and account A-2 came to the same number',
    )
    expect(await rows()).toEqual(['2026-09-1a2b3c4d issued 10.00'])
  })

  test('is replaced only with a balance, once it has payments', async () => {
    await run([{ ...summary, balanceAmount: '4' }])
    await expect(run([invoice('INV-7', PERIOD)], { correct: true })).rejects.toThrow(
      '6.00 of it is settled already',
    )
    await run([invoice('INV-7', { ...PERIOD, balanceAmount: '4' })], { correct: true })
    expect(await owed()).toBe('4')
  })
})

describe('an issued invoice', () => {
  test('changes only its balance, and fills in unknown fields', async () => {
    await run([invoice('1')])
    expect(await run([invoice('1', { balanceAmount: '3' })])).toMatchObject({ moved: 1 })
    expect(await run([invoice('1', PERIOD)])).toMatchObject({ moved: 1 })
    expect(await run([invoice('1', { ...PERIOD, balanceAmount: '3.00' })])).toMatchObject({ unchanged: 1 })
    expect(await rows()).toEqual(['1 issued 3'])
  })

  test('is voided by its issuer, and owes nothing then', async () => {
    await run([invoice('1'), invoice('2')])
    expect(await run([invoice('1', { documentState: 'voided' })])).toMatchObject({ voided: 1 })
    expect(await run([invoice('1', { documentState: 'voided' })])).toMatchObject({ unchanged: 1 })
    expect(await rows()).toEqual(['1 voided 0', '2 issued 10.00'])
  })

  test('that was voided is not restored by an old file, but by a correction', async () => {
    await run([invoice('1')])
    await run([invoice('1', { documentState: 'voided' })])
    await expect(run([invoice('1')])).rejects.toThrow('was voided, and the file has it as issued')
    await run([invoice('1')], { correct: true })
    expect(await rows()).toEqual(['1 voided 0 -> 1~2', '1~2 issued 10.00'])
  })

  test('can be corrected more than once; each keeps its id', async () => {
    await run([invoice('1')])
    for (const totalAmount of ['11', '12']) await run([invoice('1', { totalAmount })], { correct: true })
    expect(await rows()).toEqual(['1 voided 0 -> 1~2', '1~2 voided 0 -> 1~3', '1~3 issued 12'])
  })

  test('that arrives voided is stored as voided', async () => {
    expect(await run([invoice('1', { documentState: 'voided' })])).toMatchObject({ added: 1 })
    expect(await run([invoice('1', { documentState: 'voided' })])).toMatchObject({ unchanged: 1 })
    expect(await owed()).toBe('0')
  })

  test('that is corrected to another currency needs its balance if it has payments', async () => {
    await run([invoice('1', { balanceAmount: '4' }), invoice('2')])
    const inEuro = { currency: 'EUR', totalAmount: '12' }
    await expect(run([invoice('1', inEuro)], { correct: true })).rejects.toThrow(
      'invoice 1: 6 USD of it is settled already, and the file has it in EUR: give its balance, too',
    )
    await run([invoice('1', { ...inEuro, balanceAmount: '7' }), invoice('2', inEuro)], { correct: true })
    expect(await rows()).toEqual(['1 voided 0 -> 1~2', '1~2 issued 7', '2 voided 0 -> 2~2', '2~2 issued 12'])
  })

  test('of history stays history when it is corrected', async () => {
    const customerId = newCustomerId(customer)
    await scope({ customerId }, (tx) =>
      importInvoices(tx, customerId, [invoice('1'), invoice('2')], { history: 'all' }),
    )
    await run([invoice('1', { totalAmount: '11' }), invoice('3')], { correct: true })
    expect(await db.sql(customer, 'SELECT id FROM invoices WHERE NOT is_history')).toEqual([{ id: '3' }])
  })
})
