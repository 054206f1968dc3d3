import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAssets, readAsset } from '#lib/licenses/assets/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { listLicenseChanges } from './operations.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// The changes of an asset are ordered by a time that each gets while the asset's row is locked.

const origin = { requestId: 'test-request' }
let vendor: TestVendor
let ana: Caller
beforeEach(async () => {
  vendor = await testVendor(google)
  ana = await callerOf(CUSTOMER, 'it-manager')
})
afterEach(() => vendor.close())

const id = () => vendor.assetId(vendor.flexible)
/** Returns the asset's changes, newest first, page by page. */
async function listed(): Promise<string[]> {
  const found: string[] = []
  let pageToken: string | undefined
  do {
    const query = { filter: { asset: [id()] }, maxResults: 1, pageToken }
    const { body } = await listLicenseChanges(ana, { params: {}, query, body: undefined }, origin)
    found.push(...body.licenseChanges.map(({ state, from, to }) => `${state} ${from} to ${to}`))
    pageToken = body.pageToken
  } while (pageToken)
  return found
}

test('a change that the vendor made comes before the change whose read showed it, in lists and for a 412', async () => {
  const asked = { params: { asset_id: id() }, query: {}, body: undefined }
  const { version } = await readAsset(ana, asked, origin)
  expect((await vendor.patch(vendor.flexible, 24)).status).toBe(200)
  vendor.fake.setByVendor(vendor.flexible.id, 26)
  await expect.poll(async () => (await vendor.patch(vendor.flexible, 30)).status).toBe(200)
  expect(await listed()).toEqual(['APPLIED 26 to 30', 'DRIFT 24 to 26', 'APPLIED 20 to 24'])
  const full = { params: {}, query: { view: 'full' as const }, body: undefined }
  const { assets } = (await listAssets(ana, full, origin)).body
  expect(assets.find((asset) => asset.id === id())?.lastChange).toMatchObject({ from: 26, to: 30 })
  const stale = await vendor.patch(vendor.flexible, 31, { headers: { 'if-match': `"${version}.x"` } })
  expect([stale.status, stale.json]).toMatchObject([412, { current: 30, changedBy: 'API key Writer 0' }])
})

test('a change comes after the one before it, also where the server’s clock was set back between the two', async () => {
  await vendor.database.sql(
    CUSTOMER,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id, actor_name,
       request_id, created_at, settled_at)
     VALUES ($1, 'ahead', $2, 18, 20, 'APPLIED', 'key', 'K1', 'Ahead', 'r', $3, $3)`,
    [CUSTOMER, id(), new Date(Date.now() + 3_600_000)],
  )
  for (const total of [24, 25]) expect((await vendor.patch(vendor.flexible, total)).status).toBe(200)
  expect(await listed()).toEqual(['APPLIED 24 to 25', 'APPLIED 20 to 24', 'APPLIED 18 to 20'])
})
