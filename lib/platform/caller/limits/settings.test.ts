import { afterEach, expect, test, vi } from 'vitest'
import { limitSettings } from './settings.ts'

const NAMES = {
  requests: 'RATE_LIMIT_REQUESTS',
  changes: 'RATE_LIMIT_CHANGES',
  exports: 'RATE_LIMIT_EXPORTS',
  together: 'RATE_LIMIT_TOGETHER',
  strangers: 'RATE_LIMIT_STRANGERS',
  signIns: 'RATE_LIMIT_SIGN_INS',
  connections: 'CONNECTIONS_PER_ADDRESS',
}

afterEach(() => vi.unstubAllEnvs())

test('each limit is read from the setting of its name', () => {
  for (const [index, name] of Object.values(NAMES).entries()) vi.stubEnv(name, String(index + 1))
  expect(limitSettings()).toEqual(
    Object.fromEntries(Object.keys(NAMES).map((field, index) => [field, index + 1])),
  )
})

test.each(Object.values(NAMES))('%s of 0, which would refuse everyone, stops the start', (name) => {
  vi.stubEnv(name, '0')
  expect(limitSettings).toThrow(name)
})
