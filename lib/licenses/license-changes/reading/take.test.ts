import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { google } from '../../../../test/fuzz/sceneries.ts'
import { CUSTOMER } from '../../../../test/fuzz/stage.ts'
import { type TestVendor, testVendor } from '../test-vendor.ts'
import { readNow } from './read-now.ts'

// What a reading writes, and what it leaves as it is.

let vendor: TestVendor
let own: string
beforeEach(async () => {
  vendor = await testVendor(google)
  own = vendor.assetId(vendor.flexible)
})
afterEach(() => vendor.close())
const sql = (statement: string, values: unknown[] = [own]) => vendor.database.sql(CUSTOMER, statement, values)
const read = () => readNow(CUSTOMER as CustomerId, [own], 'test')

test('an id that the vendor gives anew is followed: one row of ours, and one of history', async () => {
  const { flexible, fake, patch } = vendor
  fake.change(flexible.id, { id: 'S-anew' })
  const ours = 'SELECT vendor_subscription_id AS ours, subscription_id AS "at" FROM assets WHERE id = $1'
  const [before] = await sql(ours)
  const { json } = await patch(flexible, 25)
  expect(json.properties.subscription).toMatchObject({ ID: 'S-anew', Seats: { NumberOfSeats: 25 } })
  expect((await patch(flexible, 26)).status).toBe(200)
  expect(await sql(ours)).toEqual([{ ours: before?.ours, at: 'S-anew' }])
  const history =
    "SELECT subject, details FROM audit_events WHERE action = 'vendor-subscription.pointed-anew'"
  expect(await sql(history, [])).toEqual([
    { subject: before?.ours, details: { assetId: own, from: flexible.id, to: 'S-anew' } },
  ])
  const changes = 'SELECT DISTINCT vendor_subscription_id AS ours FROM license_changes WHERE asset_id = $1'
  expect(await sql(changes)).toEqual([{ ours: before?.ours }])
})

test('what is told again in the same words is not written again', async () => {
  const version = `SELECT a.xmin::text AS row, v.observed_at AS told, v.observation FROM assets a
    JOIN vendor_subscriptions v ON v.id = a.vendor_subscription_id WHERE a.id = $1`
  await read()
  const [before] = await sql(version)
  await read()
  const [after] = await sql(version)
  expect(after).toMatchObject({ row: before?.row, observation: expect.any(String) })
  expect(Number(after?.told)).toBeGreaterThan(Number(before?.told))
  vendor.fake.setByVendor(vendor.flexible.id, 22)
  await read()
  const [moved] = await sql(version)
  expect(moved?.row).not.toBe(after?.row)
  expect(moved?.observation).not.toBe(after?.observation)
})
