import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addInvoice,
  addKey,
  addNewCustomer,
  addProfile,
  callerOf,
} from '#lib/platform/db/test-rows.ts'
import { GET, PUT } from '../../../app/billing/v1/price-visibility/route.ts'
import { lastPrices } from './operations.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

async function send(roles: Role[], body?: unknown, customerId = customer) {
  const method = body === undefined ? 'GET' : 'PUT'
  const request = new Request('http://console.example/billing/v1/price-visibility', {
    method,
    headers: {
      Authorization: `Bearer ${await addKey(customerId, roles)}`,
      'Content-Type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await (method === 'GET' ? GET : PUT)(request)
  return { status: response.status, body: await response.json() }
}
const events = () =>
  db.sql(customer, "SELECT action, subject FROM audit_events WHERE action LIKE 'prices.%' ORDER BY id")

describe('whether IT Managers see prices', () => {
  test('changes by Admins only, with one event per change, even for parallel requests', async () => {
    expect((await send(['admin'])).body).toEqual({ areHidden: false })
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(['admin'], { areHidden: true })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await send(['admin'])).body).toEqual({ areHidden: true })
    await send(['admin'], { areHidden: false })
    expect(await events()).toEqual([
      { action: 'prices.hidden', subject: customer },
      { action: 'prices.shown', subject: customer },
    ])
  })

  test.each<Role[][]>([[['it-manager']], [['finance-user']], [['it-manager', 'finance-user']], [[]]])(
    'does not change for a member with the roles %j',
    async (roles) => {
      expect([(await send(roles)).status, (await send(roles, { areHidden: true })).status]).toEqual([
        403, 403,
      ])
      expect(await events()).toEqual([])
    },
  )

  test.each([[{}], [{ areHidden: 'yes' }], [{ areHidden: true, more: 1 }], [null]])(
    'does not change with the body %j',
    async (body) => {
      expect((await send(['admin'], body)).status).toBe(400)
    },
  )

  test('applies to one customer only', async () => {
    const other = await addNewCustomer()
    await send(['admin'], { areHidden: true })
    expect((await send(['admin'], undefined, other)).body).toEqual({ areHidden: false })
  })
})

describe('the last price of a license', () => {
  const PLANS = [
    {
      id: 'workspace-suite-1',
      type: 'workspace-suite',
      skuName: 'Business Plus',
      planName: 'FLEXIBLE',
      purchased: 10,
    },
  ]
  const bill = (id: string, invoiceDate: string, price: string, overrides: object = {}) =>
    addInvoice(
      customer,
      id,
      { platform: 'workspace-suite', invoiceDate, dueDate: '2099-01-01', ...overrides },
      [{ description: 'Business Plus', price, qty: '10' }],
    )
  const priceFor = async (roles: Role[], billingProfiles = ['default', 'emea']) =>
    (await lastPrices({ ...(await callerOf(customer, ...roles)), billingProfiles }, PLANS))[
      'workspace-suite-1'
    ]

  beforeEach(async () => {
    await addProfile(customer, 'emea')
    await addAsset(customer, 'workspace-suite-1', { purchased: 10 })
    await bill('IN-1', '2026-09-30', '17')
    await bill('IN-2', '2026-10-31', '18')
    await bill('IN-3', '2026-11-30', '99', { documentState: 'draft', balanceAmount: '0' })
  })

  test('comes from the newest issued invoice, whose id is hidden from callers without access to invoices', async () => {
    const price = { price: '18', currency: 'USD', months: 1, invoiceDate: '2026-10-31' }
    expect(await priceFor(['admin'])).toEqual({ ...price, invoiceId: 'IN-2' })
    expect(await priceFor(['it-manager'])).toEqual(price)
    expect(await priceFor(['finance-user'])).toBeUndefined()
  })

  test('is hidden from IT Managers only', async () => {
    await send(['admin'], { areHidden: true })
    expect(await priceFor(['it-manager'])).toBeUndefined()
    expect((await priceFor(['it-manager', 'finance-user']))?.price).toBe('18')
  })

  test('comes from billing profiles that the caller may see', async () => {
    await bill('IN-4', '2026-11-15', '20', { billingProfileId: 'emea' })
    expect((await priceFor(['it-manager'], ['default']))?.price).toBe('18')
    expect((await priceFor(['it-manager'], ['emea']))?.price).toBe('20')
    expect(await priceFor(['it-manager'], [])).toBeUndefined()
  })

  test('is undefined where the latest invoices are in two currencies', async () => {
    await bill('RE-1', '2026-10-30', '16', { currency: 'EUR' })
    expect(await priceFor(['admin'])).toBeUndefined()
  })
})
