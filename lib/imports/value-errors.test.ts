import { describe, expect, test } from 'vitest'
import { decimalError } from './value-errors.ts'

describe('decimalError', () => {
  test.each([
    ['1e999999', 'out of range'],
    ['1'.repeat(16), 'out of range'],
    ['1,5', 'without separators'],
    ['NaN', '"NaN" is not a number'],
  ])('explains why %s is not a decimal: %s', (text, reason) => {
    expect(decimalError(text)).toContain(reason)
  })

  test('quotes no more than the beginning of a long text', () => {
    expect(decimalError('9'.repeat(5000)).length).toBeLessThan(150)
  })
})
