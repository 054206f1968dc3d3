import { afterEach, expect, test, vi } from 'vitest'
import type { Step } from '../../../test/fakes/vendors/fake.ts'
import type { Call } from '../../../test/fakes/vendors/routes.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { reconcileOpenChanges } from './jobs.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// Texts about a write whose answer was lost and whose outcome no read can prove.

let vendor: TestVendor
let whenApplied: (() => void) | undefined
afterEach(() => vendor.close())

/** Sends a PATCH that is applied but whose answer is lost; `after` happens at the vendor before the next read. */
async function lose(after: () => void, headers = {}, quantity = 30) {
  const onStep = (step: Step) => {
    if (step !== 'write-applied') return
    whenApplied?.()
    whenApplied = undefined
  }
  vendor = await testVendor(google, { options: { onStep } })
  whenApplied = after
  vendor.fake.failNext('write', 'reset-after')
  return vendor.patch(vendor.flexible, quantity, { headers })
}

const LOST: [string, () => void][] = [
  ['a third total set in the vendor’s console', () => vendor.fake.setByVendor(vendor.flexible.id, 26)],
  [
    'the customer lets us in no more (403)',
    () => vendor.fake.setFault(vendor.flexible.id, { read: 'forbidden' }),
  ],
  [
    'it is not there any more (404)',
    () => vendor.fake.change(vendor.flexible.id, { customerId: 'elsewhere' }),
  ],
]
test.each(LOST)('An applied change followed by %s is never reported as not applied', async (_, after) => {
  const { code } = await lose(after)
  expect(code).toBe('outcome_unknown')
  await vendor.waitUntilResolved(vendor.flexible)
  expect(await vendor.changes(vendor.flexible)).toMatchObject([
    { state: 'UNCLEAR', reason: expect.stringContaining('Google Workspace'), settledAt: expect.any(Date) },
    ...(vendor.total(vendor.flexible) === 26 ? [{ state: 'DRIFT', from: 20, to: 26 }] : []),
  ])
  expect((await vendor.audit(vendor.flexible)).slice(0, 4)).toEqual(['claimed', 'sent', 'unknown', 'unclear'])
})

test('Texts about totals use the number format for people', async () => {
  await lose(() => vendor.fake.setByVendor(vendor.flexible.id, 1026), {}, 1030)
  await vendor.waitUntilResolved(vendor.flexible)
  const [{ reason } = {}] = await vendor.changes(vendor.flexible)
  expect(reason).toContain('the change to 1,030 reached')
  expect(reason).toContain('it shows 1,026, and')
})

test('The next change is decided on a fresh read, and the lost change’s key stays outcome_unknown', async () => {
  const headers = { 'idempotency-key': 'lost' }
  await lose(() => vendor.fake.setByVendor(vendor.flexible.id, 26), headers)
  await vendor.waitUntilResolved(vendor.flexible)
  const [lost] = await vendor.changes(vendor.flexible)
  const again = await vendor.patch(vendor.flexible, 30, { headers })
  expect([again.code, again.json.changeId]).toEqual(['outcome_unknown', lost?.id])
  expect(again.json.detail).toContain('can’t tell')
  expect(vendor.writes(vendor.flexible)).toHaveLength(1)
  expect((await vendor.patch(vendor.flexible, 40)).status).toBe(200)
  expect(await vendor.changes(vendor.flexible)).toMatchObject([
    { state: 'UNCLEAR' },
    { state: 'DRIFT' },
    { state: 'APPLIED', from: 26, to: 40 },
  ])
})

test('The previous total proves nothing after another user moved it and set it back', async () => {
  await lose(() => vendor.fake.setByVendor(vendor.flexible.id, 26))
  await reconcileOpenChanges('early')
  vendor.fake.setByVendor(vendor.flexible.id, 20)
  await vendor.waitUntilResolved(vendor.flexible)
  expect(await vendor.states(vendor.flexible)).toEqual(['UNCLEAR'])
})

test('A stale read of the total before our previous change is no sign of another user', async () => {
  const onStep = (step: Step, { text }: Call) => {
    if (step !== 'write-arrived' || !text.includes('30')) return
    vendor.fake.setFault(vendor.flexible.id, { read: 'stale' })
  }
  const times = { VENDOR_STALE_MS: '5000' }
  vendor = await testVendor(google, { options: { onStep, staleMs: 1000 }, times })
  expect((await vendor.patch(vendor.flexible, 25)).status).toBe(200)
  vendor.fake.failNext('write', 'drop-before')
  expect((await vendor.patch(vendor.flexible, 30)).status).toBe(504)
  await vendor.waitUntilResolved(vendor.flexible)
  expect(await vendor.states(vendor.flexible)).toEqual(['APPLIED', 'FAILED'])
})

test('The previous total with no change in between proves that the change was not applied and is safe to repeat', async () => {
  vendor = await testVendor(google)
  const headers = { 'idempotency-key': 'lost' }
  vendor.fake.failNext('write', 'drop-before')
  expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(504)
  await vendor.waitUntilResolved(vendor.flexible)
  expect(await vendor.states(vendor.flexible)).toEqual(['FAILED'])
  expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(200)
})

test.each([
  ['answers without JSON', 'no-json'],
  ['answers that its API is disabled', 'api-off'],
  ['rejects our key', 'token-expired'],
])('A change at a vendor that %s waits a day for an answer, and then for a person', async (_, read) => {
  await lose(() => vendor.fake.setFault(vendor.flexible.id, { read }))
  const after = async (time: string) => {
    const aged = `moved_at = statement_timestamp() - interval '${time}', checked_at = NULL`
    await vendor.database.sql(CUSTOMER, `UPDATE license_changes SET ${aged}`)
    await reconcileOpenChanges('job')
    return vendor.database.sql(
      CUSTOMER,
      'SELECT state, checked_at IS NOT NULL AS "isAsked" FROM license_changes',
    )
  }
  expect(await after('23 hours')).toEqual([{ state: 'UNKNOWN', isAsked: true }])
  expect(await after('25 hours')).toEqual([{ state: 'UNCLEAR', isAsked: true }])
  expect((await vendor.changes(vendor.flexible))[0]?.reason).toContain('it did not answer when it was asked')
  // The asset is free again as soon as its vendor answers.
  vendor.fake.setFault(vendor.flexible.id, undefined)
  await vi.waitFor(async () => expect((await vendor.patch(vendor.flexible, 40)).status).toBe(200))
})
