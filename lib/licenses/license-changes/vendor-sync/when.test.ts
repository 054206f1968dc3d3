import { describe, expect, test } from 'vitest'
import { FRESH_MS, type Occasion, waitFor } from './read.ts'

const STALE = 120_000
const [MINUTE, HOUR] = [60_000, 3_600_000]
const NEVER = Number.POSITIVE_INFINITY

test.each<[string, Occasion, number | null]>([
  ['a change of ours: when reads show it for sure', { kind: 'changed' }, STALE],
  ['a dispute: when it is over', { kind: 'disputed', since: 90_000 }, 30_000],
  ['a dispute that is over by now: at once', { kind: 'disputed', since: 130_000 }, 0],
  ['a look at what was told long ago: at once', { kind: 'looked', age: FRESH_MS + 1 }, 0],
  ['a look at what is fresh: not at all', { kind: 'looked', age: FRESH_MS }, null],
  ['a look at what was never told: at once', { kind: 'looked', age: NEVER }, 0],
])('%s', (_what, occasion, wait) => {
  expect(waitFor(occasion, STALE)).toBe(wait)
})

describe('one that can’t be read is tried again', () => {
  test.each([
    ['after a minute at first', 10_000, MINUTE],
    ['later', 10 * MINUTE, 5 * MINUTE],
    ['after an hour at last', 40 * HOUR, HOUR],
    ['after an hour where it has never told anything', NEVER, HOUR],
  ])('%s', (_what, age, wait) => {
    expect(waitFor({ kind: 'unread', age }, STALE)).toBe(wait)
  })

  test('some thirty times in a day, not each minute', () => {
    let tries = 0
    for (let age = 0; age < 24 * HOUR; tries++) age += waitFor({ kind: 'unread', age }, STALE) ?? NEVER
    expect(tries).toBeGreaterThan(24)
    expect(tries).toBeLessThan(40)
  })
})
