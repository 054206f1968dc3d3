import { describe, expect, test } from 'vitest'
import { monthsIn, seatSteps, ticksBetween, yearUntil } from './seat-steps.ts'

const at = (text: string) => Date.parse(text.length > 10 ? text : `${text}T00:00:00Z`)
const span = yearUntil(at('2026-11-20T12:00:00Z'))
const change = (day: string, from: number, to: number) => ({ createTime: at(day), from, to })
const shown = (...given: Parameters<typeof seatSteps>) =>
  seatSteps(...given).map((step) => `${new Date(step.at).toISOString().slice(0, 10)} ${step.seats}`)

describe('purchased licenses over a span', () => {
  const old = at('2024-01-01')
  test('begin with what the oldest change started from', () => {
    const changes = [change('2026-05-14', 210, 240), change('2026-03-02', 200, 210)]
    expect(shown(changes, 240, old, span)).toEqual(['2025-11-20 200', '2026-03-02 210', '2026-05-14 240'])
  })
  test('are one level where nothing changed, from when the asset began', () => {
    expect(shown([], 240, old, span)).toEqual(['2025-11-20 240'])
    expect(shown([], 240, at('2026-10-01'), span)).toEqual(['2026-10-01 240'])
  })
  test('show what the vendor changed, from when it was seen', () => {
    const changes = [change('2026-05-14', 190, 240), change('2026-03-02', 200, 210)]
    expect(shown(changes, 235, old, span)).toEqual([
      '2025-11-20 200',
      '2026-03-02 210',
      '2026-05-14 190',
      '2026-05-14 240',
      '2026-11-20 235',
    ])
  })
  test('do not begin after their first change, whatever the asset says of its creation', () => {
    expect(shown([change('2026-03-02', 0, 5)], 5, at('2026-06-01'), span)).toEqual([
      '2026-03-02 0',
      '2026-03-02 5',
    ])
  })
})

test.each([
  [0, 0, [0, 1]],
  [5, 5, [5, 6]],
  [0, 3, [0, 1, 2, 3]],
  [182, 240, [180, 200, 220, 240]],
  [0, 1_000_000, [0, 500_000, 1_000_000]],
  [99_999, 123_456, [90_000, 100_000, 110_000, 120_000, 130_000]],
])('the ticks between %i and %i', (low, high, ticks) => {
  expect(ticksBetween(low, high)).toEqual(ticks)
})

test('a year has twelve months, on a leap day too', () => {
  expect(monthsIn(span)).toHaveLength(12)
  expect(monthsIn(span)[0]).toBe(at('2025-12-01'))
  const leap = yearUntil(at('2028-02-29'))
  expect(new Date(leap.from).toISOString().slice(0, 10)).toBe('2027-03-01')
  expect(monthsIn({ from: at('2026-01-01'), to: at('2026-02-01') })).toEqual([at('2026-02-01')])
})
