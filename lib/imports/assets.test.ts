import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { importAssets } from './assets.ts'
import type { NewAsset, NewSubscription } from './schemas.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const run = (customer: string, assets: NewAsset[], { replace = false } = {}) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, (tx) => importAssets(tx, customerId, assets, { replace }))
}

const SUBSCRIPTION: NewSubscription = {
  id: 'S-1',
  skuId: 'SKU-1',
  skuName: 'Business Plus',
  billingMethod: 'ONLINE',
  status: 'ACTIVE',
  planName: 'FLEXIBLE',
  isCommitmentPlan: false,
  seats: { purchased: 50, assigned: 42 },
}
const ANNUAL = {
  planName: 'ANNUAL_MONTHLY_PAY',
  isCommitmentPlan: true,
  commitmentStart: new Date('2026-03-01'),
  commitmentEnd: new Date('2027-03-01'),
}

const asset = (
  subscription: Partial<NewSubscription> | null = {},
  overrides: Partial<NewAsset> = {},
): NewAsset => ({
  id: 'workspace-suite-1',
  type: 'workspace-suite',
  name: 'Business Plus',
  customerDomain: 'sunbird.example',
  vendorCustomerId: 'C0123',
  reseller: 'sales@reseller.example',
  createdAt: new Date('2025-03-01T09:00:00.123Z'),
  subscription: subscription && { ...SUBSCRIPTION, ...subscription },
  ...overrides,
})

const seats = (purchased: number, assigned = 42) => ({ seats: { purchased, assigned } })

const stored = (customer: string) =>
  db.sql(
    customer,
    `SELECT id, name, reseller, vendor, status, seats_purchased, seats_maximum, seats_assigned, seat_version
     FROM assets ORDER BY id`,
  )
const changes = (customer: string) =>
  db.sql(customer, 'SELECT asset_id, from_quantity, to_quantity, state, actor_kind FROM license_changes')
const audits = (customer: string) => db.sql(customer, 'SELECT action FROM audit_events ORDER BY id')

