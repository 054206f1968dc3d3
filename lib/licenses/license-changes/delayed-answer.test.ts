import { afterEach, expect, test, vi } from 'vitest'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { callVendor } from './send.ts'
import { readChange } from './store/changes.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A process sleeps after it recorded a change as sent, and other processes take it for dead.

let vendor: TestVendor
afterEach(() => vendor.close())

const customerId = newCustomerId(CUSTOMER)
const ASLEEP_MS = 60_000
const times = { MICROSOFT_SETTLE_SECONDS: '86400', VENDOR_WRITE_MS: '1000' }

/** Sends a change whose call is lost, and returns what its process knew. */
async function lostChange() {
  const { flexible, fake, patch } = vendor
  fake.failNext('write', 'drop-before')
  expect((await patch(flexible, 30)).status).toBe(504)
  const first = await scope({ customerId }, async (tx) => {
    const row = await lockLicensed(tx, customerId, vendor.assetId(flexible))
    const [{ id }] = (await vendor.changes(flexible)) as [{ id: string }]
    const change = await readChange(tx, customerId, id)
    if (!change) throw new Error('There is no change.')
    return { change, row, vendor: vendorOf(row) as GuardedVendor }
  })
  const ref = { customerId: flexible.customerId, subscriptionId: flexible.id, skuId: flexible.skuId }
  const readResult = await first.vendor.read(ref, AbortSignal.timeout(5000))
  if (readResult.kind !== 'read') return expect.fail(readResult.reason)
  const caller = await callerOf(CUSTOMER, 'it-manager')
  const request = {
    ...{ caller, assetId: vendor.assetId(flexible), quantity: 30 },
    ...{ requestId: 'late', ifMatch: undefined, keyed: undefined },
  }
  /** Goes on as the first process, a minute later. @returns the code of its problem */
  const wakeUp = async () => {
    const { movedAt } = first.change
    const sent = { observed: readResult.observed, sentAt: Date.now() - ASLEEP_MS, movedAt }
    return callVendor(request, { ...first, claimedAt: 0 }, sent).catch(({ code }) => code)
  }
  return { wakeUp }
}

test('A delayed answer settles nothing about a newer call', async () => {
  vendor = await testVendor(microsoft, { times })
  const { flexible, fake, patch, total, states, database } = vendor
  const { wakeUp } = await lostChange()
  // A second request is applied, and its answer is lost.
  fake.setFault(flexible.id, { write: 'hang-after' })
  let again: Promise<unknown> = Promise.resolve()
  await vi.waitFor(
    async () => {
      again = patch(flexible, 30, { writer: 1 })
      await vi.waitFor(() => expect(total(flexible)).toBe(30), { timeout: 700, interval: 20 })
    },
    { timeout: 8000, interval: 100 },
  )
  expect([await wakeUp(), await states(flexible)]).toEqual([undefined, ['SENT']])
  expect(await again).toMatchObject({ status: 200 })
  const calls = await database.sql(
    CUSTOMER,
    'SELECT kind, reason FROM license_change_attempts ORDER BY number',
  )
  expect(calls).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }])
})

test('A process that slept before its call fails its change, which the client may send again', async () => {
  vendor = await testVendor(microsoft, { times })
  const { wakeUp } = await lostChange()
  const { flexible, states, writes } = vendor
  const sent = writes(flexible).length
  expect([await wakeUp(), await states(flexible)]).toEqual(['vendor_unavailable', ['FAILED']])
  expect(writes(flexible)).toHaveLength(sent)
})
