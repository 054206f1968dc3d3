import { expect, test } from 'vitest'
import { destinationsFor } from './destinations.ts'
import { actsOf, matchDestinations, parseQuery, thingsOf } from './entries.ts'

const asset = {
  id: 'workspace-suite-1',
  type: 'workspace-suite',
  name: 'Business Plus',
  customerDomain: 'northwind.example',
  quantity: 1240,
}
const none = { assets: [], invoices: [], billingProfiles: [] }

test.each([
  ['business plus 245', { text: 'business plus 245', act: { search: 'business plus', quantity: 245 } }],
  ['  business  1,245 ', { text: 'business  1,245', act: { search: 'business', quantity: 1245 } }],
  ['IN-2036', { text: 'IN-2036' }],
  ['245', { text: '245' }],
  ['business -5', { text: 'business -5' }],
  ['business 2.5', { text: 'business 2.5' }],
  ['', { text: '' }],
])('%j asks for %j', (typed, expected) => {
  expect(parseQuery(typed)).toEqual(expected)
})

test('an action links to the review of its number, unless nothing would change', () => {
  expect(actsOf(parseQuery('business 1300'), { assets: [asset] })).toEqual([
    {
      group: 'Change licenses',
      name: 'Business Plus: 1,240 → 1,300',
      detail: 'northwind.example',
      href: '/assets/workspace-suite-1?set=1300',
    },
  ])
  expect(actsOf(parseQuery('business 1240'), { assets: [asset] })).toEqual([])
  const { quantity: _, ...without } = asset
  expect(actsOf(parseQuery('business 1300'), { assets: [without] })).toEqual([])
})

test('a screen is found by prefixes of the words that describe it', () => {
  const destinations = destinationsFor([{ href: '/invoices', name: 'Invoices' }])
  const matching = (typed: string) =>
    matchDestinations(parseQuery(typed), destinations).map(({ name }) => name)
  expect(matching('past due')).toEqual(['Past due'])
  expect(matching('costs more')).toEqual(['Month comparison'])
  expect(matching('inv are')).toEqual(['Past due'])
  expect(matching('in')).toEqual(['Invoices', 'Open invoices', 'Compare two invoices'])
  expect(matching('bulk nothing')).toEqual([])
  expect(matching('')).toHaveLength(destinations.length)
  expect(matching('several')).toEqual([])
})

test('a result links to its own page, a company to its invoices', () => {
  const invoice = {
    id: 'IN/1',
    number: 'IN/1',
    issuer: 'Reseller',
    documentState: 'issued' as const,
    billingProfileId: 'europe',
    invoiceDate: Date.UTC(2026, 9, 31),
    platform: 'web-services',
    dueDate: Date.UTC(2026, 10, 30),
    status: 'OPEN' as const,
    totalAmount: 1234.5,
    balanceAmount: 1234.5,
    currency: 'EUR',
    url: 'https://console.example.com/x',
  }
  const entries = thingsOf({
    ...none,
    assets: [asset],
    invoices: [invoice],
    billingProfiles: [{ id: 'europe', name: 'Europe GmbH' }],
  })
  expect(entries.map(({ href }) => href)).toEqual([
    '/assets/workspace-suite-1',
    '/invoices/IN%2F1',
    '/invoices?filter=billingProfile:europe',
  ])
  expect(entries[1]?.detail).toBe('Reseller · 31 Oct 2026 · 1,234.50 EUR')
})
