import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { google } from '../../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../../test/fuzz/stage.ts'
import { readVendors } from '../jobs.ts'
import { type TestVendor, testVendor } from '../test-vendor.ts'
import { readNow } from './read.ts'

describe('take', () => {
  // Values that a read writes, and values that a read preserves.

  let vendor: TestVendor
  let customerId: string
  beforeEach(async () => {
    vendor = await testVendor(google)
    customerId = vendor.assetId(vendor.flexible)
  })
  afterEach(() => vendor.close())
  const sql = (query: string, values: unknown[] = [customerId]) =>
    vendor.database.sql(CUSTOMER, query, values)
  const read = () => readNow(CUSTOMER as CustomerId, [customerId], 'test')

  test('follows an id that the vendor replaces: one row of ours, and one of history', async () => {
    const { flexible, fake, patch } = vendor
    fake.change(flexible.id, { id: 'S-new' })
    const ours = 'SELECT vendor_subscription_id AS ours, subscription_id AS "at" FROM assets WHERE id = $1'
    const [before] = await sql(ours)
    const { json } = await patch(flexible, 25)
    expect(json.properties.subscription).toMatchObject({ ID: 'S-new', Seats: { NumberOfSeats: 25 } })
    expect((await patch(flexible, 26)).status).toBe(200)
    expect(await sql(ours)).toEqual([{ ours: before?.ours, at: 'S-new' }])
    const history =
      "SELECT subject, details FROM audit_events WHERE action = 'vendor-subscription.pointed-anew'"
    expect(await sql(history, [])).toEqual([
      { subject: before?.ours, details: { assetId: customerId, from: flexible.id, to: 'S-new' } },
    ])
    const changes = 'SELECT DISTINCT vendor_subscription_id AS ours FROM license_changes WHERE asset_id = $1'
    expect(await sql(changes)).toEqual([{ ours: before?.ours }])
  })

  test('writes nothing for an unchanged report', async () => {
    const version = `SELECT a.xmin::text AS row, v.observed_at AS observed, v.observation FROM assets a
    JOIN vendor_subscriptions v ON v.id = a.vendor_subscription_id WHERE a.id = $1`
    await read()
    const [before] = await sql(version)
    await read()
    const [after] = await sql(version)
    expect(after).toMatchObject({ row: before?.row, observation: expect.any(String) })
    expect(Number(after?.observed)).toBeGreaterThan(Number(before?.observed))
    vendor.fake.setByVendor(vendor.flexible.id, 22)
    await read()
    const [moved] = await sql(version)
    expect(moved?.row).not.toBe(after?.row)
    expect(moved?.observation).not.toBe(after?.observation)
  })
})

describe('read own', () => {
  // The vendor's id of a subscription may change; the subscription is then found by customer and SKU. The found
  // subscription may belong to another asset.

  let vendor: TestVendor
  beforeEach(async () => {
    vendor = await testVendor(google)
    const { fake, flexible, annual } = vendor
    // Both are of one customer and SKU; then the first one is gone there.
    const { customerId, skuId } = flexible
    fake.change(flexible.id, { customerId: 'elsewhere' })
    fake.change(annual.id, { customerId, skuId })
    await setBoth('vendor_customer_id = $2, sku_id = $3', [annual.id, customerId, skuId])
  })
  afterEach(() => vendor.close())
  /** Changes a subscription and its asset, which no foreign key keeps equal on Citus. */
  const setBoth = async (values: string, parameters: string[]) => {
    for (const table of ['vendor_subscriptions', 'assets'])
      await vendor.database.sql(
        CUSTOMER,
        `UPDATE ${table} SET ${values} WHERE subscription_id = $1`,
        parameters,
      )
  }
  const ids = async () => {
    const rows = await vendor.database.sql(CUSTOMER, 'SELECT id, subscription_id AS at FROM assets')
    return new Map(rows.map(({ id, at }) => [id, at]))
  }

  test('Nothing is sent to the subscription of another asset, and no asset is pointed at that subscription', async () => {
    const { flexible, annual, patch, total, writes, assetId } = vendor
    const before = await ids()
    expect((await patch(flexible, 30, { search: '?dryRun=true' })).code).toBe('vendor_rejected')
    expect((await patch(flexible, 30)).json).toMatchObject({ code: 'vendor_rejected', foreseen: true })
    await readVendors('hourly')
    expect([total(annual), writes(annual), await ids()]).toEqual([20, [], before])
    expect((await patch(annual, 30)).status).toBe(200)
    expect((await ids()).get(assetId(annual))).toBe(annual.id)
  })

  test('The id of another asset counts in any letter case', async () => {
    const { fake, flexible, annual, patch, total, writes } = vendor
    const replacementId = 'S-told-Anew'
    fake.change(annual.id, { id: replacementId })
    await setBoth('subscription_id = $2', [annual.id, replacementId.toUpperCase()])
    expect((await patch(flexible, 30)).json).toMatchObject({ code: 'vendor_rejected', foreseen: true })
    expect([total({ ...annual, id: replacementId }), writes({ ...annual, id: replacementId })]).toEqual([
      20,
      [],
    ])
    expect((await patch(annual, 30)).status).toBe(200)
  })

  test('A subscription id without an asset is followed, and not written to before its total is known', async () => {
    const { fake, flexible, annual, patch, total, writes } = vendor
    await setBoth("subscription_id = 'S-gone'", [annual.id])
    fake.setByVendor(annual.id, 50)
    expect((await patch(flexible, 55, { search: '?dryRun=true' })).code).toBe('change_in_progress')
    const { code, detail } = (await patch(flexible, 55)).json
    expect([code, detail]).toEqual(['change_in_progress', expect.stringContaining('with 50 licenses')])
    expect([total(annual), writes(annual)]).toEqual([50, []])
    expect(await vendor.states(flexible)).toEqual(['DRIFT'])
    // Now it is known.
    expect([(await patch(flexible, 55)).status, total(annual)]).toEqual([200, 55])
  })

  test('Another asset’s subscription proves no change as not applied', async () => {
    const { fake, flexible, annual, patch, waitUntilResolved, states } = vendor
    const { customerId } = flexible
    fake.change(annual.id, { customerId: 'elsewhere' })
    fake.change(flexible.id, { customerId })
    fake.failNext('write', 'hang-after')
    await setBoth("subscription_id = 'S-gone'", [annual.id])
    const patched = patch(flexible, 30)
    await vi.waitFor(() => expect(vendor.total(flexible)).toBe(30), { interval: 1 })
    fake.change(flexible.id, { customerId: 'elsewhere' })
    fake.change(annual.id, { customerId })
    await patched
    await waitUntilResolved(flexible)
    expect((await states(flexible))[0]).toBe('UNCLEAR')
  })
})
