import { afterEach, describe, expect, test, vi } from 'vitest'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import { type LicensedRow, readAsset } from '#lib/licenses/assets/store.ts'
import { schedulePasses } from '#lib/licenses/vendor-passes/passes.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { FakeOptions } from '../../../../test/fakes/vendors/fake.ts'
import type { Fault } from '../../../../test/fakes/vendors/faults.ts'
import type { Call } from '../../../../test/fakes/vendors/routes.ts'
import type { Times } from '../../../../test/fuzz/clock.ts'
import { google, microsoft } from '../../../../test/fuzz/scenarios.ts'
import { CUSTOMER, forgetVendors, type Scenario, type Seed } from '../../../../test/fuzz/stage.ts'
import { readVendors, reconcileOpenChanges } from '../jobs.ts'
import { type TestVendor, testVendor } from '../test-vendor.ts'
import { applyObservation, refOf } from './read.ts'

// Passes through a vendor's list, run by run of the job, as any process may carry them out.

/** Three pages of a list. */
const THREE_PAGES = 201

let vendor: TestVendor
afterEach(() => vendor.close())

/** Vendor calls in order, except those for tokens. */
let calls: Call[]
/** Fault of the fake vendor for a call. */
let suffer: (call: Call) => Fault | undefined
async function begin(scenario: Scenario, assets: number, options: FakeOptions = {}, times: Times = {}) {
  calls = []
  suffer = () => undefined
  const choose = (call: Call) => {
    if (call.kind !== 'auth') calls.push(call)
    return suffer(call)
  }
  vendor = await testVendor(scenario, { assets, times, options: { choose, ...options } })
}
const named = (name: string) => calls.filter((call) => call.name === name).length
const sql = (query: string, values: unknown[] = []) => vendor.database.sql(CUSTOMER, query, values)
const run = () => readVendors('job').then(String, (error) => String(error.errors ?? error))
/** Moves the clock forward by an hour and runs the next pass. */
async function nextPass() {
  await schedulePasses()
  return run()
}
const account = async () => (await vendor.database.opened.jobs.query('SELECT * FROM vendor_accounts')).rows[0]
/** Makes a paused pass due. */
const makeDue = () => vendor.database.opened.jobs.query('UPDATE vendor_accounts SET list_next_at = now()')
const observedAssets = async () =>
  (await sql('SELECT count(*)::int AS count FROM vendor_subscriptions WHERE observed_at IS NOT NULL'))[0]
    ?.count
const stored = async (seed: Seed) =>
  (
    await sql('SELECT seats_purchased AS total, seats_assigned AS assigned FROM assets WHERE id = $1', [
      vendor.assetId(seed),
    ])
  )[0]

describe('a pass', () => {
  test('applies changes at the vendor, records the observed seats, and skips open changes', async () => {
    await begin(google, 12)
    const { fake, flexible, annual, patch, states } = vendor
    fake.setByVendor(annual.id, 44)
    fake.change(annual.id, { assigned: 17 })
    fake.failNext('write', 'drop-before')
    expect((await patch(flexible, 25)).status).toBe(504)
    fake.setByVendor(flexible.id, 26)
    await run()
    expect(await observedAssets()).toBe(12)
    expect(await stored(annual)).toEqual({ total: 44, assigned: 17 })
    expect(await vendor.changes(annual)).toMatchObject([{ state: 'DRIFT', from: 20, to: 44 }])
    const samplesQuery = 'SELECT purchased, assigned FROM seat_readings WHERE asset_id = $1'
    expect(await sql(samplesQuery, [vendor.assetId(annual)])).toEqual([{ purchased: 44, assigned: 17 }])
    expect(await stored(flexible)).toMatchObject({ total: 20 })
    expect(await states(flexible)).toEqual(['UNKNOWN'])
  })

  test('skips other customers’ assets, and finds a subscription whose id changed', async () => {
    await begin(google, 2)
    const { fake, annual } = vendor
    await addCustomer('other')
    const at = { vendorCustomerId: annual.customerId, skuId: annual.skuId }
    await addAsset('other', 'workspace-suite-1', { purchased: 7 }, at)
    await run()
    fake.change(annual.id, { id: 'S-new' })
    fake.setByVendor('S-new', 50)
    await nextPass()
    expect(await stored(annual)).toMatchObject({ total: 50 })
    const others = await vendor.database.sql('other', 'SELECT seats_purchased AS total FROM assets')
    expect(others).toEqual([{ total: 7 }])
  })

  test('starts hourly at the earliest and writes no unchanged asset', async () => {
    await begin(google, 8)
    await run()
    const versions = () => sql('SELECT id, xmin::text AS row FROM assets ORDER BY id')
    const before = await versions()
    expect(calls.length).toBe(1)
    await run()
    expect(calls.length).toBe(1)
    await nextPass()
    expect(calls.length).toBe(2)
    expect(await versions()).toEqual(before)
    expect(await sql('SELECT id FROM assets WHERE seats_purchased <> 20')).toEqual([])
  })

  test('leaves the rest to the next run on its stop signal', async () => {
    await begin(google, THREE_PAGES)
    const stop = new AbortController()
    suffer = ({ name }) => {
      if (name === 'list') stop.abort()
      return undefined
    }
    await readVendors('job', stop.signal)
    expect([named('list'), await observedAssets()]).toEqual([1, 0])
    suffer = () => undefined
    await run()
    expect([await observedAssets(), (await account()).list_cursor]).toEqual([THREE_PAGES, null])
  })
})

