import { describe, expect, test } from 'vitest'
import { formatAmount, formatDecimal, sumsOf } from './amounts.ts'

const invoice = { totalAmount: '0', balanceAmount: '0', currency: 'USD' }
const line = (price: string | number, qty: string | number = 1, currency = 'USD') => ({
  price,
  qty,
  currency,
})

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

describe('sumsOf', () => {
  test('adds up without a float', () => {
    const sums = sumsOf({ ...invoice, totalAmount: 0.3 }, [line(0.1), line(0.2)])
    expect(sums).toMatchObject({ amounts: ['0.1', '0.2'], lineItems: '0.3', total: '0.3' })
    expect(sums.notItemized).toBeUndefined()
  })

  test('accepts an issuer that rounds each line, and one that rounds the sum only', () => {
    const thirds = [line('0.334'), line('0.334'), line('0.334')]
    expect(sumsOf({ ...invoice, totalAmount: '0.99' }, thirds).notItemized).toBeUndefined()
    expect(sumsOf({ ...invoice, totalAmount: '1.00' }, thirds).notItemized).toBeUndefined()
    expect(sumsOf({ ...invoice, totalAmount: '1.002' }, thirds).notItemized).toBeUndefined()
    expect(sumsOf({ ...invoice, totalAmount: '1.01' }, thirds).notItemized).toBe('0.02')
  })

  test('never adds a line of another currency', () => {
    const sums = sumsOf({ ...invoice, totalAmount: '5' }, [line('5'), line('900', 1, 'JPY')])
    expect(sums).toMatchObject({ amounts: ['5', '900'], lineItems: '5' })
    expect(sums.notItemized).toBeUndefined()
  })

  test.each([
    ['100', '0', 'Paid or credited', '-100', 'Balance due'],
    ['100', '100', 'Paid or credited', '0', 'Balance due'],
    ['100', '-20', 'Paid or credited', '-120', 'Credit balance'],
    ['100', '130', 'Added since', '30', 'Balance due'],
    ['-100', '-100', 'Paid or credited', '0', 'Credit balance'],
    ['-100', '0', 'Refunded or used', '100', 'Balance due'],
  ])('says of total %s and balance %s: %s %s, %s', (totalAmount, balanceAmount, label, amount, balance) => {
    const sums = sumsOf({ ...invoice, totalAmount, balanceAmount }, [])
    expect(sums.settled).toEqual({ label, amount })
    expect(sums.balance).toEqual({ label: balance, amount: balanceAmount })
  })
})
