import { describe, expect, it } from 'vitest'
import { waitAfter, waitTable } from './rules.ts'

describe('the wait before another attempt', () => {
  it.each([
    ['place', 0, 0],
    ['place', 4, 0],
    ['place', 5, 5],
    ['place', 9, 120],
    ['place', 12, 900],
    ['place', 1_000_000, 900],
    ['account', 0, 0],
    ['account', 19, 0],
    ['account', 20, 30],
    ['account', 45, 120],
    ['account', 100, 900],
    ['account', 1_000_000, 900],
  ] as const)('is set by the %s budget: after %i failures %i s', (budget, failures, seconds) => {
    expect(waitAfter(failures, budget)).toBe(seconds)
  })

  it.each(['place', 'account'] as const)(
    'grows for the %s budget, and its table has the same values',
    (budget) => {
      const table = waitTable(budget)
      expect(table).toEqual(table.toSorted((a, b) => a - b))
      for (const [failures, seconds] of table.entries()) expect(waitAfter(failures, budget)).toBe(seconds)
      expect(table.at(-1)).toBe(waitAfter(10_000, budget))
    },
  )

  it('limits a day of guessing to a few hundred attempts', () => {
    const inADay = (budget: 'place' | 'account') => {
      let [at, failures] = [0, 0]
      while (at < 86_400) at += waitAfter(++failures, budget)
      return failures
    }
    expect(inADay('place')).toBeLessThan(120)
    expect(inADay('account')).toBeLessThan(220)
  })
})
