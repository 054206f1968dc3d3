import { afterEach, expect, test } from 'vitest'
import { dueChanges } from '#lib/identity/access/due-work.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { reconcileOpenChanges } from './jobs.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

let vendor: TestVendor
afterEach(() => vendor.close())

test('The reconcile job reserves the last vendor calls for people and stops on its signal', async () => {
  vendor = await testVendor(google, { times: { GOOGLE_CALLS_PER_MINUTE: '50', GOOGLE_SETTLE_SECONDS: '60' } })
  const { fake, flexible, patch, database } = vendor
  fake.failNext('write', 'drop-before')
  expect((await patch(flexible, 30)).status).toBe(504)
  const reads = () => fake.exchanges.filter(({ call }) => call.kind === 'read').length
  const before = reads()
  const left = (tokens: number) =>
    database.opened.jobs.query('UPDATE vendor_budgets SET tokens = $1, refilled_at = now()', [tokens])
  const reconcile = async (signal?: AbortSignal) => {
    await expect.poll(() => dueChanges()).toHaveLength(1)
    expect(await reconcileOpenChanges('job', signal)).toBe(signal?.aborted ? 0 : 1)
    return reads() - before
  }
  await left(1)
  expect(await reconcile()).toBe(0)
  await left(10)
  expect(await reconcile(AbortSignal.abort())).toBe(0)
  expect(await reconcile()).toBe(1)
})