describe('importAssets', () => {
  test('adds assets with and without licenses', async () => {
    const customer = await addNewCustomer()
    const usage = asset(null, { id: 'web-services-1', type: 'web-services', reseller: undefined })
    expect(await run(customer, [asset(), usage])).toEqual({ added: 2, unchanged: 0, replaced: 0 })
    expect(await stored(customer)).toMatchObject([
      { id: 'web-services-1', reseller: '', vendor: 'built-in', seats_purchased: null, seat_version: 1 },
      {
        id: 'workspace-suite-1',
        status: 'ACTIVE',
        seats_purchased: 50,
        seats_maximum: 50,
        seats_assigned: 42,
      },
    ])
    expect(await changes(customer)).toEqual([])
  })

  test('changes nothing for the same asset, even with fewer fields', async () => {
    const customer = await addNewCustomer()
    const usage = asset(null, { id: 'web-services-1', type: 'web-services' })
    await run(customer, [asset(ANNUAL), usage])
    const before = await db.sql(customer, 'SELECT xmin, * FROM assets')
    const again = [
      asset({ ...ANNUAL, purchaseOrderId: undefined }, { reseller: undefined, vendor: undefined }),
      usage,
    ]
    expect(await run(customer, again)).toEqual({ added: 0, unchanged: 2, replaced: 0 })
    expect(await run(customer, again, { replace: true })).toEqual({ added: 0, unchanged: 2, replaced: 0 })
    expect(await db.sql(customer, 'SELECT xmin, * FROM assets')).toEqual(before)
    expect(await audits(customer)).toEqual([])
  })

  test('refuses other purchased seats; with replace records a change row and an audit row', async () => {
    const customer = await addNewCustomer()
    await run(customer, [asset()])
    await expect(run(customer, [asset(seats(60))])).rejects.toMatchObject({
      problems: [
        { subject: 'asset workspace-suite-1', column: 'seatsPurchased', reason: 'stored 50, given 60' },
        { subject: 'asset workspace-suite-1', column: 'seatsMaximum', reason: 'stored 50, given 60' },
      ],
    })
    expect(await stored(customer)).toMatchObject([{ seats_purchased: 50, seat_version: 1 }])

    expect(await run(customer, [asset(seats(60))], { replace: true })).toMatchObject({ replaced: 1 })
    expect(await stored(customer)).toMatchObject([
      { seats_purchased: 60, seats_maximum: 60, seat_version: 2 },
    ])
    expect(await changes(customer)).toEqual([
      {
        asset_id: 'workspace-suite-1',
        from_quantity: 50,
        to_quantity: 60,
        state: 'RECORDED',
        actor_kind: 'operator',
      },
    ])
    expect(await audits(customer)).toEqual([
      { action: 'license-change.recorded' },
      { action: 'asset.replaced' },
    ])
  })

  test('moves the seat version with seats, plan and status only', async () => {
    const customer = await addNewCustomer()
    await run(customer, [asset()])
    await run(customer, [asset(seats(50, 43), { name: 'Other name' })], { replace: true })
    expect(await stored(customer)).toMatchObject([
      { name: 'Other name', seats_assigned: 43, seat_version: 1 },
    ])
    expect(await changes(customer)).toEqual([])
    await run(customer, [asset({ status: 'SUSPENDED' })], { replace: true })
    expect(await stored(customer)).toMatchObject([{ status: 'SUSPENDED', seat_version: 2 }])
  })

  const renewed = { ...ANNUAL, commitmentEnd: new Date('2028-03-01') }
  test.each<[string, Partial<NewSubscription> | null, boolean]>([
    ['fewer licenses within the term', { ...ANNUAL, ...seats(49) }, false],
    ['the loss of its subscription', null, false],
    ['an earlier end', { ...ANNUAL, commitmentEnd: new Date('2026-12-01'), ...seats(49) }, false],
    ['more licenses', { ...ANNUAL, ...seats(51) }, true],
    ['fewer licenses in a later term', { ...renewed, ...seats(43) }, true],
    ['fewer licenses on a flexible plan', { ...seats(43) }, true],
  ])('allows a commitment plan, with replace, %s: $2', async (_what, next, allowed) => {
    const customer = await addNewCustomer()
    await run(customer, [asset(ANNUAL)])
    const replacing = run(customer, [asset(next)], { replace: true })
    if (allowed) expect(await replacing).toMatchObject({ replaced: 1 })
    else {
      await expect(replacing).rejects.toMatchObject({ problems: [{ column: 'seatsPurchased' }] })
      expect(await stored(customer)).toMatchObject([{ seats_purchased: 50, seat_version: 1 }])
    }
  })

  test('counts the coming and going of a subscription as a change of seats', async () => {
    const customer = await addNewCustomer()
    await run(customer, [asset(null)])
    await run(customer, [asset()], { replace: true })
    await run(customer, [asset(null)], { replace: true })
    expect(await changes(customer)).toMatchObject([
      { from_quantity: 0, to_quantity: 50 },
      { from_quantity: 50, to_quantity: 0 },
    ])
    expect(await stored(customer)).toMatchObject([{ seats_purchased: null, status: null }])
  })

  test('adds a seat sample where purchased or assigned licenses changed, and only there', async () => {
    const customer = await addNewCustomer()
    const usage = asset(null, { id: 'web-services-1', type: 'web-services' })
    await run(customer, [asset(), usage])
    await run(customer, [asset(), usage])
    await run(customer, [asset(seats(50, 43))], { replace: true })
    await run(customer, [asset(seats(50, 43), { name: 'Other name' })], { replace: true })
    await run(customer, [asset(seats(60, 43))], { replace: true })
    await run(customer, [asset(null)], { replace: true })
    expect(await db.sql(customer, 'SELECT purchased, assigned FROM seat_readings ORDER BY at')).toEqual([
      { purchased: 50, assigned: 42 },
      { purchased: 50, assigned: 43 },
      { purchased: 60, assigned: 43 },
    ])
  })

  test('refuses a repeated id and an unknown vendor, and then stores nothing', async () => {
    const customer = await addNewCustomer()
    const other = asset({}, { id: 'workspace-suite-2', vendor: 'nobody' })
    await expect(run(customer, [asset(), asset(), other])).rejects.toMatchObject({
      problems: [
        { subject: 'asset workspace-suite-1', reason: 'is given twice' },
        { subject: 'asset workspace-suite-2', column: 'vendor' },
      ],
    })
    expect(await stored(customer)).toEqual([])
  })

  test('takes 2,000 assets', async () => {
    const customer = await addNewCustomer()
    const many = Array.from({ length: 2000 }, (_, index) => asset({}, { id: `workspace-suite-${index}` }))
    expect(await run(customer, many)).toMatchObject({ added: 2000 })
    expect(await run(customer, many)).toMatchObject({ unchanged: 2000 })
  })
})
