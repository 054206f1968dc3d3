import { afterEach, expect, test, vi } from 'vitest'
import { paymentSettings } from './settings.ts'

afterEach(() => vi.unstubAllEnvs())

test.each<[string, [string, string][]]>([
  ['', []],
  [
    'EUR 5, JPY 500,KWD 0.500,',
    [
      ['EUR', '5'],
      ['JPY', '500'],
      ['KWD', '0.500'],
    ],
  ],
])('WRITE_OFF_LIMITS of %j has a limit for each currency', (text, limits) => {
  vi.stubEnv('WRITE_OFF_LIMITS', text)
  expect(paymentSettings()).toEqual({ writeOffLimits: new Map(limits) })
})

test.each(['EUR', '5 EUR', 'EUR -5', 'ABC 5', 'EUR 5, ABC 5', 'nonsense, EUR 5'])(
  'WRITE_OFF_LIMITS of %j is refused, even if only one part of it is wrong',
  (text) => {
    vi.stubEnv('WRITE_OFF_LIMITS', text)
    expect(paymentSettings).toThrow('WRITE_OFF_LIMITS: must be currencies with amounts')
  },
)
