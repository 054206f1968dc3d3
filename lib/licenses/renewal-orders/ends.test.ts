import { afterEach, describe, expect, test, vi } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { addAsset, callerOf } from '#lib/platform/db/test-rows.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import type { Renewal } from './contract.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from './operations.ts'
import { reconcileOrders } from './reconcile.ts'

// Orders of an end instead of a next term, against the fakes of the vendors.

const origin = { requestId: 'test-request' }
const NEVER = new AbortController().signal
let vendor: TestVendor
let caller: Awaited<ReturnType<typeof callerOf>>
afterEach(() => vendor.close())

async function at(scenario: typeof google, times: object = {}) {
  vendor = await testVendor(scenario, { times: { VENDOR_WRITE_MS: '1500', ...times } })
  caller = await callerOf(CUSTOMER, 'it-manager')
  await readAgain()
}
const readAgain = () => readOne(caller.customerId, vendor.assetId(vendor.annual), 'test')
const input = () => ({ params: { asset_id: vendor.assetId(vendor.annual) }, query: {}, headers: {} })
const order = async (body: object): Promise<Renewal> =>
  (await orderRenewal(caller, { ...input(), body }, origin)).body
const withdraw = async (): Promise<Renewal> =>
  (await withdrawRenewal(caller, { ...input(), body: {} }, origin)).body
const read = async (): Promise<Renewal> =>
  (await readRenewal(caller, { ...input(), body: undefined }, origin)).body
const rows = (query: string) => vendor.database.sql(CUSTOMER, query)
const reconcileAll = async () => {
  await rows("UPDATE renewal_orders SET next_look_at = now() WHERE state = 'STANDING'")
  await reconcileOrders('job', NEVER)
}
const until = (check: () => unknown) =>
  vi.waitFor(
    async () => {
      await reconcileAll()
      await check()
    },
    { timeout: 15_000, interval: 100 },
  )
/** The asset's name, which is its id here. */
const cancel = () => ({ action: 'cancel', confirm: vendor.assetId(vendor.annual) })
type Fields = { fields: Record<string, unknown>; renewalType?: string }
const vendorFields = () => vendor.fake.subscription(vendor.annual.id)?.vendorFields as Fields
const set = (fields: object) =>
  vendor.fake.change(vendor.annual.id, {}, { fields: { ...vendorFields().fields, ...fields } } as object)
/** Returns Microsoft's settings for the end of the term. */
function settings() {
  const { autoRenewEnabled, scheduledActions, scheduledNextTermInstructions } = vendorFields().fields
  const actions = (scheduledActions as { actionType: string }[] | undefined)?.map((one) => one.actionType)
  const next = (scheduledNextTermInstructions as { quantity: number } | null | undefined)?.quantity
  return [autoRenewEnabled, actions?.join() ?? '', next]
}
/** The term has ended a second ago. */
async function end() {
  const past = Date.now() - 1000
  const fields = { endsAt: new Date(past).toISOString() }
  const isMicrosoft = vendor.stage.vendor === microsoft.vendor
  vendor.fake.change(
    vendor.annual.id,
    isMicrosoft ? {} : { createdAt: past - 365 * 86_400_000 },
    (isMicrosoft ? fields : {}) as object,
  )
  await readAgain()
  await rows(`UPDATE renewal_orders o SET term_end = a.commitment_end FROM assets a
    WHERE a.customer_id = o.customer_id AND a.id = o.asset_id AND o.state = 'STANDING'`)
}

