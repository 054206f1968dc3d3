import { afterEach, describe, expect, test } from 'vitest'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// What is told of a vendor that lets us wait, or does not let us in.

let vendor: TestVendor
afterEach(() => vendor.close())

/** For how many more minutes the last change asks to wait. */
async function minutesLeft() {
  const [row] = await vendor.database.sql(
    'fuzz',
    'SELECT round(extract(epoch FROM not_before - now()) / 60)::int AS left FROM license_changes',
  )
  return row?.left
}

describe('how long to wait', () => {
  test('a day for an operation that is pending at Microsoft is kept, for whoever looks at the asset', async () => {
    vendor = await testVendor(microsoft, {})
    vendor.fake.failNext('write', 'code-900278')
    const { status, code } = await vendor.patch(vendor.flexible, 30)
    expect([status, code, await minutesLeft()]).toEqual([409, 'change_in_progress', 1440])
    // The vendor’s own word is asked for all the same: it may have ended since.
    expect((await vendor.patch(vendor.flexible, 30)).status).toBe(200)
  })

  test('a short wait is told to who asked, and not kept', async () => {
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

test('a vendor that fails, one that throttles and one that does not let us in are told apart', async () => {
  vendor = await testVendor(google, {})
  const because = async (failure: string) => {
    vendor.fake.failNext('read', failure)
    return (await vendor.patch(vendor.flexible, 30)).json.because
  }
  expect(await because('drop-before')).toBe('not_answering')
  expect(await because('throttle')).toBe('throttled')
})
