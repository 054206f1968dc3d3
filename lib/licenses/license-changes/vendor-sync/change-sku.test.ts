import { afterEach, expect, test } from 'vitest'
import { orderRenewal } from '#lib/licenses/renewal-orders/operations.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { microsoft } from '../../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../../test/fuzz/stage.ts'
import { type TestVendor, testVendor } from '../test-vendor.ts'
import { readOne } from './read.ts'

let vendor: TestVendor
afterEach(() => vendor.close())

test('an upgrade at Microsoft is recorded, and PATCH, reading and order go on', async () => {
  vendor = await testVendor(microsoft, { times: { VENDOR_WRITE_MS: '1500' } })
  const { fake, annual, patch, changes, database } = vendor
  const assetId = vendor.assetId(annual)
  const read = () => readOne(newCustomerId(CUSTOMER), assetId, 'test')
  fake.change(annual.id, { skuId: 'CFQ7TTC0LCHC:0002' })
  expect(await read()).toMatchObject({ kind: 'read' })
  const reason = `The product was changed from Business Plus (${annual.skuId}) to Office for business (CFQ7TTC0LCHC:0002).`
  expect(await changes(annual)).toMatchObject([{ from: 20, to: 20, state: 'DRIFT', reason }])
  const [row] = await database.sql(CUSTOMER, 'SELECT sku_id, sku_name FROM assets WHERE id = $1', [assetId])
  expect(row).toEqual({ sku_id: 'CFQ7TTC0LCHC:0002', sku_name: 'Office for business' })
  const events = await database.sql(
    CUSTOMER,
    "SELECT details FROM audit_events WHERE action = 'vendor-subscription.sku-changed'",
  )
  expect(events).toMatchObject([{ details: { assetId, from: annual.skuId, to: 'CFQ7TTC0LCHC:0002' } }])
  // Once.
  await read()
  expect(await changes(annual)).toHaveLength(1)
  expect((await patch(annual, 25)).status).toBe(200)
  const caller = await callerOf(CUSTOMER, 'it-manager')
  const input = { params: { asset_id: assetId }, query: {}, headers: {}, body: { quantity: 12 } }
  const { body } = await orderRenewal(caller, input, { requestId: 'test' })
  expect(body.order).toMatchObject({ isPlaced: true })
})

test('a PATCH follows an upgrade that no read had shown before', async () => {
  vendor = await testVendor(microsoft, { times: { VENDOR_WRITE_MS: '1500' } })
  vendor.fake.change(vendor.annual.id, { skuId: 'CFQ7TTC0LCHC:0002' })
  expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
  expect(await vendor.states(vendor.annual)).toEqual(expect.arrayContaining(['DRIFT', 'APPLIED']))
})

test('a subscription of another customer is never taken for it', async () => {
  vendor = await testVendor(microsoft)
  const { fake, annual } = vendor
  fake.change(annual.id, { customerId: '30000000-0000-4000-8000-000000000009', skuId: 'CFQ7TTC0LCHC:0002' })
  const reading = await readOne(newCustomerId(CUSTOMER), vendor.assetId(annual), 'test')
  expect(reading?.kind).not.toBe('read')
  expect(await vendor.changes(annual)).toEqual([])
})
