import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAmount, formatDecimal, isFiner, minorUnit, moneyText, plainAmount, sumOf } from './money.ts'
import { PUBLISHED, UNITLESS, WITHDRAWN } from './test-iso-4217.ts'

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
  ])('writes %s with at least %i places as %s', (value, decimals, formatted) => {
    expect(formatDecimal(value, decimals)).toBe(formatted)
  })
})

test.each([
  ['USD', '39004.92', '39,004.92'],
  ['JPY', '39005', '39,005'],
  ['KWD', '7.5', '7.500'],
])('formatAmount writes %s with its own decimals', (currency, value, formatted) => {
  expect(formatAmount(value, currency)).toBe(formatted)
})

describe('minorUnit', () => {
  test.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['HUF', 2],
    ['XDR', 2],
    ['BYR', 0],
    ['XYZ', 2],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(minorUnit(currency)).toBe(decimals)
  })
})

test.each(PUBLISHED)('$code has $unit decimals, as in ISO 4217', ({ code, unit }) => {
  expect(minorUnit(code)).toBe(unit)
  const one = unit === 0 ? '1,234' : `1,234.${'0'.repeat(unit - 1)}1`
  expect(formatAmount(one.replace(',', ''), code)).toBe(one)
  expect(formatAmount('1234', code)).toBe(unit === 0 ? '1,234' : `1,234.${'0'.repeat(unit)}`)
  expect(plainAmount('-1234', code)).toBe(`-${new Big(1234).toFixed(unit)}`)
})

test('the published list is complete', () => {
  expect([PUBLISHED.length + UNITLESS.length, WITHDRAWN.length]).toEqual([178, 129])
  expect(new Set([...PUBLISHED.map(({ code }) => code), ...UNITLESS, ...WITHDRAWN]).size).toBe(178 + 129)
})

test.each([
  ['10.49', 'HUF', '10.49 HUF'],
  ['0.45', 'PKR', '0.45 PKR'],
  [0.45, 'PKR', '0.45 PKR'],
  [1234.56, 'HUF', '1,234.56 HUF'],
  ['1234.56', 'HUF', '1,234.56 HUF'],
  ['10.005', 'USD', '10.005 USD'],
  [10.005, 'USD', '10.005 USD'],
  ['999999999999999.99', 'USD', '999,999,999,999,999.99 USD'],
  [999999999999.99, 'USD', '999,999,999,999.99 USD'],
  ['-0.00', 'USD', '0.00 USD'],
])('%s %s is displayed as %s', (value, currency, text) => {
  expect(moneyText(value, currency)).toBe(text)
})

test.each([
  ['USD', '39004.9', '39004.90'],
  ['JPY', '-39005.5', '-39005.5'],
  ['KWD', 7.5, '7.500'],
  ['HUF', '10.5', '10.50'],
])('plainAmount writes %s %s as %s for programs', (currency, value, text) => {
  expect(plainAmount(value, currency)).toBe(text)
})

test.each([
  ['10.005', 'USD', true],
  ['10.010', 'USD', false],
  ['10.5', 'JPY', true],
  ['10.0', 'JPY', false],
  ['0.0001', 'CLF', false],
])('isFiner(%s, %s) is %s', (value, currency, finer) => {
  expect(isFiner(value, currency)).toBe(finer)
})

test.each(['', '.', 'x', '1,5', '--1', 'NaN', 'Infinity'])('%j is not a decimal', (text) => {
  expect(() => formatDecimal(text)).toThrow(RangeError)
})

describe('any amount in any currency', () => {
  const currency = fc.constantFrom(...PUBLISHED.map(({ code }) => code), ...UNITLESS, ...WITHDRAWN)
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: -20, max: 60 }))
    .map(([digits, exponent]) => new Big(`${digits}e${-exponent}`))

  test('is parsed back exactly from its display text and from its API text', () => {
    fc.assert(
      fc.property(decimal, currency, (value, code) => {
        const formatted = formatAmount(value.toFixed(), code)
        expect(formatted).toMatch(/^−?\d{1,3}(,\d{3})*(\.\d+)?$/)
        expect(new Big(formatted.replace('−', '-').replaceAll(',', '')).eq(value)).toBe(true)
        const plain = plainAmount(value.toFixed(), code)
        expect(plain).toMatch(/^-?\d+(\.\d+)?$/)
        expect(new Big(plain).eq(value)).toBe(true)
        const decimals = plain.split('.')[1]?.length ?? 0
        expect(
          decimals >= minorUnit(code) && decimals > minorUnit(code) === isFiner(value.toFixed(), code),
        ).toBe(true)
      }),
    )
  })

  test('formats equally as a number and as text', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }),
        currency,
        (float, code) => {
          expect(formatAmount(float, code)).toBe(formatAmount(new Big(float).toFixed(), code))
        },
      ),
    )
  })

  test('is exact as a JSON number with 15 digits', () => {
    const digits = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n })
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 15 }), currency, (amount, decimals, code) => {
        const text = new Big(`${amount}e-${decimals}`).toFixed()
        const wire = JSON.parse(JSON.stringify(Number(text)))
        expect(formatAmount(wire, code)).toBe(formatAmount(text, code))
      }),
    )
  })

  test('is summed by integers without floats', () => {
    expect(sumOf([])).toBe('0')
    expect(sumOf([[0.1, 3]])).toBe('0.3')
    const part = fc.tuple(decimal, fc.integer({ min: -1e6, max: 1e6 }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const exact = parts.reduce((sum, [price, times]) => sum.plus(price.times(times)), new Big(0))
        expect(new Big(sumOf(parts.map(([price, times]) => [price.toFixed(), times]))).eq(exact)).toBe(true)
      }),
    )
  })
})
