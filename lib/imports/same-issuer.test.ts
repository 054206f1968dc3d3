import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listIssuers } from '#lib/billing/parties/issuers.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { importErrorOf, importers } from './charges/test-importers.ts'
import { importInvoices } from './invoices/import.ts'
import type { NewInvoice } from './schemas.ts'

// One issuer is one, however its name is written; two legal forms are two.

let all: Awaited<ReturnType<typeof importers>>
beforeAll(async () => {
  all = await importers()
})
afterAll(() => all.close())

const HEADER =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
type Charge = { id?: string; issuer: string; cost: string }
/**
 * Returns a file without a number in any row, and so without a column for it: unbilled charges have tests of their own.
 */
const csv = (...charges: Charge[]) => {
  const hasIds = charges.some(({ id = '' }) => id !== '')
  const rows = charges.map(
    ({ id = '', issuer, cost }) =>
      `${hasIds ? `${id},` : ''}"${issuer}",111,2026-09-01,2026-10-01,USD,AWS,Compute,Usage,${cost}`,
  )
  return [`${hasIds ? 'InvoiceId,' : ''}${HEADER}`, ...rows].join('\n')
}
const file = (...charges: Charge[]) => all.file(csv(...charges))

async function newCustomer() {
  const one = await all.importer()
  const owed = async () =>
    (
      await all.db.sql(
        one.id,
        `SELECT issuer, count(*)::int AS count, sum(balance_amount)::text AS owed FROM invoices
         WHERE document_state = 'issued' GROUP BY issuer ORDER BY issuer`,
      )
    ).map(({ issuer, count, owed }) => [issuer, count, Number(owed)])
  const run = (invoices: NewInvoice[], answer?: 'same' | 'another' | 'unattended') =>
    scope({ customerId: one.customerId }, (tx) => importInvoices(tx, one.customerId, invoices, { answer }))
  return { ...one, owed, run }
}
const invoice = (overrides: Partial<NewInvoice>): NewInvoice => ({
  number: 'INV-1',
  platform: 'web-services',
  issuer: 'Microsoft',
  invoiceDate: '2026-09-30',
  dueDate: '2099-10-30',
  currency: 'USD',
  totalAmount: '70',
  lines: [{ type: 'web-services', description: 'Compute', price: '70', qty: '1' }],
  ...overrides,
})

const SPELLINGS = [
  'Acme Café Ltd',
  'ACME CAFÉ LTD',
  'Acme  Café Ltd',
  'Acme Cafe\u0301 Ltd.',
  'Acme Café, Limited',
]

