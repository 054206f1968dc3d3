import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { google } from '../../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../../test/fuzz/stage.ts'
import { readFromVendor } from '../operations.ts'
import { type TestVendor, testVendor } from '../test-vendor.ts'

// "Read again now" calls the vendor immediately for one asset, at a limited rate.

const endpoint = route(readFromVendor)
let vendor: TestVendor

beforeEach(async () => {
  vendor = await testVendor(google)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await vendor.close()
})

const calls = () =>
  vendor.fake.exchanges.filter(
    ({ call }) => call.kind === 'read' && call.subscriptionId === vendor.flexible.id,
  )

async function read(id = vendor.assetId(vendor.flexible), key = vendor.stage.keys[0]) {
  const url = `http://console.example/billing/v1/assets/${id}/reading`
  const headers = { authorization: `Bearer ${key}` }
  const response = await endpoint.POST(new Request(url, { method: 'POST', headers }))
  const json = await response.json()
  return { status: response.status, code: json.code ?? response.status, json, headers: response.headers }
}

test('The read calls the vendor, applies the result, and answers with the updated asset', async () => {
  vendor.fake.setByVendor(vendor.flexible.id, 26)
  const before = Date.now()
  const { status, json, headers } = await read()
  expect([status, json.quantity, json.properties.subscription.Seats.NumberOfSeats]).toEqual([200, 26, 26])
  expect(json.observedTime).toBeGreaterThanOrEqual(before - 1000)
  expect(json.openChange).toBeUndefined()
  expect(await vendor.changes(vendor.flexible)).toMatchObject([{ state: 'DRIFT', from: 20, to: 26 }])
  // Either of its two ETags fits a change.
  for (const tag of [headers.get('etag'), json.etag]) {
    const answer = await vendor.patch(vendor.flexible, 27, {
      headers: { 'if-match': tag },
      search: '?dryRun=true',
    })
    expect(answer.status).toBe(200)
  }
})

test('A repeated read soon after answers from the record, with one call for any number of requests', async () => {
  const all = await Promise.all([read(), read(), read(), read()])
  // Requests during the first one are asked to retry.
  for (const { code } of all) expect([200, 'vendor_unavailable']).toContain(code)
  expect(all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
  expect(calls()).toHaveLength(1)
  vendor.fake.setByVendor(vendor.flexible.id, 26)
  const before = await read()
  expect([before.status, before.json.quantity]).toEqual([200, 20])
  vi.stubEnv('VENDOR_AGAIN_MS', '1')
  expect((await read()).json.quantity).toBe(26)
  expect(calls()).toHaveLength(2)
})

test('A read right after a change’s own read makes no call', async () => {
  expect((await vendor.patch(vendor.flexible, 30)).status).toBe(200)
  const count = calls().length
  expect((await read()).json.quantity).toBe(30)
  expect(calls()).toHaveLength(count)
})

test('A vendor that does not answer results in 503 and is left in peace for the time in Retry-After', async () => {
  vendor.fake.setDown(true)
  const first = await read()
  expect([first.status, first.code, first.headers.get('retry-after')]).toEqual([
    503,
    'vendor_unavailable',
    '15',
  ])
  vendor.fake.setDown(false)
  const second = await read()
  expect([second.status, second.json.detail]).toEqual([
    503,
    'Google Workspace was asked a moment ago, and has told nothing yet.',
  ])
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(second.headers.get('retry-after'))).toBeLessThanOrEqual(15)
  expect(calls()).toEqual([])
  vi.stubEnv('VENDOR_AGAIN_MS', '1')
  expect((await read()).status).toBe(200)
})

test('A read of a missing subscription is answered with 409', async () => {
  vendor.fake.change(vendor.flexible.id, { customerId: 'elsewhere' })
  const { status, code, json } = await read()
  expect([status, code]).toEqual([409, 'subscription_not_active'])
  expect(json.detail).toBe('Google has no such subscription of this customer.')
})

test('A read of an asset with an open change reconciles the change', async () => {
  vendor.fake.failNext('write', 'hang-after')
  vendor.fake.setFault(vendor.flexible.id, { read: 'error-before' })
  vendor.fake.failNext('read', 'stale')
  expect((await vendor.patch(vendor.flexible, 30)).code).toBe('outcome_unknown')
  const open = await read()
  expect([open.status, open.json.openChange]).toMatchObject([200, { to: 30, state: 'UNKNOWN' }])
  vendor.fake.setFault(vendor.flexible.id, undefined)
  await vi.waitFor(async () => {
    const { json } = await read()
    expect([json.quantity, json.openChange]).toEqual([30, undefined])
  })
  expect(await vendor.states(vendor.flexible)).toEqual(['APPLIED'])
})

test('Members who may see an asset may read it from its vendor; built-in assets need no call', async () => {
  await addCustomer('other')
  await addAsset(CUSTOMER, 'workspace-suite-own', { purchased: 7 })
  await addAsset(CUSTOMER, 'cloud-platform-1', null)
  const keys = {
    finance: await addKey(CUSTOMER, ['finance-user']),
    other: await addKey('other', ['admin']),
  }
  expect((await read('workspace-suite-own')).json).toMatchObject({
    quantity: 7,
    vendor: { name: 'built-in' },
  })
  expect((await read('cloud-platform-1')).json).toMatchObject({ licenseQty: 'N/A' })
  const id = vendor.assetId(vendor.flexible)
  expect((await read(id, keys.finance)).code).toBe('permission_denied')
  expect((await read(id, keys.other)).code).toBe('not_found')
  expect((await read('nothing')).code).toBe('not_found')
  expect((await read(id, 'lic_x')).code).toBe('unauthenticated')
  expect(calls()).toEqual([])
})
