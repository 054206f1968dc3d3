import { afterEach, describe, expect, test, vi } from 'vitest'
import { type LicensedRow, lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { observe, readOne, refOf } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import type { Renewal } from './contract.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from './operations.ts'
import { reconcileOrders } from './reconcile.ts'

// Orders for the next term at a vendor, against its fake.

const origin = { requestId: 'test-request' }
const NEVER = new AbortController().signal
let vendor: TestVendor
let caller: Awaited<ReturnType<typeof callerOf>>
afterEach(() => vendor.close())

async function at(scenery: typeof google) {
  vendor = await testVendor(scenery, { times: { VENDOR_WRITE_MS: '1500' } })
  caller = await callerOf(CUSTOMER, 'it-manager')
  await readOne(caller.customerId, vendor.assetId(vendor.annual), 'test')
}
const input = () => ({ params: { asset_id: vendor.assetId(vendor.annual) }, query: {}, headers: {} })
const order = async (body: object): Promise<Renewal> =>
  (await orderRenewal(caller, { ...input(), body }, origin)).body
const withdraw = async (): Promise<Renewal> =>
  (await withdrawRenewal(caller, { ...input(), body: {} }, origin)).body
const read = async (): Promise<Renewal> =>
  (await readRenewal(caller, { ...input(), body: undefined }, origin)).body
/** Returns the vendor's settings for the next term, and for this one. */
function books() {
  const vendorFields = vendor.fake.subscription(vendor.annual.id)?.vendorFields as {
    fields?: Record<string, unknown>
    renewalType?: string
  }
  const instructions = vendorFields.fields?.scheduledNextTermInstructions as
    | { quantity?: number }
    | undefined
    | null
  return {
    total: vendor.total(vendor.annual),
    next: instructions?.quantity,
    renewalType: vendorFields.renewalType,
  }
}
const rows = (statement: string) => vendor.database.sql(CUSTOMER, statement)
/** Its next look is now. */
const look = async () => {
  await rows("UPDATE renewal_orders SET next_look_at = now() WHERE state = 'STANDING'")
  await reconcileOrders('job', NEVER)
}

/** Reconciles until the check passes: a read may be older than a request, and then nothing is final. */
const until = (check: () => unknown) =>
  vi.waitFor(
    async () => {
      await look()
      await check()
    },
    { timeout: 30_000, interval: 100 },
  )
const untilState = (state: string) =>
  until(async () => expect((await read()).lastOrder).toMatchObject({ state }))

describe('Microsoft', () => {
  test('takes a total for the next term, another one, and takes it back', async () => {
    await at(microsoft)
    expect(await read()).toMatchObject({ takes: 'quantity', quantity: 20 })
    expect((await order({ quantity: 12 })).order).toMatchObject({ quantity: 12, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, next: 12 })
    expect((await order({ quantity: 15 })).order).toMatchObject({ quantity: 15, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, next: 15 })
    const gone = await withdraw()
    expect([gone.order, gone.lastOrder?.state]).toEqual([undefined, 'WITHDRAWN'])
    expect(books()).toMatchObject({ total: 20, next: undefined })
  })

  test('gets an order again after a change of the licenses, which deletes it there', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
    expect(books()).toMatchObject({ total: 25, next: undefined })
    await reconcileOrders('job', NEVER)
    expect(books()).toMatchObject({ total: 25, next: 12 })
    expect((await read()).order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: true })
  })

  test.each(['drop-before', 'reset-after', 'error-after', 'late', 'throttle'])(
    'gets an order later if its response is lost (%s)',
    async (fault) => {
      await at(microsoft)
      vendor.fake.failNext('write', fault)
      const asked = await order({ quantity: 12 })
      expect(asked.order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: false })
      await vi.waitFor(
        async () => {
          await look()
          expect((await read()).order).toMatchObject({ isPlaced: true })
        },
        { timeout: 10_000, interval: 100 },
      )
      expect(books()).toMatchObject({ total: 20, next: 12 })
    },
  )

  test('keeps a replacement by another party, and the order is lost', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    const vendorFields = vendor.fake.subscription(vendor.annual.id)?.vendorFields as { fields: object }
    vendor.fake.change(
      vendor.annual.id,
      {},
      { fields: { ...vendorFields.fields, scheduledNextTermInstructions: { quantity: 7 } } },
    )
    await untilState('LOST')
    expect(books()).toMatchObject({ next: 7 })
  })

  const vendorFields = () =>
    vendor.fake.subscription(vendor.annual.id)?.vendorFields as { fields: Record<string, unknown> }
  const setFields = (fields: object) =>
    vendor.fake.change(vendor.annual.id, {}, { fields: { ...vendorFields().fields, ...fields } } as object)
  const gone = async () => {
    expect((await read()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
    await vendor.fake.whenIdle()
    expect(books()).toMatchObject({ total: 20, next: undefined })
  }

  test.each(['late', 'accepted', 'hang-after'])('loses an order that is taken back (%s)', async (fault) => {
    await at(microsoft)
    vendor.fake.failNext('write', fault)
    await order({ quantity: 12 })
    await withdraw()
    await until(gone)
    await vendor.fake.whenIdle()
    await until(gone)
  })

  test('loses an order that is taken back while a read is stale', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    vendor.fake.failNext('read', 'stale')
    await withdraw()
    await until(gone)
  })

  test('loses a replaced order, too, if the replacement never reached it', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    vendor.fake.failNext('read', 'drop-before')
    expect((await order({ quantity: 15 })).order).toMatchObject({ isPlaced: false })
    await withdraw()
    await until(gone)
  })

  test('never turns on a renewal that another party turned off', async () => {
    await at(microsoft)
    setFields({ autoRenewEnabled: false })
    await expect(order({ quantity: 12 })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect([vendorFields().fields.autoRenewEnabled, books().next]).toEqual([false, undefined])
  })

  test('does not restore the replaced order when it rejects a repeated one', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    await order({ quantity: 15 })
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
    vendor.fake.failNext('write', 'code-800088')
    await look()
    expect((await read()).lastOrder).toMatchObject({ quantity: 15, state: 'REJECTED' })
    await look()
    expect(books()).toMatchObject({ total: 25, next: undefined })
  })

  test("keeps another party's unseen schedule, and restores one that the orderer had seen", async () => {
    await at(microsoft)
    setFields({ scheduledNextTermInstructions: { quantity: 7 } })
    await expect(order({ quantity: 12 })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect(books().next).toBe(7)
    await order({ quantity: 12 })
    expect(books().next).toBe(12)
    await withdraw()
    expect(books().next).toBe(7)
  })

  test('keeps its own schedule when an equal order is taken back', async () => {
    await at(microsoft)
    setFields({ scheduledNextTermInstructions: { quantity: 7 } })
    await readOne(caller.customerId, vendor.assetId(vendor.annual), 'test')
    expect((await order({ quantity: 7 })).order).toMatchObject({ isPlaced: true })
    expect((await withdraw()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
    expect(books().next).toBe(7)
  })

  test('keeps a replacement by another party when the order is taken back', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    setFields({ scheduledNextTermInstructions: { quantity: 80 } })
    await withdraw()
    await untilState('WITHDRAWN')
    expect(books().next).toBe(80)
  })

  test('does not follow its asset to another subscription', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    // No database login of ours may update this column: an order belongs to one subscription for good.
    await run(
      vendor.database.url,
      `ALTER TABLE renewal_orders NO FORCE ROW LEVEL SECURITY;
       UPDATE renewal_orders SET vendor_subscription_id = 'at-another';
       ALTER TABLE renewal_orders FORCE ROW LEVEL SECURITY`,
    )
    const calls = vendor.fake.exchanges.length
    await look()
    expect((await read()).lastOrder).toMatchObject({ state: 'LOST' })
    expect(vendor.fake.exchanges.slice(calls).filter(({ call }) => call.kind === 'write')).toEqual([])
  })

  test('checks an order of a suspended subscription when its time has come, and not each minute', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    setFields({ scheduledNextTermInstructions: undefined })
    vendor.fake.change(vendor.annual.id, { status: 'suspended' })
    await look()
    expect((await read()).order?.reason).toBe('The subscription is SUSPENDED.')
    expect(await reconcileOrders('job', NEVER)).toBe(0)
  })

  test('removes an order of a release without the log, too', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    const force = (how: string) =>
      ['renewal_orders', 'renewal_requests']
        .map((table) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY; `)
        .join('')
    await run(
      vendor.database.url,
      `${force('NO FORCE')} DELETE FROM renewal_requests;
       UPDATE renewal_orders SET is_logged = NULL, former_type = 'AUTO_RENEW'; ${force('FORCE')}`,
    )
    expect((await order({ quantity: 15 })).order).toMatchObject({ isPlaced: true })
    const log = await rows(
      'SELECT number, quantity, before_quantity AS before FROM renewal_requests ORDER BY number',
    )
    expect(log).toEqual([
      { number: 1, quantity: 12, before: null },
      { number: 2, quantity: 15, before: 12 },
    ])
    await withdraw()
    await gone()
  })

  test('began the next term as ordered, or not', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    const past = new Date(Date.now() - 1000)
    await rows(`UPDATE renewal_orders SET term_end = '${past.toISOString()}'`)
    vendor.fake.setByVendor(vendor.annual.id, 12)
    vendor.fake.change(vendor.annual.id, {}, { endsAt: '2028-02-28T23:59:59Z' } as object)
    await look()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', quantity: 12 })
    expect(await vendor.states(vendor.annual)).toEqual(['APPLIED'])
  })

  test('is unclear where the response to a change is the first that shows the next term', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    await rows("UPDATE renewal_orders SET term_end = now() - interval '1 second'")
    vendor.fake.change(vendor.annual.id, {}, { endsAt: '2028-02-28T23:59:59Z' } as object)
    const { customerId } = caller
    const id = vendor.assetId(vendor.annual)
    const row = (await readScope({ customerId }, (tx) => readAsset(tx, customerId, id))) as LicensedRow
    const remote = vendorOf(row) as GuardedVendor
    const answer = (await remote.read(refOf(row), AbortSignal.timeout(5000))) as { observed: Observed }
    const observed = { ...answer.observed, seats: { ...answer.observed.seats, purchased: 15 } }
    await licenseScope({ customerId }, async (tx) => {
      const asset = await lockLicensed(tx, customerId, id)
      await observe(tx, customerId, asset, { vendor: remote, observed, requestId: 'test', confirmed: true })
    })
    await untilState('UNCLEAR')
  })

  test('is not lost where a read shows the plan before the commitment that it was ordered for', async () => {
    const staleMs = 60_000
    const times = { VENDOR_WRITE_MS: '1500', VENDOR_STALE_MS: String(staleMs) }
    vendor = await testVendor(microsoft, { times, options: { staleMs } })
    caller = await callerOf(CUSTOMER, 'it-manager')
    const { flexible, fake } = vendor
    const annual = fake.subscription(vendor.annual.id) as { plan: string; vendorFields: object }
    const { endsAt } = annual.vendorFields as { endsAt: string }
    fake.change(flexible.id, { plan: annual.plan }, { endsAt } as object)
    await readOne(caller.customerId, vendor.assetId(flexible), 'test')
    fake.failNext('read', 'stale')
    const params = { asset_id: vendor.assetId(flexible) }
    const placed = await orderRenewal(caller, { ...input(), params, body: { quantity: 12 } }, origin)
    expect(placed.body.order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: false })
    await until(async () => {
      const { body } = await readRenewal(caller, { ...input(), params, body: undefined }, origin)
      expect(body.order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: true })
    })
  })
})

describe('Google', () => {
  const IN_USE = 'RENEW_CURRENT_USERS_MONTHLY_PAY'
  const SAME = 'AUTO_RENEW_MONTHLY_PAY'
  test('takes no total, and says so; gets one of its ways to renew, and loses it again', async () => {
    await at(google)
    expect(await read()).toMatchObject({
      takes: 'renewalType',
      renewalTypes: [SAME, IN_USE],
      renewalType: IN_USE,
    })
    await expect(order({ quantity: 12 })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect((await order({ renewalType: SAME })).order).toMatchObject({ renewalType: SAME, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, renewalType: SAME })
    expect((await withdraw()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
    expect(books()).toMatchObject({ renewalType: IN_USE })
  })

  test('gets a withdrawal again until it holds, while an earlier request may still be applied', async () => {
    await at(google)
    vendor.fake.failNext('write', 'late')
    await order({ renewalType: SAME })
    await withdraw()
    await untilState('WITHDRAWN')
    await vendor.fake.whenIdle()
    expect(books()).toMatchObject({ renewalType: IN_USE })
  })

  test('takes its default as an order, which is taken back, and not sent again and again', async () => {
    await at(google)
    expect((await order({ renewalType: IN_USE })).order).toMatchObject({ isPlaced: true })
    expect((await withdraw()).lastOrder).toMatchObject({ renewalType: IN_USE, state: 'WITHDRAWN' })
    expect(books()).toMatchObject({ renewalType: IN_USE })
    expect(await reconcileOrders('job', NEVER)).toBe(0)
  })

  test('keeps a cancellation by another party', async () => {
    await at(google)
    await order({ renewalType: SAME })
    vendor.fake.change(vendor.annual.id, {}, { renewalType: 'CANCEL' } as object)
    await withdraw()
    await untilState('WITHDRAWN')
    expect(books()).toMatchObject({ renewalType: 'CANCEL' })
  })

  test('keeps another way to renew that another party set before the order could reach it', async () => {
    await at(google)
    vendor.fake.failNext('read', 'drop-before')
    await order({ renewalType: SAME })
    const OTHER = 'RENEW_CURRENT_USERS_YEARLY_PAY'
    vendor.fake.change(vendor.annual.id, {}, { renewalType: OTHER } as object)
    await untilState('LOST')
    expect(vendor.fake.subscription(vendor.annual.id)?.vendorFields).toMatchObject({ renewalType: OTHER })
    // Who has seen it may replace it.
    expect((await order({ renewalType: SAME })).order).toMatchObject({ isPlaced: true })
    await withdraw()
    expect(vendor.fake.subscription(vendor.annual.id)?.vendorFields).toMatchObject({ renewalType: OTHER })
  })

  test("gets an order later if it can't be reached", async () => {
    await at(google)
    vendor.fake.failNext('read', 'drop-before')
    expect((await order({ renewalType: SAME })).order).toMatchObject({ state: 'STANDING', isPlaced: false })
    await vi.waitFor(
      async () => {
        await look()
        expect(books()).toMatchObject({ renewalType: SAME })
      },
      { timeout: 10_000, interval: 100 },
    )
  })
})
