import { expect, test } from 'vitest'
import { isTest, projectFiles, read, unmatched } from './scan.ts'

// Who may do what is changed by a caller who is looked up once more when it is written (decision 105).

const NOUNS = [/^lib\/keys\//, /^lib\/members\//, /^lib\/renewal-feeds\//, /^lib\/second-factors\//]
/** Nobody's request: jobs, and reports of leaked keys, which whoever has found one may send. */
const WITHOUT_CALLER = ['lib/keys/leaks.ts', 'lib/keys/mails.ts', 'lib/renewal-feeds/leaks.ts']

const product = projectFiles('lib').filter((file) => file.endsWith('.ts') && !isTest(file))
const opensScope = (text: string) =>
  /import \{[^}]*\b(?:scope|scopeOfMany)\b[^}]*\} from '#lib\/db\/scope\.ts'/.test(text)

test('members, keys and what is demanded of members are written as a caller who is one still', () => {
  const files = product.filter((file) => NOUNS.some((noun) => noun.test(file)))
  expect(files.filter((file) => opensScope(read(file)))).toEqual(WITHOUT_CALLER)
  expect(files.filter((file) => read(file).includes("from '#lib/access/authority/scope.ts'"))).toEqual([
    'lib/keys/operations.ts',
    'lib/members/operations.ts',
    'lib/renewal-feeds/operations.ts',
    'lib/second-factors/may-reset.ts',
    'lib/second-factors/operations.ts',
  ])
})

test('each of these folders is there, and one that has moved is found', () => {
  expect(unmatched(NOUNS, product)).toEqual([])
  const moved = product.map((file) => file.replace('lib/keys/', 'lib/identity/keys/'))
  expect(unmatched(NOUNS, moved)).toEqual([String(NOUNS[0])])
})

test('the doors that are looked for in the imports are there', () => {
  expect(product).toEqual(expect.arrayContaining(['lib/db/scope.ts', 'lib/access/authority/scope.ts']))
  expect(read('lib/db/scope.ts')).toMatch(/export (async )?function scope\b/)
  expect(read('lib/db/scope.ts')).toMatch(/export (async )?function scopeOfMany\b/)
})

test('and a planted breach is found', () => {
  expect(opensScope("import { readScope, scope } from '#lib/db/scope.ts'")).toBe(true)
  expect(opensScope("import { readScope } from '#lib/db/scope.ts'")).toBe(false)
})
