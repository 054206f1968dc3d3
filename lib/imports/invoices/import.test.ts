import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import type { NewInvoice } from '../schemas.ts'
import { importInvoices } from './import.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const run = (customer: string, invoices: NewInvoice[], { correct = false } = {}) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, async (tx) => {
    await allowImportTimes(tx)
    return importInvoices(tx, customerId, invoices, { correct })
  })
}

const NONE = { added: 0, unchanged: 0, moved: 0, redrafted: 0, corrected: 0, superseded: 0, voided: 0 }
const LINE = { type: 'web-services', description: 'Compute', price: '2.50', qty: '4', details: 'Usage' }
const invoice = (overrides: Partial<NewInvoice> = {}): NewInvoice => ({
  number: 'INV-1',
  platform: 'web-services',
  issuer: 'Reseller',
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-30',
  currency: 'USD',
  totalAmount: '10.00',
  lines: [LINE],
  ...overrides,
})

const stored = (customer: string) =>
  db.sql(
    customer,
    `SELECT i.id, billing_profile_id, invoice_date::text, total_amount, balance_amount,
       (SELECT json_agg(l.description ORDER BY l.position) FROM line_items l WHERE l.invoice_id = i.id) AS lines
     FROM invoices i ORDER BY i.id`,
  )
const audits = (customer: string) =>
  db.sql(customer, 'SELECT action, subject, details, actor_kind FROM audit_events ORDER BY id')

