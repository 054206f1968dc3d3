import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { downloadName } from './attachment.ts'

beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 23, 59) }))
afterEach(() => void vi.useRealTimers())

it.each([
  [{ from: '2026-07-01', to: '2026-09-30' }, 'invoices-2026-07-01-to-2026-09-30'],
  [{ from: '2026-07-01', to: '2026-07-01' }, 'invoices-of-2026-07-01'],
  [{ from: '2026-07-01' }, 'invoices-from-2026-07-01'],
  [{ to: '2026-09-30' }, 'invoices-until-2026-09-30'],
  [{}, 'invoices-2026-11-20'],
])('the file of %j is named %s', (days, name) => {
  expect(downloadName('invoices', days)).toBe(name)
})
