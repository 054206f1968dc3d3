import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

// One bill under two names of its issuer: it is asked about, found, and made one again.

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-duplicates-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
let customer: string
beforeEach(async () => {
  customer = await addNewCustomer()
})

const HEADER =
  'InvoiceId,InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
const INC = 'Amazon Web Services, Inc.'
const SARL = 'Amazon Web Services EMEA SARL'
type Charge = { id?: string; issuer?: string; account?: string; cost?: string }
let files = 0
function put(...charges: Charge[]): string {
  const rows = charges.map(
    ({ id = '', issuer = INC, account = '111', cost = '100.00' }) =>
      `${id},"${issuer}",${account},2026-09-01,2026-10-01,USD,AWS,Compute,Usage,${cost}`,
  )
  const name = `${++files}.csv`
  writeFileSync(join(folder, name), [HEADER, ...rows].join('\n'))
  return name
}
const load = (file: string, more = '') => admin(`import focus ${file} --customer ${customer} ${more}`.trim())
const owed = async () =>
  Number((await db.sql(customer, 'SELECT sum(balance_amount)::text AS owed FROM invoices'))[0]?.owed ?? 0)
const states = async () =>
  (await db.sql(customer, 'SELECT id, document_state AS state, balance_amount AS balance FROM invoices')).map(
    ({ id, state, balance }) => `${id} ${state} ${Number(balance)}`,
  )
const history = async () =>
  (await db.sql(customer, 'SELECT action, subject FROM audit_events ORDER BY id')).map(
    ({ action, subject }) => `${action} ${subject}`,
  )
const duplicates = async () =>
  JSON.parse((await admin(`invoices duplicates --json --customer ${customer}`)).out)

describe('a bill of another issuer', () => {
  test('for the same account and period stops the import, which names both', async () => {
    expect((await load(put({}))).code).toBe(0)
    const { code, err } = await load(put({ id: 'EU-1', issuer: SARL }))
    expect(code).toBe(1)
    expect(err).toContain(`invoice EU-1 of ${SARL}: invoice 2026-09-`)
    expect(err).toContain(`of ${INC} is of the same account 111 and period 2026-09-01 to 2026-09-30, too`)
    expect(err).toContain('--same-issuer')
    expect(err).toContain('--another-issuer')
    // An unbilled draft is not owed.
    expect(await states()).toEqual([expect.stringMatching(/^2026-09-.* draft 0$/)])
  })

  test('with the same number and total stops it too, also within one file', async () => {
    const file = put({ id: 'N-1' }, { id: 'N-1', issuer: 'Reseller', account: '222' })
    const { code, err } = await load(file)
    expect(code).toBe(1)
    expect(err).toContain(
      'invoice N-1 of Reseller: invoice N-1 of Amazon Web Services, Inc. has the same number and total',
    )
    expect(await states()).toEqual([])
    // Another total is another bill.
    expect(
      (await load(put({ id: 'N-1' }, { id: 'N-1', issuer: 'Reseller', account: '222', cost: '99.00' }))).code,
    ).toBe(0)
  })

  test('is stored for the same issuer with --same-issuer, which is remembered', async () => {
    await load(put({ id: 'US-1', cost: '100.00' }))
    const bill = put({ id: 'US-1', issuer: SARL })
    expect((await load(bill, '--same-issuer')).code).toBe(0)
    expect(await owed()).toBe(100)
    expect(await load(bill)).toMatchObject({ code: 0, out: expect.stringContaining('1 unchanged') })
    expect(await history()).toContain(`issuer.same ${SARL}`)
    const { out } = await admin(`issuers list --json --customer ${customer}`)
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ name: SARL, sameAs: INC }))
  })

  test('is stored for another issuer with --another-issuer, which is remembered', async () => {
    await load(put({ id: 'US-1' }))
    const bill = put({ id: 'EU-1', issuer: SARL })
    expect((await load(bill, '--another-issuer')).code).toBe(0)
    expect(await owed()).toBe(200)
    expect((await load(put({ id: 'EU-2', issuer: SARL.toUpperCase() }))).code).toBe(0)
    expect(await duplicates()).toEqual([])
    expect(await history()).toContain(`issuer.another ${SARL}`)
  })

  test('is left out with --unattended, and all others are stored', async () => {
    await load(put({ id: 'US-1' }))
    const bill = put(
      { id: 'US-2' },
      { id: 'EU-1', issuer: SARL },
      { id: 'EU-2', issuer: SARL, account: '222' },
    )
    const { code, out, err } = await load(bill, '--unattended')
    expect(code).toBe(2)
    expect(out).toContain('Worth a look')
    expect(out).toContain(`Left out: EU-1 of ${SARL}, which may be US-1 of ${INC}`)
    expect(err).toContain('1 left out')
    expect((await states()).sort()).toEqual(['EU-2 issued 100', 'US-1 issued 100', 'US-2 issued 100'])
    // Its charges wait for it, too.
    expect(await db.sql(customer, "SELECT FROM charge_sets WHERE number = 'EU-1'")).toEqual([])
    // With the operator's answer, the same file stores the rest.
    expect((await load(bill, '--another-issuer')).code).toBe(0)
    expect((await load(bill, '--unattended')).code).toBe(0)
    expect(await owed()).toBe(400)
  })

  test('accepts one answer: two are wrong usage', async () => {
    const { code, err } = await load(put({}), '--same-issuer --unattended')
    expect([code, err]).toEqual([2, expect.stringContaining('Give one of')])
  })
})

