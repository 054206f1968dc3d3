import { expect, test } from 'vitest'
import { hrefOf as explanationHrefOf } from '#components/costs/explanations/view.ts'
import { comparisonHref, explanationHref, hrefOf, invoiceHref, isFiltered, rangeOf } from './view.ts'

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
  expect([isFiltered(view), isFiltered({ maxResults: 10, orderBy: 'dueDate asc' })]).toEqual([true, false])
})

test("an invoice's address can hold any number, and includes the list's query", () => {
  expect(invoiceHref('A/B ü?', 'search=a')).toBe('/invoices/A%2FB%20%C3%BC%3F?search=a')
  expect(invoiceHref('IN-1', '')).toBe('/invoices/IN-1')
  expect(comparisonHref(undefined, 'A/B')).toBe('/invoices/compare?to=A%2FB')
  expect(comparisonHref('A&B', 'C')).toBe('/invoices/compare?from=A%26B&to=C')
})

test("the midnight of an invoice's day is in range, a moment later is not", () => {
  expect(rangeOf({ minCreationTime: 1_735_689_600_001 }).from).toBe(Date.UTC(2025, 0, 2))
})

test.each([
  {},
  { platform: ['web-services', 'other'] },
  { issuer: ['A|B'], billingProfile: ['p'], currency: ['EUR'] },
])("an explanation's address with the filter %j is valid for its screen", (filter) => {
  expect(explanationHref('2026-10', filter)).toBe(explanationHrefOf({ month: '2026-10', filter }))
})
