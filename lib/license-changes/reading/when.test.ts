import { describe, expect, test } from 'vitest'
import { dueFor, FRESH_MS, type Occasion, sooner } from './when.ts'

const STALE = 120_000
const NOON = new Date('2026-11-22T12:00:00Z')
const later = (ms: number) => new Date(NOON.getTime() + ms)
const [MINUTE, HOUR] = [60_000, 3_600_000]

test.each<[string, Occasion, Date | null]>([
  ['a change of ours: when reads show it for sure', { kind: 'changed', at: NOON }, later(STALE)],
  ['a dispute: when it is over', { kind: 'disputed', confirmedAt: later(-90_000) }, later(30_000)],
  ['an import: at once', { kind: 'imported', at: NOON }, NOON],
  ['a pass that missed it: at once', { kind: 'missed', at: NOON }, NOON],
  ['a look at what was read long ago: at once', looked(-FRESH_MS - 1), NOON],
  ['a look at what is fresh: not at all', looked(-FRESH_MS), null],
  ['a look at what was never read: at once', { kind: 'looked', at: NOON, observedAt: null }, NOON],
])('%s', (_what, occasion, due) => {
  expect(dueFor(occasion, STALE)).toEqual(due)
})

describe('one that can’t be read is tried again', () => {
  test.each([
    ['after a minute at first', 10_000, MINUTE],
    ['later', 10 * MINUTE, 5 * MINUTE],
    ['after an hour at last', 40 * HOUR, HOUR],
  ])('%s', (_what, age, wait) => {
    expect(dueFor({ kind: 'unread', at: NOON, observedAt: later(-age) }, STALE)).toEqual(later(wait))
  })

  test('after an hour where it was never read', () => {
    expect(dueFor({ kind: 'unread', at: NOON, observedAt: null }, STALE)).toEqual(later(HOUR))
  })

  test('some twenty times in a day, not each minute', () => {
    const observedAt = NOON
    let tries = 0
    for (let at = NOON; at < later(24 * HOUR); tries++) {
      at = dueFor({ kind: 'unread', at, observedAt }, STALE) ?? expect.fail()
    }
    expect(tries).toBeLessThan(40)
  })
})

test('of two times the sooner one, and null is never', () => {
  expect(sooner(NOON, later(1))).toEqual(NOON)
  expect(sooner(later(1), NOON)).toEqual(NOON)
  expect([sooner(null, NOON), sooner(NOON, null), sooner(null, null)]).toEqual([NOON, NOON, null])
})

function looked(ms: number): Occasion {
  return { kind: 'looked', at: NOON, observedAt: later(ms) }
}
