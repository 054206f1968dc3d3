import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { pendingStatusOf } from './serialize.ts'

const NOW = Date.UTC(2026, 10, 22, 13, 0)
const SECOND = 1000

beforeAll(() => {
  const times = { VENDOR_WRITE_MS: '8000', VENDOR_READ_MS: '4000', VENDOR_CONFIRM_MS: '3000' }
  const google = { GOOGLE_KEY_FILE: '/key.json', GOOGLE_ADMIN: 'a@b.example', GOOGLE_SETTLE_SECONDS: '120' }
  const microsoft = {
    MICROSOFT_TENANT_ID: 'tenant',
    MICROSOFT_CLIENT_ID: 'id',
    MICROSOFT_CLIENT_SECRET: 'secret',
    MICROSOFT_REPEAT_SECONDS: '3600',
  }
  for (const [name, value] of Object.entries({ ...times, ...google, ...microsoft, CHANGE_LEASE_MS: '30000' }))
    vi.stubEnv(name, value)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** Returns the status of a change that was sent the given number of seconds ago. */
const statusOf = (vendor: string, secondsAgo: number, values = {}) => {
  const at = new Date(NOW - secondsAgo * SECOND)
  return pendingStatusOf(
    { state: 'UNKNOWN', movedAt: at, sentAt: at, seenQuantity: null, ...values },
    { vendor, vendorAccount: 'default' },
    NOW,
  )
}

test('A change is known when its call has ended, a read must show it, and the job has polled', () => {
  const seconds = 2 * 8 + 120 + 120 + 60 + 3
  expect(statusOf('google-workspace', 0)).toEqual({ knownBy: NOW + seconds * SECOND })
  expect(statusOf('google-workspace', 100)).toEqual({ knownBy: NOW + (seconds - 100) * SECOND })
  // A claimed change may be sent until its lease ends.
  expect(statusOf('google-workspace', 0, { state: 'CLAIMED', sentAt: null })).toEqual({
    knownBy: NOW + (seconds + 30) * SECOND,
  })
})

test('A change is repeatable after its call has ended, for as long as the vendor remembers its id', () => {
  const isRepeatable = (secondsAgo: number, values = {}) =>
    statusOf('microsoft-partner-center', secondsAgo, values).repeatable ?? false
  expect([16, 17, 3587, 3588].map((secondsAgo) => isRepeatable(secondsAgo))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(isRepeatable(60, { state: 'SENT' })).toBe(false)
  expect(isRepeatable(60, { seenQuantity: 7 })).toBe(false)
  expect(statusOf('google-workspace', 60)).not.toHaveProperty('repeatable')
})
