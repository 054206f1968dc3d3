import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalOf, Exact, roundMoney, summed } from './decimals.ts'
import { PUBLISHED } from './test-iso-4217.ts'

describe('decimalOf', () => {
  test.each([
    ['0.00000080000', '0.0000008'],
    ['-12.50', '-12.5'],
    ['+3', '3'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1.5e3', '1500'],
    ['2.7755575615628914E-17', '0.000000000000000027755575615628914'],
    ['0e999', '0'],
    ['999999999999999.99', '999999999999999.99'],
    ['0000000000000000000000012', '12'],
  ])('reads %s exactly', (text, value) => {
    expect(decimalOf(text)?.toFixed()).toBe(value)
  })

  test.each([
    'NaN',
    'Infinity',
    '-Infinity',
    'abc',
    '1,5',
    '1 000',
    '$5',
    '0x10',
    '1e',
    '--1',
    '.',
    '1e999999',
    '1e-999999',
    '1e999',
    '1e15',
    '1e-61',
    `0.${'1'.repeat(61)}`,
  ])('refuses %s', (text) => {
    expect(decimalOf(text)).toBeUndefined()
  })

  test('refuses millions of digits at once', () => {
    expect(decimalOf('9'.repeat(10_000_000))).toBeUndefined()
  })

  test('reads back every finite float as it is written', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e14, max: 1e14, noNaN: true }), (float) => {
        const decimal = decimalOf(String(float))
        // Below 1e-44 a float's digits go beyond what is kept.
        if (float === 0 || Math.abs(float) > 1e-40) expect(Number(decimal?.toFixed())).toBe(float + 0)
      }),
    )
  })
})

describe('roundMoney', () => {
  test.each([
    ['USD', '10.005', '10.01'],
    ['USD', '-10.005', '-10.01'],
    ['USD', '10.004999', '10'],
    ['HUF', '10.49', '10.49'],
    ['PKR', '0.45', '0.45'],
    ['JPY', '0.5', '1'],
    ['KWD', '1.2345', '1.235'],
    ['CLF', '0.00005', '0.0001'],
  ])('of %s %s is %s: half away from zero', (currency, value, rounded) => {
    expect(roundMoney(new Exact(value), currency).toFixed()).toBe(rounded)
  })

  test('is within half a unit, and leaves alone what has no more places, in each currency', () => {
    const amount = fc.tuple(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.integer({ min: 0, max: 12 }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...PUBLISHED), amount, ({ code, unit }, [digits, decimals]) => {
        const value = new Exact(`${digits}e-${decimals}`)
        const rounded = roundMoney(value, code)
        expect(rounded.minus(value).abs().times(2).lte(new Exact(10).pow(-unit))).toBe(true)
        expect(
          rounded
            .times(new Exact(10).pow(unit))
            .round()
            .eq(rounded.times(new Exact(10).pow(unit))),
        ).toBe(true)
        if (decimals <= unit) expect(rounded.eq(value)).toBe(true)
      }),
    )
  })
})

test.each([
  ['0.1', { amount: 0.1 }],
  ['10.00', { amount: 10 }],
  ['-1250.50', { amount: -1250.5 }],
  ['9007199254740993', { amount: 9007199254740992, amountText: '9007199254740993' }],
  ['90071992547409931.10', { amount: 90071992547409940, amountText: '90071992547409931.1' }],
])('a sum of %s has its text beside it where no JSON number is it', (exact, fields) => {
  expect(summed('amount', exact)).toEqual(fields)
})
