import { describe, expect, test } from 'vitest'
import { decimalError } from './value-errors.ts'

describe('decimalFault', () => {
  test.each([
    ['1e999999', 'out of range'],
    ['1'.repeat(16), 'out of range'],
    ['1,5', 'without separators'],
    ['NaN', '"NaN" is not a number'],
  ])('tells why %s is none: %s', (text, reason) => {
    expect(decimalError(text)).toContain(reason)
  })

  test('quotes no more than the beginning of a long text', () => {
    expect(decimalError('9'.repeat(5000)).length).toBeLessThan(150)
  })
})
