import { afterEach, describe, expect, test, vi } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import type { FakeOptions } from '../../../test/fakes/vendors/fake.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import type { Renewal } from './contract.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from './operations.ts'
import { reconcileOrders } from './reconcile.ts'

// Requests that are lost or late, and terms that end: the vendor's behavior, and the reported states.

const NEVER = new AbortController().signal
const IN_USE = 'RENEW_CURRENT_USERS_MONTHLY_PAY'
const SAME = 'AUTO_RENEW_MONTHLY_PAY'
let vendor: TestVendor
let caller: Awaited<ReturnType<typeof callerOf>>
afterEach(() => vendor.close())

/** The term of the annual plan ends in a day. */
async function at(scenery: typeof google, { times = {}, ...options }: { times?: object } & FakeOptions = {}) {
  vendor = await testVendor(scenery, { times: { VENDOR_WRITE_MS: '1500', ...times }, options })
  caller = await callerOf(CUSTOMER, 'it-manager')
  setTerm(new Date(Date.now() + DAY_MS))
  await see()
}
const id = () => vendor.assetId(vendor.annual)
const see = () => readOne(caller.customerId, id(), 'test')
const input = () => ({ params: { asset_id: id() }, query: {}, headers: {} })
const origin = { requestId: 'test-request' }
const order = async (body: object) => (await orderRenewal(caller, { ...input(), body }, origin)).body
const withdraw = async () => (await withdrawRenewal(caller, { ...input(), body: {} }, origin)).body
const read = async (): Promise<Renewal> =>
  (await readRenewal(caller, { ...input(), body: undefined }, origin)).body
const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  )

type VendorFields = { fields: Record<string, unknown>; renewalType: string }
const vendorFields = () => vendor.fake.subscription(vendor.annual.id)?.vendorFields as VendorFields
const setVendorFields = (values: object) => vendor.fake.change(vendor.annual.id, {}, values as object)
const setFields = (fields: object) => setVendorFields({ fields: { ...vendorFields().fields, ...fields } })
const scheduled = () =>
  (vendorFields().fields?.scheduledNextTermInstructions as { quantity?: number } | null | undefined)?.quantity

function setTerm(end: Date) {
  if (vendorFields().fields) setVendorFields({ endsAt: end.toISOString() })
  else vendor.fake.change(vendor.annual.id, { createdAt: end.getTime() - 365 * DAY_MS })
}

/** The vendor begins the next term as it was scheduled there. */
function renew() {
  const total = scheduled()
  if (vendorFields().fields) setFields({ scheduledNextTermInstructions: undefined })
  if (total !== undefined) vendor.fake.setByVendor(vendor.annual.id, total)
  setTerm(new Date(Date.now() + 366 * DAY_MS))
}

const look = async () => {
  await vendor.database.sql(
    CUSTOMER,
    "UPDATE renewal_orders SET next_look_at = now() WHERE state = 'STANDING'",
  )
  await reconcileOrders('job', NEVER)
}
const until = (check: () => unknown) =>
  vi.waitFor(
    async () => {
      await look()
      await check()
    },
    { timeout: 15_000, interval: 150 },
  )
const isSettled = async (state: string) => expect((await read()).lastOrder?.state).toBe(state)

