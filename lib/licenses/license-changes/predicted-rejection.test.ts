import { afterEach, beforeEach, expect, test } from 'vitest'
import { google } from '../../../test/fuzz/scenarios.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A refusal that we foresee is ours: the vendor was not asked, and its name stands under nothing.

let vendor: TestVendor
beforeEach(async () => {
  vendor = await testVendor(google)
})
afterEach(() => vendor.close())

test('what the vendor’s published rules refuse is 422 and no change; the key gets the same again', async () => {
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

test('so is a subscription that the vendor does not show us', async () => {
  const { fake, flexible, patch, changes, audit } = vendor
  fake.change(flexible.id, { customerId: 'elsewhere' })
  expect((await patch(flexible, 25)).json).toMatchObject({ code: 'vendor_rejected', foreseen: true })
  expect([await changes(flexible), await audit(flexible)]).toEqual([[], ['claimed', 'withdrawn']])
})
