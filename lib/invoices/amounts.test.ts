import { describe, expect, test } from 'vitest'
import { formatAmount, formatDecimal, settlementOf } from './amounts.ts'

describe('formatDecimal', () => {
  test.each([
    ['0', 0, '0'],
    ['1234567.5', 2, '1,234,567.50'],
    ['-1234', 2, '−1,234.00'],
    ['0.0000125', 2, '0.0000125'],
    ['123', 0, '123'],
    ['1000', 0, '1,000'],
    [1e21, 0, '1,000,000,000,000,000,000,000'],
    [1e-7, 2, '0.0000001'],
    [0.1, 2, '0.10'],
    ['0.00', 2, '0.00'],
  ])('writes %s with at least %i places as %s', (value, decimals, shown) => {
    expect(formatDecimal(value, decimals)).toBe(shown)
  })
})

test.each([
  ['USD', '39004.92', '39,004.92'],
  ['JPY', '39005', '39,005'],
  ['KWD', '7.5', '7.500'],
])('formatAmount gives %s its own places', (currency, value, shown) => {
  expect(formatAmount(value, currency)).toBe(shown)
})

describe('settlementOf', () => {
  test.each([
    ['100', '0', 'Paid or credited', '-100', 'Balance due'],
    ['100', '100', 'Paid or credited', '0', 'Balance due'],
    ['100', '-20', 'Paid or credited', '-120', 'Credit balance'],
    ['100', '130', 'Added since', '30', 'Balance due'],
    ['-100', '-100', 'Paid or credited', '0', 'Credit balance'],
    ['-100', '0', 'Refunded or used', '100', 'Balance due'],
  ])('says of total %s and balance %s: %s %s, %s', (totalAmount, balanceAmount, label, amount, balance) => {
    expect(settlementOf({ totalAmount, balanceAmount })).toEqual({
      total: totalAmount,
      settled: { label, amount },
      balance: { label: balance, amount: balanceAmount },
    })
  })
})