test('The operator sets and lists by issuer when charges without a number are issued', async () => {
  const set = (...args: string[]) => admin(`issuers set --customer ${customer}`, '', ['Nimbus', ...args])
  expect((await set('--grace-days', '5', '--unbilled', 'issue')).code).toBe(0)
  const { out } = await admin(`issuers list --json --customer ${customer}`)
  expect(JSON.parse(out)).toMatchObject([{ name: 'Nimbus', graceDays: '5', unbilled: 'issue' }])
  expect((await set('--grace-days', '367')).err).toContain('0 to 366')
  expect((await set('--unbilled', 'never')).err).toContain('Give "draft" or "issue"')
  await set('--grace-days', '', '--unbilled', '')
  expect(JSON.parse((await admin(`issuers list --json --customer ${customer}`)).out)).toEqual([])
})

describe('an alias', () => {
  test('makes two issuers one, until it is taken away', async () => {
    const alias = (...args: string[]) => admin(`issuers alias --customer ${customer}`, '', args)
    await load(put({ id: 'US-1' }))
    expect((await alias(SARL, INC.toLowerCase())).code).toBe(0)
    expect((await alias(SARL, INC)).err).toContain('already')
    expect((await alias(INC, SARL)).err).toContain('already')
    await load(put({ id: 'EU-2', issuer: SARL, account: '222' }))
    expect(await db.sql(customer, "SELECT issuer FROM invoices WHERE id = 'EU-2'")).toEqual([{ issuer: INC }])
    // Also parts of one bill, whether it has a number or not.
    for (const [id, account] of [
      ['US-9', '333'],
      ['', '444'],
    ] as const)
      await load(put({ id, account }, { id, account, issuer: SARL }))
    const bills = "SELECT total_amount::int AS total FROM invoices WHERE billing_account IN ('333', '444')"
    expect(await db.sql(customer, bills)).toEqual([{ total: 200 }, { total: 200 }])
    expect((await alias(SARL, '--remove')).code).toBe(0)
    expect((await alias(SARL, '--remove')).err).toContain('is no other name')
    expect((await load(put({ id: 'EU-3', issuer: SARL }))).code).toBe(1)
  })
})

describe('invoices that were stored twice before names were compared', () => {
  const OLD = { totalAmount: '70', issuer: 'Microsoft', createdAt: new Date('2026-01-01') }
  const TWICE = { ...OLD, issuer: 'MICROSOFT', number: 'INV-1', createdAt: new Date('2026-01-02') }
  beforeEach(async () => {
    await addInvoice(customer, 'INV-1', { ...OLD, balanceAmount: '70' })
    await addInvoice(customer, 'microsoft:INV-1', { ...TWICE, balanceAmount: '50' })
  })
  const merge = (...more: string[]) =>
    admin(`invoices merge INV-1 microsoft:INV-1 --customer ${customer}`, '', more)

  test('are listed, and an import under either name adds no third one', async () => {
    expect(await duplicates()).toEqual([
      {
        keep: 'INV-1',
        issuer: 'Microsoft',
        duplicate: 'microsoft:INV-1',
        otherIssuer: 'MICROSOFT',
        total: '70',
        otherTotal: '70',
        currency: 'USD',
        because: 'same number',
      },
    ])
  })

  test('become one, with the payments, the documents and the history of both', async () => {
    const pdf = '%PDF-1.7\nthe issuer’s own\n%%EOF\n'
    writeFileSync(join(folder, 'own.pdf'), pdf)
    await admin(`invoices attach own.pdf --invoice microsoft:INV-1 --customer ${customer}`)
    expect(await merge()).toMatchObject({ code: 0, err: expect.stringContaining('50 USD are left to pay') })
    expect((await states()).sort()).toEqual(['INV-1 issued 50', 'microsoft:INV-1 voided 0'])
    const kept = await db.sql(customer, 'SELECT invoice_id, name FROM invoice_files ORDER BY invoice_id')
    expect(kept).toEqual([
      { invoice_id: 'INV-1', name: 'own.pdf' },
      { invoice_id: 'microsoft:INV-1', name: 'own.pdf' },
    ])
    expect(await history()).toEqual(
      expect.arrayContaining([
        'invoice.voided microsoft:INV-1',
        'invoice.merged microsoft:INV-1',
        'invoice.merged INV-1',
      ]),
    )
    expect(await duplicates()).toEqual([])
    expect(await merge()).toMatchObject({ code: 1, err: expect.stringContaining('is voided') })
  })

  test('require the remaining balance if both have payments', async () => {
    await db.sql(customer, "UPDATE invoices SET balance_amount = 60 WHERE id = 'INV-1'")
    expect(await merge()).toMatchObject({ code: 1, err: expect.stringContaining('--balance') })
    expect((await merge('--balance', '45.50')).code).toBe(0)
    expect(await owed()).toBe(45.5)
  })

  test('are not merged with an unknown invoice, one in another currency, or themselves', async () => {
    await addInvoice(customer, 'EUR-1', { currency: 'EUR' })
    const other = (id: string) => admin(`invoices merge INV-1 ${id} --customer ${customer}`)
    expect((await other('NONE')).err).toContain('There is no invoice "NONE"')
    expect((await other('EUR-1')).err).toContain('USD and EUR')
    expect((await other('INV-1')).err).toContain('Give two invoices')
    expect((await merge('--balance', 'much')).err).toContain('no amount')
    expect(await owed()).toBe(130)
  })
})
