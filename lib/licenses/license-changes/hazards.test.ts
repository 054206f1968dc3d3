import { afterEach, expect, test, vi } from 'vitest'
import { importAssets } from '#lib/imports/assets.ts'
import type { NewAsset } from '#lib/imports/schemas.ts'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { listLicenseChanges, setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { FakeOptions, Step } from '../../../test/fakes/vendors/fake.ts'
import type { Times } from '../../../test/fuzz/clock.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Scenario, type Seed, type Stage, setStage } from '../../../test/fuzz/stage.ts'
import { readVendors, reconcileOpenChanges } from './jobs.ts'

// Stale reads, changes in the vendor's console, imports and sleeping processes, each at the worst moment.

const asset = route(setQuantity)
let database: TestDatabase
let stage: Stage
let flexible: Seed
let annual: Seed

async function begin(scenario: Scenario, options: FakeOptions = {}, times: Times = {}, assets = 2) {
  database = await testDatabase()
  const slow = { VENDOR_READ_MS: '2000', VENDOR_WRITE_MS: '2000', VENDOR_CONFIRM_MS: '1500' }
  stage = await setStage(scenario, {
    assets,
    writers: 1,
    options,
    times: { ...slow, VENDOR_STALE_MS: '120000', ...times },
  })
  ;[flexible, annual] = stage.seeds as [Seed, Seed]
}
afterEach(async () => {
  vi.unstubAllEnvs()
  await stage.close()
  await database.close()
})

async function patch(seed: Seed, quantity: number, search = '') {
  const body = JSON.stringify({ quantity })
  const headers = {
    authorization: `Bearer ${stage.keys[0]}`,
    'content-type': 'application/json',
    'content-length': `${body.length}`,
  }
  const url = `http://console.example/billing/v1/assets/${stage.assetId(seed)}${search}`
  const response = await asset.PATCH(new Request(url, { method: 'PATCH', headers, body }))
  const json = await response.json()
  return { status: response.status, code: json.code, json }
}
const total = ({ id }: Seed) => stage.fake.subscription(id)?.total
const statesOf = async (seed: Seed) => {
  const query = 'SELECT state FROM license_changes WHERE asset_id = $1 ORDER BY created_at'
  return (await database.sql(CUSTOMER, query, [stage.assetId(seed)])).map(({ state }) => state)
}

const customerId = newCustomerId(CUSTOMER)
/** Holds the lock on the asset's row for a while, like another or a slow process. */
function hold(seed: Seed, ms: number): { locked: Promise<void>; done: Promise<void> } {
  const { promise: locked, resolve } = Promise.withResolvers<void>()
  const done = scope({ customerId }, async (tx) => {
    await lockLicensed(tx, customerId, stage.assetId(seed))
    resolve()
    // Fixed wait: it is slow.
    await new Promise((wake) => setTimeout(wake, ms))
  })
  return { locked, done }
}
function once(at: Step, work: () => Promise<void>) {
  let armed = true
  return async (step: Step) => {
    if (!armed || step !== at) return
    armed = false
    await work()
  }
}

function load(seed: Seed, purchased: number, more: Partial<NewAsset> = {}, values: object = {}) {
  const plan = { planName: 'FLEXIBLE', isCommitmentPlan: false, ...values }
  const subscription = {
    ...plan,
    id: seed.id,
    skuId: seed.skuId,
    skuName: 'Business Plus',
    billingMethod: 'ONLINE',
    status: 'ACTIVE',
    seats: { purchased, assigned: 3 },
  }
  const newAsset: NewAsset = {
    id: stage.assetId(seed),
    type: 'workspace-suite',
    name: 'x',
    customerDomain: 'fuzz.example',
    vendorCustomerId: seed.customerId,
    createdAt: new Date('2026-01-01'),
    subscription,
    ...more,
  }
  return scope({ customerId }, (tx) => importAssets(tx, customerId, [newAsset], { replace: true }))
}

test('A stale read of the requested total results in no 200, at the read or after an acceptance', async () => {
  await begin(microsoft, { staleMs: 60_000 })
  expect((await patch(flexible, 25)).status).toBe(200)
  stage.fake.setFault(flexible.id, { read: 'stale', write: 'accepted-never-done' })
  expect([(await patch(flexible, 20)).code, total(flexible)]).toEqual(['change_in_progress', 25])
  expect((await patch(flexible, 20, '?dryRun=true')).code).toBe('change_in_progress')
})

test('A commitment is not lowered below the total that its vendor raised a moment ago', async () => {
  await begin(microsoft)
  expect((await patch(annual, 25)).status).toBe(200)
  stage.fake.setByVendor(annual.id, 40)
  expect([(await patch(annual, 30)).code, total(annual)]).toEqual(['change_in_progress', 40])
  expect((await patch(annual, 25)).code).toBe('change_in_progress')
})

test('An imported total does not count as the vendor’s total', async () => {
  await begin(microsoft)
  await load(annual, 10)
  expect([(await patch(annual, 15)).code, total(annual)]).toEqual(['decrease_not_allowed', 20])
  await load(flexible, 50)
  expect([(await patch(flexible, 50)).status, total(flexible)]).toEqual([200, 50])
})

test('An import skips an asset with an open change', async () => {
  await begin(google, {}, { VENDOR_WRITE_MS: '2000' })
  stage.fake.failNext('write', 'hang-before')
  expect((await patch(flexible, 30)).status).toBe(504)
  for (const more of [{ subscription: null }, { vendor: 'built-in' }]) {
    await expect(load(flexible, 20, more)).rejects.toThrow('not settled yet')
  }
})

test('A customer whose access is revoked blocks no other customer', async () => {
  await begin(google)
  stage.fake.setFault(flexible.id, { read: 'forbidden' })
  for (let n = 0; n < 6; n++) expect((await patch(flexible, 30, '?dryRun=true')).code).toBe('vendor_rejected')
  expect((await patch(annual, 30)).status).toBe(200)
})

test('Operator-only details are hidden from customers', async () => {
  await begin(google)
  vi.stubEnv('GOOGLE_KEY_FILE', '/srv/secret/reseller-key.json')
  expect(JSON.stringify((await patch(flexible, 30)).json)).not.toContain('secret')
  const url = 'http://console.example/billing/v1/license-changes'
  const headers = { authorization: `Bearer ${stage.keys[0]}` }
  const listed = await route(listLicenseChanges).GET(new Request(url, { headers }))
  expect(await listed.text()).toMatch(/could not be asked(?!.*secret)/)
})

test('The list’s pages may separate two subscriptions of one SKU', async () => {
  await begin(google, {}, {}, 100)
  const last = stage.seeds[99] as Seed
  const { customerId: owner, skuId } = last
  const sibling = { id: 'sibling', customerId: owner, skuId, total: 7, assigned: 0, plan: 'FLEXIBLE' }
  stage.fake.add({ ...sibling, status: 'CANCELLED' })
  expect(await readVendors('hourly')).toBe(100)
  const query = 'SELECT subscription_id AS id, seats_purchased AS total FROM assets WHERE id = $1'
  expect(await database.sql(CUSTOMER, query, [stage.assetId(last)])).toEqual([{ id: last.id, total: 20 }])
})

test('A read is judged by the time of its request, not of its answer', async () => {
  // On a busy machine the PATCH before the read lasts seconds.
  const SETTLE_MS = 6000
  const WRITE_MS = 100
  const STALE_MS = 100
  /** Time after the send of a change, in milliseconds, from which on a read shows whether the vendor did it. */
  const LATEST = SETTLE_MS + 2 * WRITE_MS + STALE_MS
  const age = async () => {
    const query =
      "SELECT extract(epoch FROM clock_timestamp() - moved_at)::float8 * 1000 AS age FROM license_changes WHERE state = 'UNKNOWN'"
    return Number((await database.sql(CUSTOMER, query))[0]?.age)
  }
  let isArmed = false
  let sentAt = Number.NaN
  const onStep = async (step: Step) => {
    if (!isArmed || step !== 'read-arrived') return
    isArmed = false
    sentAt = await age()
    await expect.poll(age).toBeGreaterThan(LATEST)
  }
  const times = {
    GOOGLE_SETTLE_SECONDS: String(SETTLE_MS / 1000),
    // No client aborts while waiting for the answer.
    VENDOR_READ_MS: '10000',
    VENDOR_CONFIRM_MS: '10000',
    VENDOR_WRITE_MS: String(WRITE_MS),
    VENDOR_CHECK_MS: '50',
    VENDOR_STALE_MS: String(STALE_MS),
  }
  const written = Promise.withResolvers<void>()
  await begin(google, { onStep, delayUntil: () => written.promise }, times)
  stage.fake.failNext('write', 'late')
  await patch(flexible, 30)
  isArmed = true
  const readStates = async () => {
    await reconcileOpenChanges('job')
    return isArmed
  }
  // Not before the first call is over for certain.
  await expect.poll(readStates).toBe(false)
  // The vendor did it just in time, after it had read.
  written.resolve()
  await stage.fake.whenIdle()
  expect(sentAt).toBeLessThan(LATEST)
  expect([await statesOf(flexible), total(flexible)]).toEqual([['UNKNOWN'], 30])
})

test('a process that slept past its lease does not send by its old read', async () => {
  const onStep = once('read-answered', async () => {
    // Longer than the lease, and shorter than a statement waits for a row.
    const { locked } = hold(flexible, 400)
    await locked
    stage.fake.setByVendor(flexible.id, 60)
  })
  await begin(google, { onStep }, { CHANGE_LEASE_MS: '100' })
  const { code } = await patch(flexible, 30)
  // When the row was free in time, the fresh read was not stale, and the change is correct.
  if (code === 'vendor_unavailable')
    expect([total(flexible), await statesOf(flexible)]).toEqual([60, ['FAILED']])
  else expect(code).toBe('change_in_progress')
})

test('A change whose outcome can’t be recorded is answered with 504 and its id', async () => {
  let blocked = Promise.resolve()
  const onStep = once('write-applied', async () => {
    const { locked, done } = hold(flexible, 1600)
    blocked = done
    await locked
  })
  await begin(google, { onStep })
  const { code, json } = await patch(flexible, 30)
  await blocked
  expect([code, json.changeId, total(flexible)]).toEqual(['outcome_unknown', expect.any(String), 30])
})
