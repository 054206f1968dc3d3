import { describe, expect, test } from 'vitest'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { inputDay } from './date-range.ts'
import { listScreen, pathWith } from './list-screen.ts'
import type { ListView } from './view.ts'

const search = ({ search, maxResults, pageToken, minCreationTime: min }: ListView) =>
  Object.entries({ search, min, maxResults, pageToken })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
    .join('&')
const { hrefOf, pagesOf, isFiltered } = listScreen<ListView>('/things', search)

test('a path has a question mark only before a query', () => {
  expect([pathWith('/things', ''), pathWith('/things', 'a=b')]).toEqual(['/things', '/things?a=b'])
})

test("a view's address is its query", () => {
  expect(hrefOf({})).toBe('/things')
  expect(hrefOf({ search: 'x', maxResults: 5 })).toBe('/things?search=x&maxResults=5')
})

test('links to the next and the previous page keep the view', () => {
  const view = { search: 'x', pageToken: 'here' }
  expect(pagesOf(view, undefined)).toEqual({ newer: undefined, older: undefined })
  expect(pagesOf(view, { pageToken: 'on', previousPageToken: 'back' })).toEqual({
    newer: '/things?search=x&pageToken=back',
    older: '/things?search=x&pageToken=on',
  })
})

test('the page size does not count as a filter', () => {
  expect(isFiltered({ maxResults: 10, pageToken: 'token', orderBy: 'dueDate asc' })).toBe(false)
  expect(isFiltered({ minCreationTime: 0 })).toBe(true)
})

describe('the days of a view', () => {
  const day = epochOfDay
  const byDay = listScreen<ListView>('/things', search, 'day')
  const byMoment = listScreen<ListView>('/things', search, 'moment')
  const rangeDays = ({ rangeOf }: typeof byDay, view: ListView) => {
    const { from, to } = rangeOf(view)
    return [inputDay(from), inputDay(to)]
  }

  test('are the days that the service would select', () => {
    // A row at the midnight of its day is excluded a moment later; a row at any time within the day is not.
    const view = { minCreationTime: day('2026-09-30') + 1000, maxCreationTime: day('2026-10-02') + 1000 }
    expect(rangeDays(byDay, view)).toEqual(['2026-10-01', '2026-10-02'])
    expect(rangeDays(byMoment, view)).toEqual(['2026-09-30', '2026-10-02'])
    const farFuture = { minCreationTime: 8_999_999_999_999_000, maxCreationTime: 8_999_999_999_999_000 }
    for (const screen of [byDay, byMoment])
      expect(rangeDays(screen, farFuture)).toEqual(['9999-12-31', '9999-12-31'])
    expect(rangeDays(byDay, {})).toEqual(['', ''])
  })

  test('are set in the view, starting on the first page', () => {
    const view = { search: 'IN', pageToken: 'x', minCreationTime: 5 }
    const range = { to: day('2026-01-31') }
    const rest = { search: 'IN', minCreationTime: undefined }
    expect(byDay.withRange(view, range)).toStrictEqual({ ...rest, maxCreationTime: day('2026-01-31') })
    expect(byMoment.withRange(view, range)).toStrictEqual({ ...rest, maxCreationTime: day('2026-02-01') - 1 })
  })
})