describe('Microsoft', () => {
  test.each(['reset-after', 'throttle', 'hang-before', 'error-after', 'late'])(
    'keeps nothing of a withdrawn order, though a request in between was lost (%s)',
    async (fault) => {
      await at(microsoft)
      await order({ quantity: 18 })
      vendor.fake.failNext('write', fault)
      await order({ quantity: 15 })
      expect(await codeOf(order({ quantity: 19 }))).toBe('done')
      await withdraw()
      await until(() => isSettled('WITHDRAWN'))
      await order({ quantity: 17 })
      await withdraw()
      await until(() => isSettled('WITHDRAWN'))
      await vendor.fake.whenIdle()
      expect(scheduled()).toBeUndefined()
      renew()
      await see()
      expect((await read()).quantity).toBe(20)
    },
  )

  test('does not have an order that a change of the licenses has deleted: it is being placed again', async () => {
    await at(microsoft)
    expect((await order({ quantity: 12 })).order?.isPlaced).toBe(true)
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
    expect((await read()).order).toMatchObject({ state: 'STANDING', isPlaced: false })
    await until(async () => expect((await read()).order?.isPlaced).toBe(true))
    expect(scheduled()).toBe(12)
  })

  test('began the next term as ordered, though licenses were bought a moment later', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    renew()
    await see()
    expect((await vendor.patch(vendor.annual, 15)).status).toBe(200)
    await look()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', quantity: 12 })
  })

  test('began the next term with a withdrawn order: the order is UNCLEAR, and never WITHDRAWN', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    vendor.fake.setDown(true)
    expect((await withdraw()).order).toMatchObject({ isLeaving: true })
    vendor.fake.setDown(false)
    renew()
    await until(() => isSettled('UNCLEAR'))
    expect((await read()).lastOrder?.reason).toContain('12')
  })

  test('began the next term before an order could be placed: that is not APPLIED', async () => {
    await at(microsoft)
    vendor.fake.setFault(vendor.annual.id, 'error-before')
    expect((await order({ quantity: 12 })).order).toMatchObject({ isPlaced: false })
    renew()
    await until(() => isSettled('UNCLEAR'))
  })

  test('shows the renewal as the change of who ordered it, and not as its own', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    renew()
    await see()
    expect((await vendor.changes(vendor.annual)).at(-1)).toMatchObject({ from: 20, to: 12, state: 'APPLIED' })
  })
})

describe('Google', () => {
  test('applies a replaced order late, and the newer order replaces it again', async () => {
    await at(google)
    vendor.fake.failNext('write', 'late')
    await order({ renewalType: SAME })
    expect((await order({ renewalType: IN_USE })).order?.renewalType).toBe(IN_USE)
    await vendor.fake.whenIdle()
    await vi.waitFor(
      async () => {
        await reconcileOrders('job', NEVER)
        await vendor.database.sql(
          CUSTOMER,
          'UPDATE renewal_orders SET next_look_at = least(next_look_at, now()) WHERE next_look_at < term_end',
        )
        expect(vendorFields().renewalType).toBe(IN_USE)
      },
      { timeout: 15_000, interval: 150 },
    )
    expect((await read()).order).toMatchObject({ renewalType: IN_USE, isPlaced: true })
  })

  test('began the next term without an order that never reached it: that is not APPLIED', async () => {
    await at(google)
    vendor.fake.setFault(vendor.annual.id, 'drop-before')
    expect((await order({ renewalType: SAME })).order).toMatchObject({ isPlaced: false })
    renew()
    await until(() => isSettled('UNCLEAR'))
  })

  test('began the next term while a repeated request was under way, which hides its setting', async () => {
    const arrival = Promise.withResolvers<void>()
    await at(google, { delayUntil: () => arrival.promise, times: { GOOGLE_SETTLE_SECONDS: '3600' } })
    vendor.fake.failNext('write', 'late')
    await order({ renewalType: SAME })
    await until(async () => expect((await read()).order).toMatchObject({ isPlaced: true }))
    setVendorFields({ renewalType: 'RENEW_CURRENT_USERS_YEARLY_PAY' })
    vendor.fake.change(vendor.annual.id, { createdAt: Date.now() })
    arrival.resolve()
    await vendor.fake.whenIdle()
    expect(vendorFields().renewalType).toBe(SAME)
    await until(async () => expect((await read()).lastOrder?.state).toBe('UNCLEAR'))
  })

  test("began the next term with another party's setting: the order is LOST", async () => {
    await at(google)
    expect((await order({ renewalType: SAME })).order?.isPlaced).toBe(true)
    setVendorFields({ renewalType: 'RENEW_CURRENT_USERS_YEARLY_PAY' })
    renew()
    await until(() => isSettled('LOST'))
  })
})
