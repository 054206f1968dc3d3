import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import type { Step } from '../../../test/fakes/vendors/fake.ts'
import type { Call } from '../../../test/fakes/vendors/routes.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { readFromVendor } from './operations.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A decrease on a commitment that our copy of the vendor's record forbids is rejected without a claim.

const endpoint = route(readFromVendor)
let vendor: TestVendor
/** Reads of the annual subscription that the vendor has received, and the gate that holds them there. */
let arrived: number
let gate: PromiseWithResolvers<void>

beforeEach(async () => {
  gate = Promise.withResolvers()
  gate.resolve()
  arrived = 0
  const onStep = async (step: Step, call: Call) => {
    if (step !== 'read-arrived' || call.subscriptionId !== vendor.annual.id) return
    arrived += 1
    await gate.promise
  }
  vendor = await testVendor(google, { options: { onStep }, times: { VENDOR_READ_MS: '30000' } })
})
afterEach(async () => {
  gate.resolve()
  vi.unstubAllEnvs()
  await vendor.close()
})

const decrease = (quantity = 15, more: Parameters<TestVendor['patch']>[2] = {}) =>
  vendor.patch(vendor.annual, quantity, more)
const reads = () => arrived
/** Requests a read of the vendor, like "Read again now". */
async function read(): Promise<void> {
  const url = `http://console.example/billing/v1/assets/${vendor.assetId(vendor.annual)}/reading`
  const headers = { authorization: `Bearer ${vendor.stage.keys[0]}` }
  expect((await endpoint.POST(new Request(url, { method: 'POST', headers }))).status).toBe(200)
}
/** Changes the row of the annual subscription, as time or another process would. */
const setSubscription = (set: string) =>
  vendor.database.sql(CUSTOMER, `UPDATE vendor_subscriptions SET ${set} WHERE id = $1`, [
    `at-${vendor.assetId(vendor.annual)}`,
  ])
const REFUSED = { status: 409, code: 'decrease_not_allowed', json: { current: 20, minimum: 20 } }

test('is refused at once, without a read or a claim, by a copy of the last minute', async () => {
  await read()
  expect(await Promise.all([decrease(), decrease(19), decrease(0)])).toMatchObject(Array(3).fill(REFUSED))
  expect([reads(), await vendor.changes(vendor.annual), await vendor.audit(vendor.annual)]).toEqual([
    1,
    [],
    [],
  ])
  expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
  const before = reads()
  expect(await decrease(22)).toMatchObject({ code: 'decrease_not_allowed', json: { current: 25 } })
  expect(reads()).toBe(before)
})

test('is refused by one read, which all requests share, where the copy is older, and the asset is free meanwhile', async () => {
  await read()
  await setSubscription("observed_at = statement_timestamp() - interval '61 seconds', asked_at = null")
  gate = Promise.withResolvers()
  const answers = Array.from({ length: 10 }, (_, n) => decrease(2 * n))
  await expect.poll(reads).toBe(2)
  // Another request claims the asset: its read waits, too.
  const increase = vendor.patch(vendor.annual, 25)
  await expect.poll(() => vendor.states(vendor.annual)).toEqual(['CLAIMED'])
  gate.resolve()
  expect(await increase).toMatchObject({ status: 200 })
  const codes = (await Promise.all(answers)).map(({ code }) => code)
  for (const code of codes) expect(['decrease_not_allowed', 'change_in_progress']).toContain(code)
  const before = reads()
  // The increase reads once, and once more where its write is answered late.
  expect([3, 4]).toContain(before)
  expect(await decrease()).toMatchObject({ code: 'decrease_not_allowed', json: { current: 25 } })
  expect([reads(), await vendor.states(vendor.annual)]).toEqual([before, ['APPLIED']])
})

test('is decided by the vendor’s books where the read shows that it is none', async () => {
  vendor.fake.change(vendor.annual.id, { plan: 'FLEXIBLE' })
  expect((await decrease()).status).toBe(200)
  expect(vendor.total(vendor.annual)).toBe(15)
})

test('is not refused by a copy whose term has ended since it was read', async () => {
  await read()
  const end = new Date(Date.now() - 1000)
  await vendor.database.sql(CUSTOMER, 'UPDATE assets SET commitment_end = $2 WHERE id = $1', [
    vendor.assetId(vendor.annual),
    end,
  ])
  await setSubscription("observed_at = statement_timestamp() - interval '10 seconds', asked_at = null")
  expect(await decrease()).toMatchObject(REFUSED)
  expect(reads()).toBe(2)
})

test('503 for all where the vendor does not answer, without a claim', async () => {
  vendor.fake.setFault(vendor.annual.id, { read: 'error-before' })
  const answers = await Promise.all([decrease(), decrease(), decrease()])
  expect(answers).toMatchObject(Array(3).fill({ status: 503, code: 'vendor_unavailable' }))
  expect(await vendor.audit(vendor.annual)).toEqual([])
  vendor.fake.setFault(vendor.annual.id, undefined)
  expect(await decrease()).toMatchObject(REFUSED)
})

test('422 where the vendor shows no such subscription any more', async () => {
  vendor.fake.change(vendor.annual.id, { customerId: 'elsewhere' })
  for (const quantity of [15, 16]) expect(await decrease(quantity)).toMatchObject({ code: 'vendor_rejected' })
  expect(await vendor.changes(vendor.annual)).toEqual([])
})

test('waits for the read of another process, and reads by itself where that process died', async () => {
  await setSubscription('asked_at = statement_timestamp()')
  const waiting = decrease()
  await setSubscription("observed_at = statement_timestamp(), observation = 'told'")
  expect([await waiting, reads()]).toMatchObject([REFUSED, 0])
  vi.stubEnv('VENDOR_READ_MS', '1000')
  await setSubscription(
    "asked_at = statement_timestamp(), observed_at = statement_timestamp() - interval '1 hour'",
  )
  expect([await decrease(), reads()]).toMatchObject([REFUSED, 1])
})

test('keeps its answer under a key, follows If-Match, and is foretold by a dry run', async () => {
  await read()
  const headers = { 'idempotency-key': 'one' }
  const first = await decrease(15, { headers })
  expect(first).toMatchObject(REFUSED)
  expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
  expect((await decrease(15, { headers })).json).toEqual(first.json)
  const before = reads()
  expect((await decrease(15, { headers: { 'if-match': '"1.x"' } })).code).toBe('version_mismatch')
  expect((await decrease(15, { search: '?dryRun=true' })).json).toMatchObject({ current: 25 })
  expect(reads()).toBe(before)
  // Only the vendor knows a later version.
  expect((await decrease(15, { headers: { 'if-match': '"99.x"' } })).code).toBe('version_mismatch')
  expect(reads()).toBe(before + 1)
})
