import { expect, test } from 'vitest'
import { countryName, countryOf } from './countries.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const codes = LETTERS.flatMap((one) => LETTERS.map((two) => one + two)).filter((code) => countryOf(code))

test('knows the 249 countries of ISO 3166-1, each with a unique name', () => {
  expect(codes).toHaveLength(249)
  const names = codes.map(countryName)
  expect(new Set(names).size).toBe(249)
  for (const name of names) expect(name).toMatch(/^\p{Lu}[\p{L}’.() -]+$/u)
})

test.each([
  ['ch', 'CH', 'Switzerland'],
  [' GB ', 'GB', 'United Kingdom'],
  ['SS', 'SS', 'South Sudan'],
])('%s is %s, %s', (text, code, name) => {
  expect(countryOf(text)).toBe(code)
  expect(countryName(code)).toBe(name)
})

// Reserved and withdrawn codes, three letters, a name, and empty text.
test.each(['UK', 'EU', 'XX', 'YU', 'CHE', 'Germany', '', '__proto__'])('%j is not a country', (text) => {
  expect(countryOf(text)).toBeUndefined()
})
