import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { google } from '../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../test/fuzz/stage.ts'
import { importAssetFile } from './asset-file.ts'

// A file's value of an asset at a vendor is recorded, and the vendor is read immediately.

let vendor: TestVendor
beforeEach(async () => {
  vendor = await testVendor(google)
})
afterEach(() => vendor.close())

async function load(purchased: number) {
  const { id, customerId, skuId } = vendor.flexible
  const asset = {
    id: vendor.assetId(vendor.flexible),
    type: 'workspace-suite',
    name: 'Business Plus',
    customerDomain: 'fuzz.example',
    vendorCustomerId: customerId,
    vendor: 'google-workspace',
    createdAt: '2026-01-01T00:00:00Z',
    subscription: {
      id,
      skuId,
      skuName: 'Business Plus',
      billingMethod: 'ONLINE',
      status: 'ACTIVE',
      planName: 'FLEXIBLE',
      isCommitmentPlan: false,
      seats: { purchased, assigned: 3 },
    },
  }
  const file = join(tmpdir(), `assets-${process.pid}-${purchased}.json`)
  await writeFile(file, JSON.stringify([asset]))
  const { report, unread } = await importAssetFile({
    customerId: newCustomerId(CUSTOMER),
    file,
    replace: true,
  })
  return { ...report.counts, ...(unread > 0 ? { unread } : {}) }
}
const purchased = async () => {
  const query = 'SELECT seats_purchased AS total FROM assets WHERE id = $1'
  return (await vendor.database.sql(CUSTOMER, query, [vendor.assetId(vendor.flexible)]))[0]?.total
}

test('A total in a file is not “applied”, and the vendor’s total is restored after the import', async () => {
  expect(await load(50)).toEqual({ added: 0, unchanged: 0, replaced: 1 })
  expect(await vendor.changes(vendor.flexible)).toMatchObject([
    { state: 'RECORDED', from: 20, to: 50 },
    { state: 'DRIFT', from: 50, to: 20 },
  ])
  expect([await purchased(), vendor.total(vendor.flexible)]).toEqual([20, 20])
})

test('A vendor that does not answer fails no import, whose result counts the assets still to be read', async () => {
  vendor.fake.setDown(true)
  expect(await load(50)).toEqual({ added: 0, unchanged: 0, replaced: 1, unread: 1 })
  expect([await vendor.states(vendor.flexible), await purchased()]).toEqual([['RECORDED'], 50])
})
