import { afterEach, describe, expect, test } from 'vitest'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// Messages about a vendor that throttles or rejects us.

let vendor: TestVendor
afterEach(() => vendor.close())

/** Returns the remaining minutes that the last change asks to wait. */
async function minutesLeft() {
  const [row] = await vendor.database.sql(
    'fuzz',
    'SELECT round(extract(epoch FROM not_before - now()) / 60)::int AS left FROM license_changes',
  )
  return row?.left
}

describe('how long to wait', () => {
  test('A day of a pending operation at Microsoft is stored for all viewers of the asset', async () => {
    vendor = await testVendor(microsoft, {})
    vendor.fake.failNext('write', 'code-900278')
    const { status, code } = await vendor.patch(vendor.flexible, 30)
    expect([status, code, await minutesLeft()]).toEqual([409, 'change_in_progress', 1440])
    // The vendor is polled nevertheless: the operation may have ended since.
    expect((await vendor.patch(vendor.flexible, 30)).status).toBe(200)
  })

  test('A short wait is returned to the caller and not stored', async () => {
    vendor = await testVendor(google, {})
    vendor.fake.failNext('write', 'throttle')
    const { status, json } = await vendor.patch(vendor.flexible, 30)
    expect([status, json.because, json.detail, await minutesLeft()]).toEqual([
      503,
      'throttled',
      'Google Workspace asks us to wait. Nothing was changed.',
      null,
    ])
  })
})

test('A failing, a throttling and a rejecting vendor have different messages', async () => {
  vendor = await testVendor(google, {})
  const because = async (failure: string) => {
    vendor.fake.failNext('read', failure)
    return (await vendor.patch(vendor.flexible, 30)).json.because
  }
  expect(await because('drop-before')).toBe('not_answering')
  expect(await because('throttle')).toBe('throttled')
})
