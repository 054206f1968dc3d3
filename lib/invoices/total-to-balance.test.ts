import { describe, expect, test } from 'vitest'
import { settlementOf } from './total-to-balance.ts'

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
