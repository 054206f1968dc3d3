import { describe, expect, test } from 'vitest'
import {
  addDays,
  DAY_MS,
  dayBegin,
  dayOf,
  daysBetween,
  daysText,
  dayText,
  epochOfDay,
  monthAndYear,
  monthBegin,
  monthName,
} from './days.ts'

test.each([
  ['2024-10-01T00:00:00Z', -1, '2024-09-30'],
  ['2024-03-01T00:00:00Z', -1, '2024-02-29'],
  ['2024-12-31T23:59:59Z', 0, '2024-12-31'],
  ['9999-12-31T00:00:00Z', 900 * DAY_MS, '9999-12-31'],
])('%s and %i ms is in the day %s', (iso, ms, day) => {
  const at = Date.parse(iso) + ms
  expect(dayOf(at)).toBe(day)
  if (ms < DAY_MS) expect(dayOf(dayBegin(at))).toBe(day)
  expect(dayBegin(at) % DAY_MS).toBe(0)
})

test("a day is parsed as its midnight in UTC, independent of the process's time zone", () => {
  expect(epochOfDay('2026-09-30')).toBe(Date.UTC(2026, 8, 30))
  expect(epochOfDay('2026-13-30')).toBeNaN()
})

test.each([
  ['2026-11-20', 11, '2026-12-01'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2028-03-01', -1, '2028-02-29'],
  // A change of daylight saving time is between them.
  ['2026-03-28', 2, '2026-03-30'],
])('%s and %i days is %s, and back', (day, days, shifted) => {
  expect(addDays(day, days)).toBe(shifted)
  expect(daysBetween(day, shifted)).toBe(days)
  expect(daysBetween(epochOfDay(day) + DAY_MS - 1, epochOfDay(shifted))).toBe(days)
})

test.each([
  ['2026-11-20', 0, '2026-11-01'],
  ['2026-11-30', 3, '2027-02-01'],
  ['2026-01-31', -1, '2025-12-01'],
  ['0050-06-15', 1, '0050-07-01'],
])('the month of %s, plus %i months, begins on %s', (day, months, begin) => {
  expect(dayOf(monthBegin(day, months))).toBe(begin)
  expect(dayOf(monthBegin(epochOfDay(day) + DAY_MS - 1, months))).toBe(begin)
})

test.each([
  [0, '0 days'],
  [1, '1 day'],
  [1204, '1,204 days'],
])('%i days are displayed as %s', (days, text) => {
  expect(daysText(days)).toBe(text)
})

describe('display format', () => {
  test.each([
    ['2026-09-30', '30 Sep 2026', 'Sep', 'September 2026'],
    ['2026-01-01', '1 Jan 2026', 'Jan', 'January 2026'],
    ['2027-12-31', '31 Dec 2027', 'Dec', 'December 2027'],
  ])('%s is %s', (day, text, month, whole) => {
    const last = epochOfDay(day) + DAY_MS - 1
    expect([dayText(day), monthName(day), monthAndYear(day)]).toEqual([text, month, whole])
    expect([dayText(last), monthName(last), monthAndYear(last)]).toEqual([text, month, whole])
  })
})
