import { expect, test } from 'vitest'
import { isTest, projectFiles, read } from './scan.ts'

// Who may do what is changed by a caller who is looked up once more when it is written (decision 105).

const NOUNS = /^lib\/(keys|members|renewal-feeds|second-factors)\//
/** Nobody's request: jobs, and reports of leaked keys, which whoever has found one may send. */
const WITHOUT_CALLER = ['lib/keys/leaks.ts', 'lib/keys/mails.ts', 'lib/renewal-feeds/leaks.ts']

const opensScope = (text: string) =>
  /import \{[^}]*\b(?:scope|scopeOfMany)\b[^}]*\} from '#lib\/db\/scope\.ts'/.test(text)

test('members, keys and what is demanded of members are written as a caller who is one still', () => {
  const files = projectFiles().filter((file) => NOUNS.test(file) && /\.ts$/.test(file) && !isTest(file))
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => opensScope(read(file)))).toEqual(WITHOUT_CALLER)
  expect(files.filter((file) => read(file).includes("from '#lib/access/authority/scope.ts'"))).toEqual([
    'lib/keys/operations.ts',
    'lib/members/operations.ts',
    'lib/renewal-feeds/operations.ts',
    'lib/second-factors/may-reset.ts',
    'lib/second-factors/operations.ts',
  ])
})

test('and a planted breach is found', () => {
  expect(opensScope("import { readScope, scope } from '#lib/db/scope.ts'")).toBe(true)
  expect(opensScope("import { readScope } from '#lib/db/scope.ts'")).toBe(false)
})
