import { describe, expect, test } from 'vitest'
import { addMonths, monthEnds, periodText, timeOn } from './calendar.ts'

describe('days of UTC', () => {
  test.each([
    ['2026-10-31', -1, '2026-09-30'],
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-02-29', -12, '2027-02-28'],
    ['2026-11-20', -13, '2025-10-20'],
  ])('%s and %i months is %s', (day, months, result) => {
    expect(addMonths(day, months)).toBe(result)
  })

  test.each([
    ['2026-11-20', ['2026-10-31', '2026-09-30', '2026-08-31']],
    ['2026-11-30', ['2026-11-30', '2026-10-31', '2026-09-30']],
    ['2027-01-01', ['2026-12-31', '2026-11-30', '2026-10-31']],
    ['2028-03-15', ['2028-02-29', '2028-01-31', '2027-12-31']],
  ])('monthEnds on %s returns the last completed months: %j', (today, ends) => {
    expect(monthEnds(today, 3)).toEqual(ends)
  })

  test.each([
    ['2026-09-01', '2026-09-30', '1 Sep – 30 Sep 2026'],
    ['2025-12-02', '2026-12-01', '2 Dec 2025 – 1 Dec 2026'],
  ])('%s to %s reads %s', (from, to, text) => {
    expect(periodText(from, to)).toBe(text)
  })

  test('a moment is in UTC', () => {
    expect(timeOn('2026-11-20', 9, 5).toISOString()).toBe('2026-11-20T09:05:00.000Z')
  })
})
