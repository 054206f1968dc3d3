import { afterEach, describe, expect, test, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import type { Step } from '../../../test/fakes/vendors/fake.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { reconcileOpenChanges } from './jobs.ts'
import { resolveByHand } from './settle-by-hand.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// Requests that wait for another request's change, and the time for which an Idempotency-Key answers `outcome_unknown`.

let vendor: TestVendor
afterEach(() => vendor.close())

test('A request during another one’s read waits for the result of that read', async () => {
  const blocker = Promise.withResolvers<void>()
  let isBlocked = false
  let reads = 0
  const onStep = async (step: Step) => {
    // The write is applied, but its answer is lost, as is the answer of the first read after it.
    if (step === 'write-applied') vendor.fake.setFault(vendor.flexible.id, { read: 'error-before' })
    if (step !== 'read-arrived') return
    reads += 1
    if (isBlocked) await blocker.promise
  }
  const times = { VENDOR_CHECK_MS: '60000', VENDOR_CONFIRM_MS: '5000' }
  vendor = await testVendor(google, { options: { onStep }, times })
  const { fake, flexible, database, patch } = vendor
  fake.failNext('write', 'reset-after')
  expect((await patch(flexible, 30)).code).toBe('outcome_unknown')
  fake.setFault(flexible.id, undefined)
  // As if the time between two reads were over.
  await database.sql(CUSTOMER, 'UPDATE license_changes SET checked_at = NULL')
  isBlocked = true
  const before = reads
  const job = reconcileOpenChanges('job')
  await vi.waitFor(() => expect(reads).toBe(before + 1))
  const answer = patch(flexible, 30, { headers: { 'idempotency-key': 'waits' } })
  const joined = "SELECT 1 AS joined FROM idempotency_keys WHERE key = 'waits' AND change_id IS NOT NULL"
  await vi.waitFor(async () => expect(await database.sql(CUSTOMER, joined)).toHaveLength(1))
  blocker.resolve()
  expect((await answer).status).toBe(200)
  await job
  expect([reads, fake.writes.length]).toEqual([before + 1, 1])
})

describe('the key of an unclear change', () => {
  const headers = { 'idempotency-key': 'lost' }
  const patch = () => vendor.patch(vendor.flexible, 30, { headers })
  /** Ages the key and the settlement of its change, in days. */
  const age = (days: number, resolvedDays: number) =>
    run(
      vendor.database.url,
      `ALTER TABLE idempotency_keys DISABLE ROW LEVEL SECURITY;
       ALTER TABLE license_changes DISABLE ROW LEVEL SECURITY;
       UPDATE idempotency_keys SET created_at = now() - interval '${days} days';
       UPDATE license_changes SET settled_at = now() - interval '${resolvedDays} days' WHERE settled_at IS NOT NULL;
       ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
       ALTER TABLE license_changes ENABLE ROW LEVEL SECURITY`,
    )
  const sent = () => vendor.fake.exchanges.filter(({ call }) => call.kind === 'write').length

  async function unclear(): Promise<string> {
    vendor = await testVendor(google)
    vendor.fake.failNext('write', 'drop-before')
    expect((await patch()).status).toBe(504)
    vendor.fake.setByVendor(vendor.flexible.id, 26)
    await vendor.waitUntilResolved(vendor.flexible)
    const [change] = await vendor.changes(vendor.flexible)
    expect(change?.state).toBe('UNCLEAR')
    return String(change?.id)
  }

  test('stays outcome_unknown for as long as the change is unsettled', async () => {
    const id = await unclear()
    await age(30, 30)
    expect((await patch()).json).toMatchObject({ code: 'outcome_unknown', changeId: id })
    expect(sent()).toBe(1)
  })

  test('returns an operator’s answer for one more day and is free afterwards', async () => {
    const id = await unclear()
    await age(30, 30)
    await resolveByHand(newCustomerId(CUSTOMER), id, { as: 'APPLIED', reason: 'seen there' })
    const answer = await patch()
    expect([answer.status, answer.json.properties.subscription.Seats.NumberOfSeats, sent()]).toEqual([
      200, 26, 1,
    ])
    // A stored answer is as old as its key.
    await age(30, 2)
    expect((await patch()).status).toBe(200)
    expect(sent()).toBe(2)
  })
})