describe('Microsoft', () => {
  const EXTENDED = 'EXTENDED_SERVICE_TERM'

  test('takes a total, a cancellation and an Extended Service Term, one after the other', async () => {
    await at(microsoft)
    expect(await read()).toMatchObject({
      ...{ takes: 'quantity', actions: ['cancel', 'extended-term'] },
      ...{ outcome: 'renews', surchargePercent: 3 },
    })
    const ended = await order(cancel())
    expect(ended).toMatchObject({
      outcome: 'ends',
      order: { action: 'cancel', renewalType: 'CANCEL', isPlaced: true },
    })
    expect(settings()).toEqual([false, 'Cancel', undefined])
    expect(await order({ action: 'extended-term' })).toMatchObject({
      ...{ outcome: 'extended-term', takes: 'quantity' },
      order: { action: 'extended-term', isPlaced: true },
    })
    expect(settings()).toEqual([false, 'RenewToExtendedServiceTerm', undefined])
    expect(await order({ quantity: 12 })).toMatchObject({
      ...{ outcome: 'renews', order: { quantity: 12, isPlaced: true } },
    })
    expect(settings()).toEqual([true, '', 12])
    await order(cancel())
    expect(await withdraw()).toMatchObject({ outcome: 'renews', lastOrder: { state: 'WITHDRAWN' } })
    expect(settings()).toEqual([true, '', undefined])
    const events = await rows(
      "SELECT action, details FROM audit_events WHERE action LIKE 'renewal.%' ORDER BY id",
    )
    expect(events[0]).toMatchObject({ action: 'renewal.ordered', details: { renewalType: 'CANCEL' } })
    const log = await rows('SELECT renewal_type AS type, quantity FROM renewal_requests ORDER BY number')
    expect(log.map(({ type, quantity }) => type ?? quantity)).toEqual([
      'CANCEL',
      EXTENDED,
      12,
      'CANCEL',
      null,
    ])
  })

  test('keeps other scheduled actions', async () => {
    await at(microsoft)
    set({ scheduledActions: [{ scheduleType: 'Other', actionType: 'X' }] })
    await order(cancel())
    expect(settings()).toEqual([false, 'X,Cancel', undefined])
    await withdraw()
    expect(settings()).toEqual([true, 'X', undefined])
  })

  test.each([
    ['without the name', { action: 'cancel' }],
    ['with another name', { action: 'cancel', confirm: 'Business Plus' }],
    ['with the name in other letters', { action: 'extended-term', confirm: 'suite' }],
  ])('is not asked to end a plan %s', async (_, body) => {
    await at(microsoft)
    await expect(order(body)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(settings()).toEqual([true, '', undefined])
  })

  test('renews a plan that would continue, and is asked to continue it again', async () => {
    await at(microsoft)
    set({ autoRenewEnabled: false })
    await readAgain()
    expect(await read()).toMatchObject({ outcome: 'extended-term', takes: 'quantity' })
    expect((await order({ quantity: 12 })).order).toMatchObject({ isPlaced: true })
    expect(settings()).toEqual([true, '', 12])
    await withdraw()
    expect(settings()).toEqual([false, '', undefined])
  })

  test('renews a plan that would continue, also if it cannot be asked at first', async () => {
    await at(microsoft)
    set({ autoRenewEnabled: false })
    await readAgain()
    vendor.fake.failNext('read', 'drop-before')
    expect((await order({ quantity: 12 })).order).toMatchObject({ isPlaced: false })
    await until(() => expect(settings()).toEqual([true, '', 12]))
  })

  test('keeps the end that another party has set, which takes no orders', async () => {
    await at(microsoft)
    set({ autoRenewEnabled: false, scheduledActions: [{ scheduleType: 'TermEnd', actionType: 'Cancel' }] })
    await readAgain()
    expect(await read()).toMatchObject({ outcome: 'ends', takes: 'nothing', because: 'ends' })
    await expect(order({ quantity: 12 })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect(settings()).toEqual([false, 'Cancel', undefined])
  })

  test('gets a cancellation again after a change of the licenses, which deletes it', async () => {
    await at(microsoft)
    await order(cancel())
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
    expect(settings()).toEqual([false, '', undefined])
    expect(await read()).toMatchObject({ outcome: 'extended-term', order: { isPlaced: false } })
    await reconcileOrders('job', NEVER)
    expect(settings()).toEqual([false, 'Cancel', undefined])
    await vendor.patch(vendor.annual, 30)
    expect(await withdraw()).toMatchObject({ lastOrder: { state: 'WITHDRAWN' }, outcome: 'renews' })
    expect(settings()).toEqual([true, '', undefined])
  })

  test('ends the plan as ordered', async () => {
    await at(microsoft)
    await order(cancel())
    await end()
    vendor.fake.change(vendor.annual.id, { status: 'expired' })
    await reconcileAll()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', action: 'cancel' })
  })

  test('ends the plan although that was withdrawn, which a person is notified of', async () => {
    await at(microsoft)
    await order(cancel())
    vendor.fake.failNext('write', 'drop-before')
    await withdraw()
    await end()
    vendor.fake.change(vendor.annual.id, { status: 'deleted' })
    await reconcileAll()
    expect((await read()).lastOrder).toMatchObject({
      state: 'UNCLEAR',
      reason: 'Microsoft ended the plan, as ordered: the withdrawal did not reach it.',
    })
  })

  test('continues the plan as ordered, under another SKU, which is a change of the orderer', async () => {
    await at(microsoft)
    await order({ action: 'extended-term' })
    await end()
    const converted = { plan: 'P1M monthly', skuId: 'CFQ7TTC0LH18:00EX' }
    vendor.fake.change(vendor.annual.id, converted, { endsAt: '2027-03-28T23:59:59Z' } as object)
    await reconcileAll()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', action: 'extended-term' })
    const [change, ...more] = await rows(
      'SELECT state, actor_kind AS kind, from_quantity AS "from", to_quantity AS "to" FROM license_changes',
    )
    expect([change, more]).toEqual([{ state: 'APPLIED', kind: 'key', from: 20, to: 20 }, []])
    const [asset] = await rows(`SELECT sku_id FROM assets WHERE id = '${vendor.assetId(vendor.annual)}'`)
    expect(asset?.sku_id).toBe(converted.skuId)
    // Without a commitment, its licenses can be changed at any time.
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
  })

  test('finishes a withdrawal whose answer was lost at the next look', async () => {
    await at(microsoft, { MICROSOFT_SETTLE_SECONDS: '3600' })
    await order({ quantity: 12 })
    vendor.fake.failNext('write', 'reset-after')
    expect(await withdraw()).toMatchObject({ order: { isLeaving: true } })
    await reconcileAll()
    expect((await read()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
  })

  test.each(['late', 'drop-before'])(
    'finishes a withdrawal as soon as the order cannot arrive any more (%s)',
    async (failure) => {
      await at(microsoft, { MICROSOFT_SETTLE_SECONDS: '3600' })
      vendor.fake.failNext('write', failure)
      expect((await order({ quantity: 12 })).order).toMatchObject({ isPlaced: false })
      // The write that takes it back makes another version of the subscription.
      await until(async () => {
        if ((await read()).order) await withdraw()
        expect((await read()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
      })
      await vendor.fake.whenIdle()
      expect(settings()).toEqual([true, '', undefined])
    },
  )

  test('is asked again before a throttled withdrawal is reportTime', async () => {
    await at(microsoft)
    const reportTime = async () => (await rows('SELECT reported_at FROM renewal_orders'))[0]?.reported_at
    await order({ quantity: 12 })
    vendor.fake.failNext('write', 'throttle')
    expect(await withdraw()).toMatchObject({ order: { isLeaving: true } })
    expect(await reportTime()).toBeNull()
    await rows("UPDATE renewal_orders SET tries = 1 WHERE state = 'STANDING'")
    await until(async () => expect(await reportTime()).toBeNull())
    await until(async () => expect((await read()).lastOrder).toMatchObject({ state: 'WITHDRAWN' }))
    expect(await reportTime()).toBeNull()
  })

  test('reports a withdrawal that is throttled twice', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    vendor.fake.failNext('write', 'throttle')
    await withdraw()
    // Each attempt is throttled.
    await vi.waitFor(
      async () => {
        vendor.fake.failNext('write', 'throttle')
        await reconcileAll()
        const [row] = await rows('SELECT reported_at FROM renewal_orders')
        expect(row?.reported_at).not.toBeNull()
      },
      { timeout: 15_000, interval: 100 },
    )
  })
})

describe('Google', () => {
  test('takes a cancellation and suspends the plan at the end; it has no Extended Service Term', async () => {
    await at(google)
    expect(await read()).toMatchObject({ takes: 'renewalType', actions: ['cancel'] })
    await expect(order({ action: 'extended-term' })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    await expect(order({ renewalType: 'CANCEL' })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect(await order(cancel())).toMatchObject({ outcome: 'ends', order: { isPlaced: true } })
    // The customer's own decision can be changed.
    expect((await order({ renewalType: 'AUTO_RENEW_MONTHLY_PAY' })).order).toMatchObject({ isPlaced: true })
    await order(cancel())
    expect(await withdraw()).toMatchObject({ renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY' })
    await order(cancel())
    await end()
    vendor.fake.change(vendor.annual.id, { status: 'SUSPENDED' })
    await reconcileAll()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', action: 'cancel' })
  })
})

test('Our own books take no end', async () => {
  await at(google)
  const id = 'workspace-suite-local'
  const commitmentEnd = new Date('2099-12-03T00:00:00Z')
  await addAsset(CUSTOMER, id, { purchased: 20, isCommitmentPlan: true, commitmentEnd }, {})
  const local = { ...input(), params: { asset_id: id } }
  for (const body of [{ action: 'cancel', confirm: id }, { action: 'extended-term' }])
    await expect(orderRenewal(caller, { ...local, body } as never, origin)).rejects.toMatchObject({
      code: 'renewal_not_supported',
    })
})
