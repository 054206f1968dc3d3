import { expect, test } from 'vitest'
import { amountOf, amountsText, isBackwards } from './amount-range.ts'

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
])('from %s to %s is backwards: %s', (from, to, expected) => {
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
