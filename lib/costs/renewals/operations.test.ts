import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addInvoice,
  addKey,
  addMember,
  addNewCustomer,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import * as list from '../../../app/billing/v1/renewals/route.ts'
import * as csv from '../../../app/billing/v1/renewals.csv/route.ts'
import type { RenewalList } from './contract.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-23' })
})
afterAll(() => db.close())

const ending = (day: string, overrides = {}) => ({
  purchased: 50,
  assigned: 45,
  isCommitmentPlan: true,
  commitmentEnd: new Date(`${day}T00:00:00Z`),
  ...overrides,
})

beforeEach(async () => {
  customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  const office = { skuName: 'Office E3', name: 'Office E3', renewalType: 'CANCEL', scheduledTotal: 40 }
  await addAsset(customer, 'office-suite-march', ending('2027-03-01'), office)
  const plus = { renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY', name: 'Business Plus' }
  await addAsset(
    customer,
    'workspace-suite-soon',
    ending('2026-12-03', { purchased: 120, assigned: 100 }),
    plus,
  )
  // Commitments that don't renew within the twelve months.
  await addAsset(customer, 'workspace-suite-past', ending('2026-11-22'))
  await addAsset(customer, 'workspace-suite-far', ending('2027-11-01'))
  await addAsset(customer, 'workspace-suite-off', ending('2026-12-04', { status: 'CANCELLED' }))
  await addAsset(customer, 'workspace-suite-flexible', { purchased: 9 })
  await addAsset(customer, 'cloud-platform-1', null)
  const october = { platform: 'workspace-suite', invoiceDate: '2026-10-31', balanceAmount: '0' }
  await addInvoice(customer, 'IN-OCT', october, [
    { description: 'Business Plus', price: '18', qty: '120', details: '1 Oct – 31 Oct 2026' },
  ])
  const euros = { billingProfileId: 'emea', currency: 'EUR', platform: 'office-suite' }
  await addInvoice(customer, 'RE-OCT', { ...euros, invoiceDate: '2026-10-31' }, [
    { description: 'Office E3', price: '10', qty: '50', periodStart: '2026-10-01', periodEnd: '2026-11-01' },
  ])
})

async function request(roles: Role[], search = '', overrides: Parameters<typeof addKey>[2] = {}) {
  const key = await addKey(customer, roles, overrides)
  const headers = { Authorization: `Bearer ${key}` }
  const response = await list.GET(new Request(`http://a.example/billing/v1/renewals${search}`, { headers }))
  return { status: response.status, json: (await response.json()) as RenewalList & { code?: string } }
}

describe('the list', () => {
  test('contains the commitments that end in the twelve months, next one first', async () => {
    const { status, json } = await request(['admin'])
    expect([status, json.renewals.map(({ asset }) => asset.id)]).toEqual([
      200,
      ['workspace-suite-soon', 'office-suite-march'],
    ])
    expect(json.renewals[0]).toEqual({
      asset: { id: 'workspace-suite-soon', name: 'Business Plus', type: 'workspace-suite' },
      domain: `${customer}.example`,
      planName: 'ANNUAL_MONTHLY_PAY',
      time: Date.parse('2026-12-03'),
      decideBy: Date.parse('2026-12-02'),
      purchased: 120,
      assigned: 100,
      idle: 20,
      renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
      outcome: 'renews',
      happens: 'Renews with the licenses in use',
      price: {
        amount: 18,
        currency: 'USD',
        months: 1,
        invoiceId: 'IN-OCT',
        invoiceDate: Date.parse('2026-10-31'),
      },
      cost: { amount: 2160, currency: 'USD', per: 'month', yearlyAmount: 25920 },
      idleCost: { amount: 360, currency: 'USD', per: 'month', yearlyAmount: 4320 },
      nextCost: { amount: 1800, currency: 'USD', per: 'month', yearlyAmount: 21600 },
      url: expect.stringMatching(/\/assets\/workspace-suite-soon$/),
    })
    expect(json.renewals[1]).toMatchObject({ outcome: 'ends', happens: 'Ends', nextTotal: 40 })
    expect(json.sums).toEqual([
      { currency: 'EUR', count: 1, amount: 6000, idleAmount: 600 },
      { currency: 'USD', count: 1, amount: 25920, idleAmount: 4320 },
    ])
    expect([json.unpriced, json.isWhole, json.today]).toEqual([0, true, Date.parse('2026-11-23')])
  })

  test('counts each month, and each type without the filter', async () => {
    const { json } = await request(['it-manager'], '?filter=type:office-suite&month=2026-12')
    expect(json.renewals).toEqual([])
    const filled = json.months.filter(({ count }) => count > 0)
    expect([json.months.length, filled]).toEqual([
      12,
      [{ month: '2027-03', count: 1, licenses: 50, idle: 5 }],
    ])
    expect(json.types).toEqual([
      { type: 'office-suite', count: 1 },
      { type: 'workspace-suite', count: 1 },
    ])
  })

  test.each([
    ['?month=2026-12', ['workspace-suite-soon']],
    ['?month=2027-03', ['office-suite-march']],
    ['?month=2020-01', []],
    ['?quarter=2027-Q1', ['office-suite-march']],
    ['?quarter=2026-Q4&month=2026-12', ['workspace-suite-soon']],
    ['?quarter=2027-Q2', []],
    ['?quarter=2027-Q3', []],
    ['?filter=type:office-suite', ['office-suite-march']],
    ['?filter=type:nothing', []],
  ])('%s selects', async (search, expected) => {
    const { json } = await request(['admin'], search)
    expect(json.renewals.map(({ asset }) => asset.id)).toEqual(expected)
  })

  test.each([
    ['?month=2026-13', 'invalid_request'],
    ['?month=', 'invalid_request'],
    ['?month=december', 'invalid_request'],
    ['?quarter=2027-Q5', 'invalid_request'],
    // Of the twelve months, only October 2027 is in the former, and none in the others.
    ['?quarter=2027-Q4', 'invalid_request'],
    ['?quarter=2028-Q1', 'invalid_request'],
    ['?quarter=2026-Q3', 'invalid_request'],
    ['?filter=colour:red', 'filter_invalid'],
    ['?filter=type:', 'filter_invalid'],
  ])('refuses %s', async (search, code) => {
    const { status, json } = await request(['admin'], search)
    expect([status, json.code]).toEqual([400, code])
  })

  test('names the quarters of a refusal, and the file refuses the same', async () => {
    const detail = 'must be one of 2026-Q4, 2027-Q1, 2027-Q2, 2027-Q3'
    const { json } = await request(['admin'], '?quarter=2027-Q4')
    expect(json).toMatchObject({ errors: [{ parameter: 'quarter', detail }] })
    const headers = { Authorization: `Bearer ${await addKey(customer, ['admin'])}` }
    const file = new Request('http://a.example/billing/v1/renewals.csv?quarter=2027-Q4', { headers })
    expect((await csv.GET(file)).status).toBe(400)
  })

  test('is limited to the first thousand, and reports the limit', async () => {
    await db.sql(
      customer,
      `INSERT INTO assets SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'workspace-suite-' || lpad(n::text, 4, '0')))).*
       FROM assets a, generate_series(1, 999) n WHERE id = 'workspace-suite-soon'`,
    )
    const { json } = await request(['it-manager'])
    expect([json.isWhole, json.renewals.length]).toEqual([false, 1000])
    expect(json.renewals.every(({ asset }) => asset.id !== 'office-suite-march')).toBe(true)
  })
})

describe('access to renewals', () => {
  test('a Finance User sees no licenses', async () => {
    const { status, json } = await request(['finance-user'])
    expect([status, json.code]).toEqual([403, 'permission_denied'])
  })

  test('An IT Manager sees prices without invoice ids, unless the customer hides prices', async () => {
    const before = await request(['it-manager'])
    expect(before.json.renewals[0]?.price).toMatchObject({ amount: 18 })
    expect(before.json.renewals[0]?.price).not.toHaveProperty('invoiceId')
    await db.sql(customer, 'UPDATE customers SET hides_prices = true WHERE id = $1', [customer])
    const { json } = await request(['it-manager'])
    expect(JSON.stringify(json)).not.toMatch(/price|cost|USD|EUR|unpriced/i)
    expect(json.sums).toEqual([])
    expect((await request(['admin'])).json.sums).toHaveLength(2)
  })

  test('A member limited to a billing profile sees prices of its invoices only', async () => {
    const issuedBy = await addMember(customer, { roles: ['admin'], billingProfiles: ['emea'] })
    const { json } = await request(['admin'], '', { issuedBy })
    expect(json.sums).toEqual([{ currency: 'EUR', count: 1, amount: 6000, idleAmount: 600 }])
    expect(json.unpriced).toBe(1)
    expect(json.renewals[0]).not.toHaveProperty('cost')
  })

  test.each(['by the statements', 'by row-level security'])(
    'Another customer’s renewals are excluded %s, without the other wall',
    async (instant) => {
      const customerId = customer
      const other = await addNewCustomer()
      await addAsset(other, 'workspace-suite-other', ending('2026-12-05'))
      const tables = ['assets', 'customers', 'invoices', 'line_items']
      const each = (what: string) => tables.map((table) => `ALTER TABLE ${table} ${what} ROW LEVEL SECURITY`)
      if (instant === 'by the statements') await run(db.url, ...each('DISABLE'))
      try {
        customer = customerId
        const ours = await request(['admin'])
        expect(ours.json.renewals.map(({ asset }) => asset.id)).not.toContain('workspace-suite-other')
        customer = other
        expect((await request(['admin'])).json.renewals.map(({ asset }) => asset.id)).toEqual([
          'workspace-suite-other',
        ])
      } finally {
        await run(db.url, ...each('ENABLE'))
      }
      if (instant === 'by the statements') return
      const seen = await db.sql(customerId, "SELECT id FROM assets WHERE id = 'workspace-suite-other'")
      expect(seen).toEqual([])
    },
  )
})

describe('the file', () => {
  test('contains a row per renewal, with exact amounts', async () => {
    const headers = { Authorization: `Bearer ${await addKey(customer, ['admin'])}` }
    const response = await csv.GET(
      new Request('http://a.example/billing/v1/renewals.csv?month=2026-12', { headers }),
    )
    expect(response.headers.get('content-disposition')).toContain('renewals-2026-12.csv')
    const [names = '', row = '', ...rest] = (await response.text()).trimEnd().split('\r\n')
    const cells = row.split(',')
    const named = Object.fromEntries(names.split(',').map((name, at) => [name, cells[at]]))
    expect(rest).toEqual([])
    expect(named).toMatchObject({
      id: 'workspace-suite-soon',
      renewalDate: '2026-12-03',
      decideByDate: '2026-12-02',
      purchasedSeats: '120',
      idleSeats: '20',
      currency: 'USD',
      price: '18',
      amount: '2160.00',
      amountPer: 'month',
      yearlyAmount: '25920.00',
      yearlyIdleAmount: '4320.00',
      outcome: 'renews',
      nextAmount: '1800.00',
      nextAmountPer: 'month',
    })
  })
})
