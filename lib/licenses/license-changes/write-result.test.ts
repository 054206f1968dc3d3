import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { vendorDeclarations } from '#lib/vendors/declarations.ts'
import { paperclip } from '#lib/vendors/test-invented/declaration.ts'
import { paperclip as standIn } from '../../../test/fakes/generic-vendor/fake.ts'
import type { Step } from '../../../test/fakes/vendors/fake.ts'
import { scenarioFor } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { readVendors, reconcileOpenChanges } from './jobs.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// Vendor with write results, by the order id of its answer or by the id of the change.

let vendor: TestVendor
/** Resolved when Paperclip may carry out its accepted order. */
let deferredAnswer: PromiseWithResolvers<void>
let whenApplied: (() => void) | undefined
beforeEach(async () => {
  deferredAnswer = Promise.withResolvers()
  whenApplied = undefined
  vendorDeclarations.push(paperclip)
  const onStep = (step: Step) => {
    if (step === 'write-applied') whenApplied?.()
  }
  vendor = await testVendor(scenarioFor(standIn), {
    options: { onStep, delayUntil: () => deferredAnswer.promise },
  })
})
afterEach(async () => {
  deferredAnswer.resolve()
  await vendor.close()
  vendorDeclarations.pop()
})

const headers = { 'idempotency-key': 'one' }
const patch = () => vendor.patch(vendor.flexible, 24, { headers })
const states = () => vendor.states(vendor.flexible)
const calls = (kind: string) =>
  vendor.fake.exchanges.flatMap(({ call }) => (call.kind === kind ? [call.name] : []))
const pollRefs = async () => {
  const rows = await vendor.database.sql(CUSTOMER, 'SELECT poll_ref AS ref FROM license_changes')
  return rows.map(({ ref }) => ref)
}
/** Sends a change that the vendor accepts as an order, and whose request waits for the result in vain. */
async function ordered(failure: string) {
  vendor.fake.failNext('write', failure)
  expect((await patch()).code).toBe('outcome_unknown')
  expect([await states(), await pollRefs()]).toEqual([['UNKNOWN'], ['o-1']])
}
const waitUntilResolved = () => vendor.waitUntilResolved(vendor.flexible)

describe('an order that the vendor answered with', () => {
  test('is polled until it is done by the waiting request', async () => {
    vendor.fake.failNext('write', 'order')
    const answer = patch()
    await vi.waitFor(() => expect(calls('read')).toContain('order'), { timeout: 5000 })
    deferredAnswer.resolve()
    const { status, json } = await answer
    expect([status, json.properties.subscription.Seats.NumberOfSeats]).toEqual([200, 24])
    expect([await states(), await pollRefs(), calls('write')]).toEqual([['APPLIED'], ['o-1'], ['put']])
    expect(await vendor.audit(vendor.flexible)).toEqual(['claimed', 'sent', 'unknown', 'applied'])
  })

  test('is polled by the job, and its key has the answer afterwards', async () => {
    await ordered('order')
    deferredAnswer.resolve()
    await waitUntilResolved()
    expect([await states(), vendor.total(vendor.flexible)]).toEqual([['APPLIED'], 24])
    expect((await patch()).status).toBe(200)
    expect(calls('write')).toEqual(['put'])
  })

  test('is never reported as “not applied” by a read, however long it takes', async () => {
    await ordered('order')
    const isOver = "SELECT clock_timestamp() - moved_at > interval '2 seconds' AS over FROM license_changes"
    await vi.waitFor(
      async () => {
        await reconcileOpenChanges('job')
        expect(await vendor.database.sql(CUSTOMER, isOver)).toEqual([{ over: true }])
      },
      { timeout: 8000, interval: 60 },
    )
    await reconcileOpenChanges('job')
    expect(await states()).toEqual(['UNKNOWN'])
    deferredAnswer.resolve()
    await waitUntilResolved()
    expect(await states()).toEqual(['APPLIED'])
  })

  test('becomes a refusal in the vendor’s words when refused later, also for the key', async () => {
    await ordered('order-refused')
    deferredAnswer.resolve()
    await waitUntilResolved()
    const reason = 'Paperclip says: there is no wire left.'
    expect(await vendor.changes(vendor.flexible)).toMatchObject([{ state: 'REJECTED', reason }])
    const again = await patch()
    expect([again.status, again.json]).toMatchObject([422, { code: 'vendor_rejected', detail: reason }])
    expect([vendor.total(vendor.flexible), calls('write')]).toEqual([20, ['put']])
  })

  test('fails when the vendor drops it: the next request is a new change', async () => {
    await ordered('order-void')
    deferredAnswer.resolve()
    await waitUntilResolved()
    expect(await vendor.changes(vendor.flexible)).toMatchObject([
      { state: 'FAILED', reason: 'Nothing was changed: Paperclip did not take the call.' },
    ])
    expect((await patch()).status).toBe(200)
    expect(await states()).toEqual(['FAILED', 'APPLIED'])
  })
})

describe('a write whose answer was lost', () => {
  test('is known by the id of its change, also where the subscription can’t be read', async () => {
    whenApplied = () => vendor.fake.setFault(vendor.flexible.id, { read: 'error-before' })
    vendor.fake.failNext('write', 'reset-after')
    expect((await patch()).status).toBe(200)
    expect([await states(), calls('read')]).toEqual([['APPLIED'], ['get', 'orderOf']])
  })

  test('that created an order is polled by the order id from then on', async () => {
    await ordered('order-cut')
    expect(calls('read').slice(0, 3)).toEqual(['get', 'orderOf', 'get'])
    expect(calls('read').at(-2)).toBe('order')
    deferredAnswer.resolve()
    await waitUntilResolved()
    expect(await states()).toEqual(['APPLIED'])
  })

  test('that was applied is never reported as “not applied”, though another user has set the old total again', async () => {
    whenApplied = () => {
      whenApplied = undefined
      vendor.fake.setByVendor(vendor.flexible.id, 20)
    }
    vendor.fake.failNext('write', 'reset-after')
    expect((await patch()).json.properties.subscription.Seats.NumberOfSeats).toBe(24)
    await vi.waitFor(
      async () => {
        await readVendors('job')
        expect(await vendor.changes(vendor.flexible)).toMatchObject([
          { state: 'APPLIED', from: 20, to: 24 },
          { state: 'DRIFT', from: 24, to: 20 },
        ])
      },
      { timeout: 5000, interval: 60 },
    )
  })

  test('that is unknown to the vendor is reconciled by reads, as at vendors without results', async () => {
    vendor.fake.failNext('write', 'drop-before')
    expect((await patch()).code).toBe('outcome_unknown')
    await waitUntilResolved()
    expect(await states()).toEqual(['FAILED'])
  })
})
