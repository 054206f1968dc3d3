import { describe, expect, test } from 'vitest'
import { FRESH_MS, type Occasion, waitFor } from './read.ts'

const STALE = 120_000
const [MINUTE, HOUR] = [60_000, 3_600_000]
const NEVER = Number.POSITIVE_INFINITY

test.each<[string, Occasion, number | null]>([
  ['our change: after the stale time', { kind: 'changed' }, STALE],
  ['a dispute: at its end', { kind: 'disputed', since: 90_000 }, 30_000],
  ['an ended dispute: immediately', { kind: 'disputed', since: 130_000 }, 0],
  ['a view of an old report: immediately', { kind: 'looked', age: FRESH_MS + 1 }, 0],
  ['a view of a fresh report: not at all', { kind: 'looked', age: FRESH_MS }, null],
  ['a view without a report: immediately', { kind: 'looked', age: NEVER }, 0],
])('%s', (_what, occasion, wait) => {
  expect(waitFor(occasion, STALE)).toBe(wait)
})

describe('A subscription that can’t be read is tried again', () => {
  test.each([
    ['after a minute at first', 10_000, MINUTE],
    ['later', 10 * MINUTE, 5 * MINUTE],
    ['after an hour finally', 40 * HOUR, HOUR],
    ['after an hour where it was never reported', NEVER, HOUR],
  ])('%s', (_what, age, wait) => {
    expect(waitFor({ kind: 'unread', age }, STALE)).toBe(wait)
  })

  test('about thirty times a day instead of each minute', () => {
    let tries = 0
    for (let age = 0; age < 24 * HOUR; tries++) age += waitFor({ kind: 'unread', age }, STALE) ?? NEVER
    expect(tries).toBeGreaterThan(24)
    expect(tries).toBeLessThan(40)
  })
})
