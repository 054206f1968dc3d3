import { expect, it } from 'vitest'
import { countText } from './count-text.ts'

it.each([
  [0, '0'],
  [9999, '9,999'],
  [10_000, '10,000'],
  [10_001, '10,000+'],
  [1_000_000, '10,000+'],
])('%i is formatted as %s', (count, text) => {
  expect(countText(count)).toBe(text)
})
