import { describe, expect, test } from 'vitest'
import { dayOfInput, inputDay, presetOf, presets, rangeText } from './date-range.ts'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const textOf = ({ from, to }: { from?: number | undefined; to?: number | undefined }) => [
  inputDay(from),
  inputDay(to),
]

describe('presets', () => {
  test.each([
    [
      '2026-11-20T23:59:59Z',
      {
        'Last 7 days': ['2026-11-14', '2026-11-20'],
        'This month': ['2026-11-01', '2026-11-30'],
        'Last month': ['2026-10-01', '2026-10-31'],
        'This quarter': ['2026-10-01', '2026-12-31'],
        'Last quarter': ['2026-07-01', '2026-09-30'],
        'This year': ['2026-01-01', '2026-12-31'],
        'Last year': ['2025-01-01', '2025-12-31'],
        'All time': ['', ''],
      },
    ],
    [
      '2028-03-31T00:00:00Z',
      {
        'Last month': ['2028-02-01', '2028-02-29'],
        'This quarter': ['2028-01-01', '2028-03-31'],
        'Last quarter': ['2027-10-01', '2027-12-31'],
      },
    ],
    [
      '2027-01-01T00:00:00Z',
      { 'Last quarter': ['2026-10-01', '2026-12-31'], 'Last year': ['2026-01-01', '2026-12-31'] },
    ],
  ])('are whole months, quarters and years in UTC at %s', (now, expected) => {
    const offered = Object.fromEntries(
      presets(Date.parse(now)).map(({ name, range }) => [name, textOf(range)]),
    )
    expect(offered).toMatchObject(expected)
  })

  test('are recognized by their range, unlike other ranges', () => {
    const today = day('2026-11-20')
    for (const { name, range } of presets(today)) expect(presetOf(range, today)).toBe(name)
    expect(presetOf({ from: day('2026-11-01') }, today)).toBeUndefined()
  })
})

test.each([
  [{ from: day('2026-01-01'), to: day('2026-01-31') }, '1 Jan 2026 – 31 Jan 2026'],
  [{ from: day('2026-01-01'), to: day('2026-01-01') }, '1 Jan 2026'],
  [{ from: day('2026-01-01') }, 'From 1 Jan 2026'],
  [{ to: day('2026-01-31') }, 'Until 31 Jan 2026'],
  [{}, 'All time'],
])('%j reads as %s', (range, text) => {
  expect(rangeText(range)).toBe(text)
})

test('the value of a date input is a day in UTC, or empty', () => {
  expect(dayOfInput('2026-09-30')).toBe(day('2026-09-30'))
  expect(dayOfInput('')).toBeUndefined()
})
