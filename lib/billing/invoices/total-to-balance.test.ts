import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { payableOf } from '#lib/platform/values/decimals.ts'
import { PUBLISHED } from '#lib/platform/values/test-iso-4217.ts'
import { roundingText, settlementOf } from './total-to-balance.ts'

describe('settlementOf', () => {
  test.each([
    ['100', '0', 'Payments and credits', '-100', 'Balance due'],
    ['100', '100', 'Payments and credits', '0', 'Balance due'],
    ['100', '-20', 'Payments and credits', '-120', 'Credit balance'],
    ['100', '130', 'Added after issue', '30', 'Balance due'],
    ['-100', '-100', 'Payments and credits', '0', 'Credit balance'],
    ['-100', '0', 'Refunded or used', '100', 'Balance due'],
  ])(
    'returns for a total of %s and a balance of %s: %s %s, %s',
    (totalAmount, balanceAmount, label, amount, balance) => {
      expect(settlementOf({ totalAmount, balanceAmount, currency: 'USD' })).toEqual({
        total: totalAmount,
        adjustment: { label, amount },
        balance: { label: balance, amount: balanceAmount },
      })
    },
  )

  test('distinguishes a balance under half a minor unit from a payable amount', () => {
    const finer = { totalAmount: '20', balanceAmount: '10.005', currency: 'USD' }
    expect(settlementOf(finer)).toEqual({
      total: '20',
      adjustment: { label: 'Payments and credits', amount: '-9.995' },
      finer: [
        { label: 'Exact balance', amount: '10.005' },
        { label: 'Rounding', amount: '0.005' },
      ],
      balance: { label: 'Balance due', amount: '10.01' },
    })
    expect(roundingText(finer)).toBe(
      'The exact balance is 10.005 USD. No amount below 0.01 can be paid in USD: it is rounded, a half away from zero.',
    )
    expect(roundingText({ ...finer, currency: 'KWD' })).toBeUndefined()
  })

  test('returns the amount that credit notes set off, for the invoice and for the credit note', () => {
    const invoice = { totalAmount: '100', balanceAmount: '100.004', payableAmount: '70', currency: 'USD' }
    expect(settlementOf(invoice)).toMatchObject({
      finer: [{ amount: '100.004' }, { label: 'Rounding', amount: '-0.004' }],
      setOff: { label: 'Credit notes set off', amount: '-30' },
      balance: { label: 'Balance due', amount: '70' },
    })
    const credit = { totalAmount: '-30', balanceAmount: '-30', payableAmount: '0', currency: 'USD' }
    expect(settlementOf(credit)).toMatchObject({
      setOff: { label: 'Set off against the invoice', amount: '30' },
      balance: { label: 'Credit balance', amount: '0' },
    })
  })

  test('The steps from total to balance add up in each currency', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 9 }))
      .map(([digits, decimals]) => new Big(`${digits}e-${decimals}`).toFixed())
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.constantFrom(...PUBLISHED),
        (totalAmount, balanceAmount, { code, unit }) => {
          const {
            adjustment,
            finer = [],
            balance,
          } = settlementOf({ totalAmount, balanceAmount, currency: code })
          const exact = new Big(totalAmount).plus(adjustment.amount)
          expect(exact.eq(balanceAmount)).toBe(true)
          expect(exact.plus(finer[1]?.amount ?? 0).eq(balance.amount)).toBe(true)
          expect(finer.length > 0).toBe(new Big(balanceAmount).round(unit).eq(balanceAmount) === false)
          expect(balance.amount.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(unit)
        },
      ),
    )
  })
})

test.each([
  ['0.004', 'USD', '0'],
  ['-0.004', 'USD', '0'],
  ['-10.005', 'USD', '-10.01'],
  ['0.45', 'PKR', '0.45'],
  ['0.5', 'JPY', '1'],
])('Of %s %s the payable amount is %s', (balance, currency, payable) => {
  expect(payableOf(balance, currency)).toBe(payable)
})
