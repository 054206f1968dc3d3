import fc from 'fast-check'
import { expect, test } from 'vitest'
import { given, wanted } from './share.ts'

test.each([
  [1000, undefined, 10],
  [60, undefined, 1],
  [1, undefined, 1],
  [1000, 10, 20],
  [1000, 0, 1],
])('of %i, after a share of %j, %i are wanted', (quota, before, want) => {
  expect(wanted(quota, before)).toBe(want)
})

test.each([
  [1000, 10, 1, 10],
  [1000, 800, 1, 100],
  [95, 80, 1, 9],
  [9, 80, 1, 1],
  [9, 80, 5, 5],
  [9, 80, 20, 9],
  [0, 80, 3, 0],
])('with %i left, who wants %i for %i that wait is given %i', (left, want, waiting, share) => {
  expect(given(left, want, waiting)).toBe(share)
})

test('never more than there is, enough for who waits, and in the end not more than who waits', () => {
  const amount = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 5000 }), (left, want, waiting) => {
      const share = given(left, want, waiting)
      expect(share).toBeLessThanOrEqual(left)
      expect(share).toBeGreaterThanOrEqual(Math.min(left, waiting))
      if (left < 10) expect(share).toBeLessThanOrEqual(waiting)
      expect(share - waiting).toBeLessThanOrEqual(left / 10)
    }),
  )
})
