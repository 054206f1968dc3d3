import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { addKey } from '#lib/platform/db/test-rows.ts'
import { microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { accepted, callTool } from './test-client.ts'

// Changes of assistants at a vendor: a preview sends nothing, and a confirmation sends one request.

let vendor: TestVendor
let [key, assetId] = ['', '']
beforeEach(async () => {
  vendor = await testVendor(microsoft, { times: { VENDOR_WRITE_MS: '1500' } })
  assetId = vendor.assetId(vendor.annual)
  key = await addKey(CUSTOMER, ['it-manager'])
  await readOne(CUSTOMER as CustomerId, assetId, 'test')
})
afterEach(() => vendor.close())

type Fields = { fields: { autoRenewEnabled: boolean; scheduledActions?: { actionType: string }[] } }
/** The vendor's settings for the end of the term. */
function settings() {
  const row = vendor.fake.subscription(vendor.annual.id)?.vendorFields as Fields | undefined
  const actions = row?.fields.scheduledActions?.map(({ actionType }) => actionType) ?? []
  return [row?.fields.autoRenewEnabled, actions.join()]
}
const rows = (query: string) => vendor.database.sql(CUSTOMER, query)

describe('an end of a plan', () => {
  test('is ordered only when the person has typed the name of the product', async () => {
    const args = { asset_id: assetId, action: 'cancel' }
    const { message, requestState = '' } = await callTool(key, 'order_renewal', args)
    expect(message).toContain(`End the plan of "${assetId}"`)
    expect(message).toContain('cannot be undone')
    for (const typed of [true, '', 'Business Plus', `${assetId}x`]) {
      const { body } = await callTool(key, 'order_renewal', args, { requestState, ...accepted(typed) })
      expect(body.reason).toBe('not_typed')
    }
    expect([settings(), await rows('SELECT id FROM renewal_orders')]).toEqual([[true, ''], []])
    const made = await callTool(key, 'order_renewal', args, { requestState, ...accepted(assetId) })
    expect(made.body).toMatchObject({ order: { action: 'cancel', isPlaced: true } })
    expect(settings()).toEqual([false, 'Cancel'])
    const again = await callTool(key, 'order_renewal', args, { requestState, ...accepted(assetId) })
    expect(again.body.reason).toBe('used')
  })
})

describe('a new total', () => {
  test('is sent to the vendor once, after the confirmation', async () => {
    const bought = () => vendor.fake.subscription(vendor.annual.id)?.total
    const before = Number(bought())
    const args = { asset_id: assetId, quantity: before + 1 }
    const { message, requestState = '' } = await callTool(key, 'set_license_quantity', args)
    expect(message).toContain(`to ${before + 1} (+1)?`)
    expect(bought()).toBe(before)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        callTool(key, 'set_license_quantity', args, { requestState, ...accepted() }),
      ),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(bought()).toBe(before + 1)
    expect(await rows("SELECT count(*)::int AS n FROM license_changes WHERE state <> 'DRIFT'")).toEqual([
      { n: 1 },
    ])
  })
})