describe('a page that fails', () => {
  test.each([['throttle'], ['error-before'], ['drop-before']] as const)(
    '(%s) is requested again later, without reads one by one instead',
    async (failure) => {
      await begin(google, THREE_PAGES, { retryAfter: 1 })
      suffer = (call) => (named('list') === 2 && call.name === 'list' ? failure : undefined)
      expect(await run()).toContain('Google Workspace (default) could not be read')
      expect([named('list'), calls.length, await observedAssets()]).toEqual([2, 2, 100])
      const rests = await account()
      expect(rests).toMatchObject({ list_cursor: expect.any(String), list_ended_at: null })
      expect(rests.list_next_at.getTime()).toBeGreaterThan(Date.now() - 1000)
      suffer = () => undefined
      // Another process shares nothing but the database.
      forgetVendors()
      await vi.waitFor(async () => {
        await makeDue()
        await run()
        expect(await observedAssets()).toBe(THREE_PAGES)
      }, 10_000)
      // The second page again, and the third: no earlier page, and no single subscription.
      expect([named('list'), named('get')]).toEqual([4, 0])
      expect((await account()).list_ended_at).not.toBeNull()
    },
  )

  test('with an expired cursor restarts the list after a wait', async () => {
    await begin(google, THREE_PAGES)
    suffer = (call) => {
      if (named('list') === 2 && call.name === 'list') call.query.set('pageToken', 'of another time')
      return undefined
    }
    expect(await run()).toContain('could not be read')
    const rests = await account()
    expect(rests).toMatchObject({ list_cursor: null, list_ended_at: null })
    expect(rests.list_next_at.getTime()).toBeGreaterThan(Date.now() + 300_000)
    suffer = () => undefined
    await makeDue()
    await run()
    expect([await observedAssets(), named('list'), named('get')]).toEqual([THREE_PAGES, 5, 0])
  })
})

describe('a customer of Microsoft that fails', () => {
  test('is skipped without affecting other customers, and not read one by one', async () => {
    await begin(microsoft, 30)
    const broken = vendor.stage.seeds[7] as Seed
    suffer = ({ params }) => (params.customer === broken.customerId ? 'error-before' : undefined)
    expect(await run()).toBe('29')
    expect([await observedAssets(), named('get')]).toEqual([29, 0])
    suffer = () => undefined
    await nextPass()
    expect([await observedAssets(), named('get')]).toEqual([30, 0])
  })
})

describe('subscriptions missed by a pass', () => {
  test('are read one by one, at most a hundred: a list that omits more is itself wrong', async () => {
    await begin(google, 140)
    await run()
    for (const seed of vendor.stage.seeds) vendor.fake.change(seed.id, { customerId: 'elsewhere' })
    expect(await nextPass()).toBe('0')
    const due = 'SELECT count(*)::int AS count FROM vendor_subscriptions WHERE next_read_at IS NOT NULL'
    expect(await sql(due)).toEqual([{ count: 100 }])
    expect(named('get')).toBe(100)
    // The subscriptions are still unreported: the next attempt waits.
    await run()
    expect(named('get')).toBe(100)
  })

  test('are all read eventually, even when some can’t be read', async () => {
    await begin(google, 140)
    await run()
    const { seeds } = vendor.stage
    for (const seed of seeds) vendor.fake.change(seed.id, { customerId: 'elsewhere' })
    await nextPass()
    expect(named('get')).toBe(100)
    await nextPass()
    expect(named('get')).toBe(140)
  })
})

