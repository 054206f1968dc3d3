import { expect, test } from 'vitest'
import { hashesAtOnce } from './hash.ts'

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [64, 2],
])(
  'with %i processors, %i passwords are checked concurrently, so that one stays free',
  (processors, count) => {
    expect(hashesAtOnce(processors)).toBe(count)
  },
)