describe('importInvoices', () => {
  test('adds invoices with their lines in their order', async () => {
    const customer = await addNewCustomer()
    const lines = ['b', 'a', 'c'].map((description) => ({ ...LINE, description }))
    expect(
      await run(customer, [invoice({ lines }), invoice({ number: 'INV-2', balanceAmount: '-3.5' })]),
    ).toEqual({ ...NONE, added: 2 })
    expect(await stored(customer)).toEqual([
      {
        id: 'INV-1',
        billing_profile_id: 'default',
        invoice_date: '2026-09-30',
        total_amount: '10.00',
        balance_amount: '10.00',
        lines: ['b', 'a', 'c'],
      },
      expect.objectContaining({ id: 'INV-2', balance_amount: '-3.5', lines: ['Compute'] }),
    ])
  })

  test('changes nothing for the same invoice in another notation', async () => {
    const customer = await addNewCustomer()
    await run(customer, [invoice()])
    const before = await db.sql(customer, 'SELECT i.xmin, l.xmin AS line FROM invoices i, line_items l')
    const again = invoice({ totalAmount: '10', lines: [{ ...LINE, price: '2.5', qty: '4.000' }] })
    expect(await run(customer, [again])).toEqual({ ...NONE, unchanged: 1 })
    expect(await run(customer, [again], { correct: true })).toEqual({ ...NONE, unchanged: 1 })
    expect(await db.sql(customer, 'SELECT i.xmin, l.xmin AS line FROM invoices i, line_items l')).toEqual(
      before,
    )
    expect(await audits(customer)).toEqual([])
  })

  test.each<[string, Partial<NewInvoice>, string]>([
    ['totalAmount', { totalAmount: '10.01' }, 'stored 10.00, given 10.01'],
    ['platform', { platform: 'other' }, 'stored web-services, given other'],
    ['invoiceDate', { invoiceDate: '2026-09-29' }, 'stored 2026-09-30, given 2026-09-29'],
    ['dueDate', { dueDate: '2026-10-01' }, 'stored 2026-10-30, given 2026-10-01'],
    ['currency', { currency: 'EUR' }, 'stored USD, given EUR'],
    ['billingProfileId', { billingProfileId: 'emea' }, 'stored default, given emea'],
    ['lines', { lines: [LINE, LINE] }, 'stored 1, given 2'],
    ['lines[0].description', { lines: [{ ...LINE, description: 'X' }] }, 'stored Compute, given X'],
    ['lines[0].price', { lines: [{ ...LINE, price: '2.51' }] }, 'stored 2.50, given 2.51'],
    ['lines[0].qty', { lines: [{ ...LINE, qty: '5' }] }, 'stored 4, given 5'],
    ['lines[0].type', { lines: [{ ...LINE, type: 'x' }] }, 'stored web-services, given x'],
    ['lines[0].details', { lines: [{ ...LINE, details: null }] }, 'stored Usage, given nothing'],
  ])('refuses another %s, and replaces the invoice with correct', async (column, change, reason) => {
    const customer = await addNewCustomer()
    await addProfile(customer, 'emea')
    await run(customer, [invoice()])
    const before = await stored(customer)
    const incoming = [invoice({ number: 'INV-0' }), invoice(change)]
    await expect(run(customer, incoming)).rejects.toMatchObject({
      problems: [{ subject: 'invoice INV-1', column, reason }],
    })
    expect(await stored(customer)).toEqual(before)

    expect(await run(customer, incoming, { correct: true })).toEqual({ ...NONE, added: 1, corrected: 1 })
    expect(await run(customer, incoming)).toEqual({ ...NONE, unchanged: 2 })
    const rows = await db.sql(
      customer,
      "SELECT id, document_state, replaced_by, balance_amount FROM invoices WHERE number = 'INV-1' ORDER BY id",
    )
    expect(rows).toEqual([
      { id: 'INV-1', document_state: 'voided', replaced_by: 'INV-1~2', balance_amount: '0' },
      expect.objectContaining({ id: 'INV-1~2', document_state: 'issued', replaced_by: null }),
    ])
    expect(await audits(customer)).toEqual([
      {
        action: 'invoice.voided',
        subject: 'INV-1',
        actor_kind: 'operator',
        details: { replacedBy: 'INV-1~2', changes: [`invoice INV-1, ${column}: ${reason}`] },
      },
    ])
  })

  test('keeps the paid amount where the file has none', async () => {
    const customer = await addNewCustomer()
    await run(customer, [invoice()])
    await run(customer, [invoice({ balanceAmount: '4' })])
    expect(await run(customer, [invoice()])).toMatchObject({ unchanged: 1 })
    await run(customer, [invoice({ totalAmount: '12.00' })], { correct: true })
    expect(await stored(customer)).toMatchObject([
      { id: 'INV-1', total_amount: '10.00', balance_amount: '0' },
      { id: 'INV-1~2', total_amount: '12.00', balance_amount: '6' },
    ])
  })

  test('refuses values that can’t be stored, and stores nothing', async () => {
    const customer = await addNewCustomer()
    const bad = [
      invoice({ number: 'A' }),
      invoice({ number: 'A' }),
      invoice({ number: 'B', lines: [] }),
      invoice({ number: 'C', billingProfileId: 'nowhere' }),
    ]
    await expect(run(customer, bad)).rejects.toMatchObject({
      problems: [{ subject: 'invoice A' }, { subject: 'invoice B' }, { subject: 'invoice C' }],
    })
    expect(await stored(customer)).toEqual([])
  })

  test('refuses an amount that the API could not represent to the cent', async () => {
    const customer = await addNewCustomer()
    const inexact = invoice({ totalAmount: '999999999999999.99', balanceAmount: '10' })
    await expect(run(customer, [inexact])).rejects.toThrow('totalAmount: has more digits')
    const exact = invoice({ totalAmount: '9999999999999.99', balanceAmount: '-0.10' })
    expect(await run(customer, [exact])).toMatchObject({ added: 1 })
  })

  test('lists a few differences of each invoice, and 20 problems in all', async () => {
    const customer = await addNewCustomer()
    const many = Array.from({ length: 30 }, (_, index) =>
      invoice({ number: `I-${index}`, lines: Array(9).fill(LINE) }),
    )
    await run(customer, many)
    const other = many.map((each) => ({ ...each, lines: Array(9).fill({ ...LINE, qty: '5' }) }))
    const error = await run(customer, other).catch((thrown: unknown) => thrown)
    const { problems } = error as { problems: { reason: string }[] }
    expect(problems).toHaveLength(20)
    expect(problems[4]?.reason).toBe('5 more differences')
  })

  test("never sees another customer's invoice of the same id", async () => {
    const [one, other] = [await addNewCustomer(), await addNewCustomer()]
    await run(one, [invoice()])
    expect(await run(other, [invoice({ totalAmount: '99' })], { correct: true })).toMatchObject({ added: 1 })
    expect(await stored(one)).toMatchObject([{ total_amount: '10.00' }])
  })

  // Of both more than one portion (`batches.ts`, `line-rows.ts`).
  const [MANY, LONG] = DEEP ? [5000, 20_000] : [1100, 5100]
  test(`imports ${MANY} invoices with ten lines each, and one with ${LONG}`, async () => {
    const customer = await addNewCustomer()
    const lines = Array.from({ length: 10 }, (_, index) => ({ ...LINE, description: `Line ${index}` }))
    const many = Array.from({ length: MANY }, (_, index) => invoice({ number: `M-${index}`, lines }))
    many.push(invoice({ number: 'LONG', lines: Array(LONG).fill(LINE) }))
    expect(await run(customer, many)).toEqual({ ...NONE, added: MANY + 1 })
    expect(await run(customer, many)).toEqual({ ...NONE, unchanged: MANY + 1 })
    const [count] = await db.sql(customer, 'SELECT count(*)::int AS lines FROM line_items')
    expect(count).toEqual({ lines: 10 * MANY + LONG })
  })
})
