import { describe, expect, test } from 'vitest'
import { inputDay } from '#components/dates/date-range.ts'
import {
  changed,
  cleared,
  hrefOf,
  invoiceHref,
  isFiltered,
  rangeOf,
  selectionOf,
  toggled,
  withRange,
  withValues,
} from './view.ts'

const view = {
  filter: { platform: ['web-services'], status: ['OPEN', 'PAST DUE'] },
  minCreationTime: 1_735_689_600_000,
  search: 'IN',
  maxResults: 10,
  pageToken: 'token',
}

test("the screen's address is the API's query string", () => {
  expect(hrefOf(view)).toBe(
    '/invoices?filter=platform:web-services|status:OPEN|PAST%20DUE&minCreationTime=1735689600&search=IN&maxResults=10&pageToken=token',
  )
  expect(hrefOf({})).toBe('/invoices')
})

test("an invoice's address can hold any number, and takes the list along", () => {
  expect(invoiceHref('A/B ü?', 'search=a')).toBe('/invoices/A%2FB%20%C3%BC%3F?search=a')
  expect(invoiceHref('IN-1', '')).toBe('/invoices/IN-1')
})

describe('a change of the filters', () => {
  test('begins on the first page and keeps the rest', () => {
    expect(changed(view, { search: undefined })).toEqual({ ...without('pageToken'), search: undefined })
  })
  test('puts a value in or takes it out', () => {
    expect(toggled(view, 'status', 'PAID').filter?.status).toEqual(['OPEN', 'PAST DUE', 'PAID'])
    expect(toggled(view, 'status', 'OPEN').filter?.status).toEqual(['PAST DUE'])
  })
  test('leaves no key without a value, and no filter without a key', () => {
    expect(toggled(view, 'platform', 'web-services').filter).toEqual({ status: ['OPEN', 'PAST DUE'] })
    expect(withValues({ filter: { status: ['OPEN'] } }, 'status', []).filter).toBeUndefined()
  })
  test('can clear them all, but neither the order nor the size of a page', () => {
    expect(cleared({ ...view, orderBy: 'dueDate asc' })).toEqual({ maxResults: 10, orderBy: 'dueDate asc' })
  })
})

test('the page and the order are no part of what is selected', () => {
  expect(selectionOf({ ...view, orderBy: 'totalAmount asc' })).toEqual({
    filter: view.filter,
    minCreationTime: view.minCreationTime,
    search: 'IN',
  })
  expect(isFiltered(view)).toBe(true)
  expect(isFiltered({ maxResults: 10, pageToken: 'token', orderBy: 'dueDate asc' })).toBe(false)
})

function without(name: keyof typeof view) {
  const { [name]: _, ...rest } = view
  return rest
}

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

test('a view shows the days that the service would select', () => {
  // An invoice stands at its day's midnight: a moment later leaves it out.
  const view = { minCreationTime: day('2026-09-30') + 1000, maxCreationTime: day('2026-10-02') + 1000 }
  const { from, to } = rangeOf(view)
  expect([inputDay(from), inputDay(to)]).toEqual(['2026-10-01', '2026-10-02'])
  expect(inputDay(rangeOf({ maxCreationTime: 8_999_999_999_999_000 }).to)).toBe('9999-12-31')
})

test('a range becomes part of a view, from its first page on', () => {
  const view = { search: 'IN', pageToken: 'x', minCreationTime: 5 }
  expect(withRange(view, { to: day('2026-01-31') })).toEqual({
    search: 'IN',
    minCreationTime: undefined,
    maxCreationTime: day('2026-01-31'),
  })
})
