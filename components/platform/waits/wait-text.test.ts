import { expect, test } from 'vitest'
import { clockText, waitText } from './wait-text.ts'

test.each([
  [1, '1 second'],
  [30, '30 seconds'],
  [119.5, '120 seconds'],
  [120, '2 minutes'],
  [3601, '61 minutes'],
  [7200, '2 hours'],
  [86_400, '24 hours'],
])('%f seconds are %s', (seconds, expected) => {
  expect(waitText(seconds)).toBe(expected)
})

const NOW = Date.UTC(2026, 10, 22, 13, 0)
const HOUR = 3_600_000

test('a moment today is a time, another day has its date, and the time zone is included', () => {
  expect(clockText(NOW + HOUR, NOW, 'UTC')).toBe('14:00 UTC')
  expect(clockText(NOW + 24 * HOUR, NOW, 'UTC')).toBe('23 Nov 2026, 13:00 UTC')
  expect(clockText(NOW + HOUR, NOW, 'Europe/Berlin')).toBe('15:00 CET')
  // The day in the time zone, not in the test's.
  expect(clockText(NOW + HOUR, NOW, 'Pacific/Kiritimati')).toBe('04:00 GMT+14')
  expect(clockText(NOW + HOUR, NOW, 'Asia/Tokyo')).toBe('23:00 GMT+9')
  expect(clockText(NOW + 2 * HOUR, NOW, 'Asia/Tokyo')).toBe('23 Nov 2026, 00:00 GMT+9')
})
