import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalFault, decimalOf } from './decimals.ts'

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

describe('decimalFault', () => {
  test.each([
    ['1e999999', 'out of range'],
    ['1'.repeat(16), 'out of range'],
    ['1,5', 'without separators'],
    ['NaN', '"NaN" is not a number'],
  ])('tells why %s is none: %s', (text, reason) => {
    expect(decimalFault(text)).toContain(reason)
  })

  test('quotes no more than the beginning of a long text', () => {
    expect(decimalFault('9'.repeat(5000)).length).toBeLessThan(150)
  })
})
