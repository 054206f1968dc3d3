import { describe, expect, test } from 'vitest'
import { dayOf } from '#lib/platform/values/days.ts'
import {
  assignedSteps,
  monthsIn,
  purchasedSteps,
  type SeatHistory,
  type SeatStep,
  seatDays,
  yearUntil,
} from './seat-steps.ts'

const at = (text: string) => Date.parse(text.length > 10 ? text : `${text}T00:00:00Z`)
const span = yearUntil(at('2026-11-20T12:00:00Z'))
const change = (day: string, from: number, to: number) => ({ createTime: at(day), from, to })
const sample = (day: string, purchased: number, assigned = 0) => ({ at: at(day), purchased, assigned })
const texts = (steps: SeatStep[]) => steps.map((step) => `${dayOf(step.at)} ${step.seats}`)
const history = (purchased: number, more: Partial<SeatHistory> = {}): SeatHistory => ({
  changes: [],
  samples: [],
  now: { purchased, assigned: 7 },
  since: at('2024-01-01'),
  ...more,
})
const bought = (seats: SeatHistory) => texts(purchasedSteps(seats, span))

describe('purchased licenses over a span', () => {
  test('begin with what the oldest change started from', () => {
    const changes = [change('2026-05-14', 210, 240), change('2026-03-02', 200, 210)]
    expect(bought(history(240, { changes }))).toEqual(['2025-11-20 200', '2026-03-02 210', '2026-05-14 240'])
  })
  test('are one level where nothing changed and nothing was read, from when the asset began', () => {
    expect(bought(history(240))).toEqual(['2025-11-20 240'])
    expect(bought(history(240, { since: at('2026-10-01') }))).toEqual(['2026-10-01 240'])
  })
  test('begin with the first reading: what was before is not known', () => {
    const samples = [sample('2026-06-01', 200), sample('2026-07-01', 200), sample('2026-08-01', 230)]
    expect(bought(history(230, { samples }))).toEqual(['2026-06-01 200', '2026-08-01 230'])
    const changes = [change('2026-08-01', 200, 230)]
    expect(bought(history(230, { samples, changes }))).toEqual(['2026-06-01 200', '2026-08-01 230'])
    const before = [sample('2025-06-01', 200)]
    expect(bought(history(200, { samples: before }))).toEqual(['2025-11-20 200'])
  })
  test('show what the vendor changed, from when it was seen', () => {
    const changes = [change('2026-05-14', 190, 240), change('2026-03-02', 200, 210)]
    const samples = [sample('2026-04-01', 195)]
    expect(bought(history(235, { changes, samples }))).toEqual([
      '2025-11-20 200',
      '2026-03-02 210',
      '2026-04-01 195',
      '2026-05-14 190',
      '2026-05-14 240',
      '2026-11-20 235',
    ])
  })
  test('move when the outcome was known, not when it was asked for', () => {
    const changes = [{ ...change('2026-05-14', 1, 2), settleTime: at('2026-05-15') }]
    expect(bought(history(2, { changes }))).toEqual(['2025-11-20 1', '2026-05-15 2'])
  })
  test('keep the order of changes that were made within one millisecond', () => {
    const changes = [change('2026-05-14', 210, 190), change('2026-05-14', 240, 210)]
    expect(bought(history(190, { changes }))).toEqual(['2025-11-20 240', '2026-05-14 210', '2026-05-14 190'])
  })
  test('do not begin after their first change, whatever the asset says of its creation', () => {
    const changes = [change('2026-03-02', 0, 5)]
    expect(bought(history(5, { changes, since: at('2026-06-01') }))).toEqual(['2026-03-02 0', '2026-03-02 5'])
  })
})

test('assigned licenses are known from the first reading on, up to the present', () => {
  expect(assignedSteps(history(240), span)).toEqual([])
  const samples = [sample('2026-06-01', 9, 4), sample('2026-07-01', 9, 6), sample('2026-08-01', 12, 6)]
  const steps = assignedSteps(history(12, { samples }), span)
  expect(texts(steps)).toEqual(['2026-06-01 4', '2026-07-01 6', '2026-11-20 7'])
})

test('each day has the seats of its end, newest first', () => {
  const steps = (...pairs: [string, number][]) => pairs.map(([time, seats]) => ({ at: at(time), seats }))
  const purchased = steps(['2026-06-01', 9], ['2026-06-03T08:00:00Z', 10], ['2026-06-03T09:00:00Z', 12])
  const assigned = steps(['2026-06-02T23:59:59.999Z', 4], ['2026-06-03T10:00:00Z', 5])
  expect(seatDays(purchased, assigned)).toEqual([
    { day: at('2026-06-03'), purchased: 12, assigned: 5 },
    { day: at('2026-06-02'), purchased: 9, assigned: 4 },
    { day: at('2026-06-01'), purchased: 9, assigned: undefined },
  ])
})

test('a year has twelve months, on a leap day too', () => {
  expect(monthsIn(span)).toHaveLength(12)
  expect(monthsIn(span)[0]).toBe(at('2025-12-01'))
  const leap = yearUntil(at('2028-02-29'))
  expect(dayOf(leap.from)).toBe('2027-03-01')
  expect(monthsIn({ from: at('2026-01-01'), to: at('2026-02-01') })).toEqual([at('2026-02-01')])
})