describe('one issuer in several spellings', () => {
  test('is owed a bill once, under the name that was written first', async () => {
    const { run, owed } = await newCustomer()
    await run([invoice({})])
    expect(await run([invoice({ issuer: 'MICROSOFT' })])).toMatchObject({ unchanged: 1, added: 0 })
    await run([invoice({ number: 'INV-2', issuer: 'MicroSoft' })])
    expect(await owed()).toEqual([['Microsoft', 2, 140]])
  })

  test('has its credit note set off against the invoice, in another spelling too', async () => {
    const { run, id } = await newCustomer()
    await run([invoice({ issuer: 'Acme Ltd' })])
    const credit = (price: string) => ({
      totalAmount: price,
      corrects: 'INV-1',
      lines: [{ type: 'web-services', description: 'Compute', price, qty: '1' }],
    })
    await run([invoice({ number: 'CN-1', issuer: 'ACME, LIMITED', ...credit('-30') })])
    await run([invoice({ number: 'CN-2', issuer: 'Acme GmbH', ...credit('-5') })], 'another')
    expect(
      await all.db.sql(
        id,
        `SELECT number, issuer, trim_scale(coalesce(payable_amount, balance_amount))::text AS payable FROM invoices ORDER BY number`,
      ),
    ).toEqual([
      { number: 'CN-1', issuer: 'Acme Ltd', payable: '0' },
      { number: 'CN-2', issuer: 'Acme GmbH', payable: '-5' },
      { number: 'INV-1', issuer: 'Acme Ltd', payable: '40' },
    ])
  })

  test.each(['INV-1', ''])('is owed one sum of files in five spellings, with the number %j', async (id) => {
    const { load, owed, count } = await newCustomer()
    for (const issuer of [...SPELLINGS, ...SPELLINGS.toReversed()])
      await load([file({ id, issuer, cost: '10.00' })])
    expect(await owed()).toEqual([[SPELLINGS[0], 1, 10]])
    expect(await count()).toBe(1)
  })

  test.each(['INV-1', ''])('has parts of one bill in one import, with the number %j', async (id) => {
    const { load, owed, read, id: customer } = await newCustomer()
    const parts = SPELLINGS.map((issuer) => file({ id, issuer, cost: '10.01' }))
    await load(parts)
    await load(parts.toReversed())
    expect(await owed()).toEqual([[SPELLINGS.toSorted()[0], 1, 50.05]])
    const [row] = await all.db.sql(customer, 'SELECT id FROM invoices')
    // Its charges lead to it, whatever their spelling.
    expect(await read(String(row?.id))).toMatchObject({ charges: { count: 5 } })
  })

  test('is refused twice in one file, and differs in the bill and not in its name', async () => {
    const { run } = await newCustomer()
    await expect(run([invoice({}), invoice({ issuer: 'MICROSOFT' })])).rejects.toThrow(
      'invoice INV-1: is given twice',
    )
    await run([invoice({})])
    expect(await importErrorOf(run([invoice({ issuer: 'MICROSOFT', totalAmount: '71' })]))).toEqual([
      expect.objectContaining({ subject: 'invoice INV-1', column: 'totalAmount' }),
    ])
  })

  test('has one bank and one period, whatever the spelling', async () => {
    const { run, owed, customerId } = await newCustomer()
    const period = { billingAccount: '111', periodStart: '2026-09-01', periodEnd: '2026-10-01' }
    await run([invoice({ number: 'D', documentState: 'draft', isNumbered: false, ...period })])
    const bank = { iban: 'DE02120300000000202051' }
    expect(await run([invoice({ issuer: 'MICROSOFT', issuerDetails: bank, ...period })])).toMatchObject({
      added: 1,
      superseded: 1,
    })
    expect(await owed()).toEqual([['Microsoft', 1, 70]])
    expect(await readScope({ customerId }, (tx) => listIssuers(tx, customerId))).toEqual([
      expect.objectContaining({ name: 'Microsoft', ...bank }),
    ])
  })

  test('keeps rows that were stored under two spellings before names were compared', async () => {
    const { id, run, owed } = await newCustomer()
    const old = {
      issuer: 'MICROSOFT',
      totalAmount: '70',
      balanceAmount: '70',
      createdAt: new Date('2026-01-02'),
    }
    await addInvoice(id, 'microsoft:INV-1', { ...old, number: 'INV-1' })
    await addInvoice(id, 'OLD', { ...old, issuer: 'Microsoft', createdAt: new Date('2026-01-01') })
    // A stored row keeps its spelling, and new rows have the first one.
    await run([
      invoice({
        balanceAmount: '0',
        platform: 'cloud-platform',
        invoiceDate: '2026-10-31',
        dueDate: '2026-11-30',
        lines: [{ type: 'cloud-platform', description: 'Usage', price: '10', qty: '1' }],
      }),
    ])
    await run([invoice({ number: 'NEW', issuer: 'MICROSOFT' })])
    expect(await owed()).toEqual([
      ['MICROSOFT', 1, 0],
      ['Microsoft', 2, 140],
    ])
  })
})

test('two issuers with different legal forms and the same number stay two debts', async () => {
  const { run, owed } = await newCustomer()
  await run([invoice({ issuer: 'Acme Ltd' }), invoice({ issuer: 'Acme GmbH', totalAmount: '30' })])
  expect(await owed()).toEqual([
    ['Acme GmbH', 1, 30],
    ['Acme Ltd', 1, 70],
  ])
})

test('two imports of one bill at the same time make one invoice', async () => {
  const { load, owed } = await newCustomer()
  const files = SPELLINGS.map((issuer) => file({ id: 'RACE', issuer, cost: '10.00' }))
  const done = await Promise.all(files.map((one) => load([one])))
  expect(done.map(({ report }) => report.counts.added).sort()).toEqual([0, 0, 0, 0, 1])
  expect(await owed()).toEqual([[expect.stringMatching(/acme/i), 1, 10]])
})