describe('a subscription is read by itself', () => {
  const due = async (seed: Seed) =>
    (
      await sql(
        `SELECT extract(epoch FROM next_read_at - now())::float8 AS "seconds" FROM vendor_subscriptions
         WHERE subscription_id = $1`,
        [seed.id],
      )
    )[0]?.seconds
  const comes = (seed: Seed) =>
    sql('UPDATE vendor_subscriptions SET next_read_at = now() WHERE subscription_id = $1', [seed.id])

  test('after a change, when its vendor’s stale time is over, so that a later change there is seen soon', async () => {
    await begin(google, 2, {}, { VENDOR_STALE_MS: '6000' })
    const { flexible, patch, fake, states } = vendor
    await run()
    expect((await patch(flexible, 30)).status).toBe(200)
    const wait = (await due(flexible)) as number
    expect([wait > 0, wait <= 6]).toEqual([true, true])
    fake.setByVendor(flexible.id, 33)
    // The read may be older than our own change: the outcome is unknown, and the vendor is read again.
    await comes(flexible)
    await run()
    expect(await stored(flexible)).toMatchObject({ total: 30 })
    await vi.waitFor(
      async () => {
        await run()
        expect(await stored(flexible)).toMatchObject({ total: 33 })
      },
      { timeout: 20_000, interval: 200 },
    )
    expect([await states(flexible), await due(flexible)]).toEqual([['APPLIED', 'DRIFT'], null])
  })

  test('and shows no newer state than when it was requested, however long it took', async () => {
    await begin(google, 2)
    await run()
    expect((await vendor.patch(vendor.flexible, 30)).status).toBe(200)
    const [customerId, id] = [newCustomerId(CUSTOMER), vendor.assetId(vendor.flexible)]
    const row = (await readScope({ customerId }, (tx) => readAsset(tx, customerId, id))) as LicensedRow
    const remote = vendorOf(row) as GuardedVendor
    const latest = (await remote.read(refOf(row), AbortSignal.timeout(5000))) as { observed: Observed }
    const before = { ...latest.observed, seats: { ...latest.observed.seats, purchased: 20 } }
    const apply = (requestedAt: number) =>
      applyObservation(remote, { ...row, customerId, assetId: id }, { ...before, requestedAt }, 'test')
    await apply(Date.now() - 60_000)
    expect(await stored(vendor.flexible)).toMatchObject({ total: 30 })
    await vi.waitFor(async () => {
      await apply(Date.now())
      expect(await stored(vendor.flexible)).toMatchObject({ total: 20 })
    })
    // An answer from before the vendor's change, applied after it, is no second change.
    await applyObservation(
      remote,
      { ...row, customerId, assetId: id },
      { ...latest.observed, requestedAt: Date.now() - 60_000 },
      'test',
    )
    expect(await vendor.states(vendor.flexible)).toEqual(['APPLIED', 'DRIFT'])
  })

  test('on a view of an asset whose last report is old', async () => {
    await begin(google, 2)
    await run()
    const ana = await callerOf(CUSTOMER, 'it-manager')
    const readItem = (seed: Seed) => readAssetItem(ana, vendor.assetId(seed), { requestId: 'look' })
    await readItem(vendor.annual)
    await sql(
      "UPDATE vendor_subscriptions SET observed_at = now() - interval '6 minutes' WHERE subscription_id = $1",
      [vendor.flexible.id],
    )
    await readItem(vendor.flexible)
    await vi.waitFor(async () => expect(await due(vendor.flexible)).toBeLessThanOrEqual(0))
    expect(await due(vendor.annual)).toBeNull()
    await run()
    expect(named('get')).toBe(1)
  })
})

test('The reconcile job leaves the rest to the next run on its stop signal', async () => {
  await begin(google, 2)
  vendor.fake.failNext('write', 'drop-before')
  expect((await vendor.patch(vendor.flexible, 25)).status).toBe(504)
  const before = calls.length
  expect([await reconcileOpenChanges('job', AbortSignal.abort()), calls.length]).toEqual([0, before])
  expect(await reconcileOpenChanges('job')).toBe(1)
})
