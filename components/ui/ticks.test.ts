import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ticksBetween } from './ticks.ts'

test.each([
  [0, 0, [0, 1]],
  [5, 5, [5, 6]],
  [0, 3, [0, 1, 2, 3]],
  [182, 240, [180, 200, 220, 240]],
  [0, 1_000_000, [0, 500_000, 1_000_000]],
  [99_999, 123_456, [90_000, 100_000, 110_000, 120_000, 130_000]],
])('ticks are whole numbers between %i and %i', (low, high, ticks) => {
  expect(ticksBetween(low, high, 1)).toEqual(ticks)
})

test.each([
  [0, 0, [0, 1]],
  [0, 0.35, [0, 0.1, 0.2, 0.3, 0.4]],
  [-12, 40, [-20, 0, 20, 40]],
  [-0.004, 0, [-0.004, -0.003, -0.002, -0.001, 0]],
  [0, 121_998.85, [0, 50_000, 100_000, 150_000]],
  [0, 999_999_999_999.99, [0, 500_000_000_000, 1_000_000_000_000]],
])('ticks are between %d and %d', (low, high, ticks) => {
  expect(ticksBetween(low, high).map((tick) => tick + 0)).toEqual(ticks)
})

test('two to six ticks at even distances enclose both bounds', () => {
  const bound = fc
    .double({ min: -1e12, max: 1e12, noNaN: true })
    .map((value) => Math.round(value * 1000) / 1000)
  fc.assert(
    fc.property(bound, bound, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      const ticks = ticksBetween(low, high)
      const slack = (high - low) * 1e-6
      expect(ticks.length).toBeGreaterThanOrEqual(2)
      expect(ticks.length).toBeLessThanOrEqual(6)
      expect(ticks[0]).toBeLessThanOrEqual(low + slack)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(high - slack)
    }),
  )
})
