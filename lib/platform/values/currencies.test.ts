import { expect, test } from 'vitest'
import { currencyError } from './currency-codes.ts'
import { PUBLISHED, UNITLESS, WITHDRAWN } from './test-iso-4217.ts'

test('every ISO 4217 code of money can be billed, and no other code', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  const published = [...PUBLISHED.map(({ code }) => code), ...UNITLESS, ...WITHDRAWN]
  const expected = published.filter((code) => code !== 'XXX' && code !== 'XTS')
  expect(codes.filter((code) => currencyError(code) === undefined)).toEqual(expected.sort())
})

test.each([
  ['XXX', 'is XXX, which says that there is no currency'],
  ['XTS', 'is XTS, which is for tests and no currency'],
  ['ABC', 'is ABC, which is no currency of ISO 4217'],
  ['usd', 'is not a three-letter code such as USD'],
  ['€', 'is not a three-letter code such as USD'],
  ['', 'is not a three-letter code such as USD'],
])('%j is refused: %s', (code, error) => {
  expect(currencyError(code)).toBe(error)
})
