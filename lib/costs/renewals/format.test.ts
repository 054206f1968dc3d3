import { expect, test } from 'vitest'
import { costText, happensText, licensesText, plansText } from './format.ts'

const time = Date.parse('2026-12-03')

test.each([
  [{ purchased: 120 }, '120 licenses'],
  [{ purchased: 1 }, '1 license'],
  [{ purchased: 1200, nextTotal: 96 }, '1,200 licenses, 96 from 3 Dec 2026'],
  [{ purchased: 5, nextTotal: 0 }, '5 licenses, 0 from 3 Dec 2026'],
])('%j are %s', (renewal, text) => {
  expect(licensesText({ ...renewal, time })).toBe(text)
})

test.each([
  ['month', '1,044.00 USD a month'],
  ['year', '1,044.00 USD a year'],
  ['bill', '1,044.00 USD per billing period'],
] as const)('money per %s is %s', (per, text) => {
  expect(costText({ amount: 1044, currency: 'USD', per })).toBe(text)
})

test('An unknown outcome of a renewal is not made up', () => {
  expect([happensText({}), happensText({ happens: 'Ends' })]).toEqual(['Commitment ends', 'Ends'])
  expect([plansText(1), plansText(1000)]).toEqual(['1 plan', '1,000 plans'])
})
