import { expect, test } from 'vitest'
import { fittingOf, hashesAtOnce, hashPassword } from './hash.ts'

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

test('a password is hashed by Argon2id with 19 MiB and 2 passes, each time with another salt', async () => {
  const [one, other] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(other).not.toBe(one)
})

test.each([
  ['Correct horse battery', false],
  ['correct horse battery ', false],
  ['correct horse batter', false],
  ['correct horse battery', true],
])('a password is compared as it was given: “%s” fits “correct horse battery”: %s', async (text, fits) => {
  const stored = await hashPassword('correct horse battery')
  expect(await fittingOf(text, [stored])).toBe(fits ? stored : undefined)
})

test('a password of 200 characters is not cut, and equal characters fit in another Unicode form', async () => {
  const long = await hashPassword('ü'.repeat(200))
  expect(await fittingOf('ü'.repeat(199), [long])).toBeUndefined()
  expect(await fittingOf('u\u0308'.repeat(200), [long])).toBe(long)
})
