import { expect, test } from 'vitest'
import type { DifferenceCause } from '#lib/costs/causes/serialize.ts'
import { causeLabel, shareText, signedAmount } from './cause-labels.ts'

const change = { at: Date.parse('2026-10-20T10:00:00Z'), from: 52, to: 60, by: 'Sam Okafor', sure: true }
const licenses = (more: Partial<NonNullable<DifferenceCause['change']>>): DifferenceCause => ({
  ...{ cause: 'licenses', platform: 'workspace-suite', product: 'Business Plus', effectAmount: 179.76 },
  change: { ...change, ...more },
})
const labelText = (cause: DifferenceCause) => {
  const { name, note } = causeLabel(cause, 'USD')
  return note ? `${name} | ${note}` : name
}

test.each<[Parameters<typeof licenses>[0], string]>([
  [
    { billed: 'wholePeriod', days: 12, ofDays: 31, daysAmount: 69.58 },
    'by Sam Okafor on 20 Oct 2026 | 52 → 60. The full month is billed; 12 of 31 days of October would be 69.58 USD',
  ],
  [
    { billed: 'wholePeriod', days: 12, ofDays: 31, daysAmount: -69.58 },
    'by Sam Okafor on 20 Oct 2026 | 52 → 60. Taken off for the full month; 12 of 31 days of October would be −69.58 USD',
  ],
  [
    { billed: 'wholePeriod', days: 31, ofDays: 31, daysAmount: 179.76 },
    'by Sam Okafor on 20 Oct 2026 | 52 → 60',
  ],
  [
    { billed: 'days', days: 12, ofDays: 31 },
    'by Sam Okafor on 20 Oct 2026 | 52 → 60. Billed by days: 12 of 31 days of October',
  ],
  [
    { billed: 'nextPeriod', days: 12, ofDays: 365, sure: false, by: undefined },
    'on 20 Oct 2026 (likely) | 52 → 60. Billed from the next period on',
  ],
])('%j', (more, expected) => {
  expect(labelText(licenses(more))).toBe(`Licenses +8 ${expected}`)
})

test.each<[Omit<DifferenceCause, 'platform' | 'effectAmount'>, string]>([
  [{ cause: 'licenses', fromQty: 60, toQty: 52 }, 'Licenses −8 | 60 → 52'],
  [{ cause: 'usage', fromQty: 0.1, toQty: 0.3 }, 'Usage +0.2 | 0.1 → 0.3'],
  [{ cause: 'price', fromPrice: 22.47, toPrice: 23 }, 'Price | 22.47 → 23.00 for one'],
  [{ cause: 'price' }, 'Price'],
  [{ cause: 'gone', fromQty: 25, toQty: 0 }, 'Removed | 25 → 0'],
  [{ cause: 'smaller', productCount: 1204 }, 'Smaller differences | 1,204 products, not told one by one'],
  [{ cause: 'tax' }, 'Tax | Of lines that are billed without it'],
  [{ cause: 'tax', product: 'Compute' }, 'Tax'],
  [
    { cause: 'taxRate', product: 'Compute', fromTaxRate: 7.5, toTaxRate: 8 },
    'Tax rate | 7.5 → 8 percent, in prices with tax',
  ],
])('%j: %s', (cause, expected) => {
  expect(labelText({ platform: 'web-services', effectAmount: 1, ...cause })).toBe(expected)
})

test('amounts have a sign, and shares are undefined where the old amount or the effect is zero', () => {
  expect([2.15, -20, 0, 123456789012.34].map((amount) => signedAmount(amount, 'USD'))).toEqual([
    ...['+2.15', '−20.00', '0.00', '+123,456,789,012.34'],
  ])
  expect([shareText(100, 6.2), shareText(100, -1.5), shareText(100, 0), shareText(0, 5)]).toEqual([
    ...['+6.2%', '−1.5%', undefined, undefined],
  ])
})
