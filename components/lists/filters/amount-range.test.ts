import { expect, test } from 'vitest'
import { amountOf, amountsText, isBackwards, moneyOf } from './amount-range.ts'

test.each([
  ['1250.50', '1250.50'],
  [' 1,250.50 ', '1250.50'],
  ['1,234,567', '1234567'],
  ['-12', '-12'],
  ['−12.345', '-12.345'],
  ['0', '0'],
  ['1.250,50', undefined],
  ['1250,50', undefined],
  ['1,25', undefined],
  ['12,3456', undefined],
  ['1e9', undefined],
  ['.5', undefined],
  ['ten', undefined],
  ['', undefined],
])('%j is the amount %j', (typed, amount) => {
  expect(amountOf(typed)).toBe(amount)
})

test.each([
  ['10', '9.99', true],
  ['9.99', '10', false],
  ['10.0', '10', false],
  ['99999999999999.13', '99999999999999.12', true],
  ['-1', '-2.5', true],
  ['-2.5', '-1', false],
  ['-0.5', '-0.4', false],
  ['0.1', '-0.1', true],
])('the range from %s to %s is backwards: %s', (from, to, expected) => {
  expect(isBackwards({ from, to })).toBe(expected)
})

test.each([
  [{ from: '1000', to: '2500.50' }, '1,000 – 2,500.5'],
  [{ from: '1000', to: '1000' }, '1,000'],
  [{ from: '-5' }, 'From −5'],
  [{ to: '99999999999999.12' }, 'Up to 99,999,999,999,999.12'],
  [{}, undefined],
])('%j reads as %s', (range, text) => {
  expect(amountsText(range)).toBe(text)
})

test.each([
  ['10,000 USD', '10000', 'USD'],
  ['10000.01usd', '10000.01', 'USD'],
  ['eur 500', '500', 'EUR'],
  ['EUR −5', '-5', 'EUR'],
  ['250', '250', undefined],
  ['EUR 5 USD', undefined, undefined],
  ['ten USD', undefined, undefined],
  ['5 dollars', undefined, undefined],
])('%j is the amount %j in %j', (typed, amount, currency) => {
  expect(moneyOf(typed)).toEqual({ amount, currency })
})
