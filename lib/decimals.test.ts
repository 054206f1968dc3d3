import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalOf, formatAmount, formatDecimal, minorUnit, plainAmount } from './decimals.ts'

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

describe('minorUnit', () => {
  test.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['XYZ', 2],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(minorUnit(currency)).toBe(decimals)
  })
})

test.each([
  ['USD', '39004.9', '39004.90'],
  ['JPY', '-39005.5', '-39005.5'],
  ['KWD', 7.5, '7.500'],
])('plainAmount writes %s %s for programs as %s', (currency, value, text) => {
  expect(plainAmount(value, currency)).toBe(text)
})
