import { afterEach, beforeEach, expect, test } from 'vitest'
import { google } from '../../../test/fuzz/scenarios.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A predicted rejection is ours: the vendor was not called and is not named in the answer.

let vendor: TestVendor
beforeEach(async () => {
  vendor = await testVendor(google)
})
afterEach(() => vendor.close())

test('A total that violates the vendor’s published rules is answered with 422 and no change; the key replays the answer', async () => {
  const { fake, flexible, patch, changes, audit } = vendor
  const headers = { 'idempotency-key': 'low' }
  const first = await patch(flexible, 2, { headers })
  const problem = { code: 'vendor_rejected', foreseen: true, detail: expect.stringContaining('3 users') }
  expect([first.status, first.json]).toEqual([422, expect.objectContaining(problem)])
  expect((await patch(flexible, 2, { search: '?dryRun=true' })).json).toMatchObject(problem)
  fake.change(flexible.id, { assigned: 0 })
  expect((await patch(flexible, 2, { headers })).json).toEqual(first.json)
  expect([await changes(flexible), await audit(flexible)]).toEqual([[], ['claimed', 'withdrawn']])
})

test('A subscription that is hidden at the vendor is answered with 422 and no change', async () => {
  const { fake, flexible, patch, changes, audit } = vendor
  fake.change(flexible.id, { customerId: 'elsewhere' })
  expect((await patch(flexible, 25)).json).toMatchObject({ code: 'vendor_rejected', foreseen: true })
  expect([await changes(flexible), await audit(flexible)]).toEqual([[], ['claimed', 'withdrawn']])
})
