import { expect, onTestFinished, test } from 'vitest'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { microsoft } from '../../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../../test/fuzz/stage.ts'
import { testVendor } from '../test-vendor.ts'
import { changesWithin, newChangeId } from './changes.ts'

test('Ids are UUIDs of version 7, in order of time and unique', () => {
  const ids = [0, 1, 1_795_459_446_835, 2 ** 48 - 1].map((now) => newChangeId(now))
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[2]?.replaceAll('-', '').slice(0, 12)).toBe((1_795_459_446_835).toString(16).padStart(12, '0'))
  expect(new Set(Array.from({ length: 1000 }, () => newChangeId(5))).size).toBe(1000)
})

test('A change counts as recent by its end, not by its request', async () => {
  const vendor = await testVendor(microsoft)
  onTestFinished(() => vendor.close())
  const { flexible, patch } = vendor
  const customerId = newCustomerId(CUSTOMER)
  expect((await patch(flexible, 30)).status).toBe(200)
  vendor.fake.failNext('write', 'drop-before')
  expect((await patch(flexible, 31)).status).toBe(504)
  const ended = "state = 'APPLIED', settled_at = now() - interval '1 hour'"
  await vendor.database.sql(CUSTOMER, `UPDATE license_changes SET ${ended} WHERE state = 'UNKNOWN'`)
  expect(await vendor.states(flexible)).toEqual(['APPLIED', 'APPLIED'])
  const recent = await scope({ customerId }, async (tx) => {
    const row = await lockLicensed(tx, customerId, vendor.assetId(flexible))
    return changesWithin(tx, customerId, row, 600_000)
  })
  expect(recent.map(({ toQuantity }) => toQuantity)).toEqual([30])
})
