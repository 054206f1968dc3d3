import { expect, test } from 'vitest'
import { isTest, projectFiles, read, unmatched } from './scan.ts'

// Changes to permissions run as a caller who is read again in the transaction that writes them (decision 105).

const MODULES = [
  /^lib\/identity\/keys\//,
  /^lib\/identity\/members\//,
  /^lib\/costs\/renewal-feeds\//,
  /^lib\/identity\/second-factors\//,
]
/** Work without a member or key as caller: of jobs, of the operator, and for reports of leaked keys. */
const WITHOUT_CALLER = [
  'lib/costs/renewal-feeds/leaks.ts',
  'lib/identity/keys/leaks.ts',
  'lib/identity/keys/mails.ts',
  'lib/identity/keys/operator.ts',
  'lib/identity/members/operator.ts',
]

const product = projectFiles('lib').filter((file) => file.endsWith('.ts') && !isTest(file))
const opensScope = (text: string) =>
  /import \{[^}]*\b(?:scope|scopeOfMany)\b[^}]*\} from '#lib\/platform\/db\/scope\.ts'/.test(text)
const resolvesCaller = (text: string) =>
  /import \{[^}]*\b(?:scopeOfAuthority|authorityIn)\b[^}]*\} from '#lib\/identity\/access\/authority\.ts'/.test(
    text,
  )

test('changes to members, keys and required factors read the caller again in their transaction', () => {
  const files = product.filter((file) => MODULES.some((module) => module.test(file)))
  expect(files.filter((file) => opensScope(read(file)))).toEqual(WITHOUT_CALLER)
  expect(files.filter((file) => resolvesCaller(read(file)))).toEqual([
    'lib/costs/renewal-feeds/operations.ts',
    'lib/identity/keys/operations.ts',
    'lib/identity/members/operations.ts',
    'lib/identity/second-factors/operations.ts',
  ])
})

test('each of these folders exists, and one that has moved is found', () => {
  expect(unmatched(MODULES, product)).toEqual([])
  const moved = product.map((file) => file.replace('lib/identity/keys/', 'lib/access/keys/'))
  expect(unmatched(MODULES, moved)).toEqual([String(MODULES[0])])
})

test('the functions that the imports are searched for exist', () => {
  expect(product).toEqual(
    expect.arrayContaining(['lib/platform/db/scope.ts', 'lib/identity/access/authority.ts']),
  )
  expect(read('lib/platform/db/scope.ts')).toMatch(/export (async )?function scope\b/)
  expect(read('lib/platform/db/scope.ts')).toMatch(/export (async )?function scopeOfMany\b/)
})

test('a planted breach is found', () => {
  expect(opensScope("import { readScope, scope } from '#lib/platform/db/scope.ts'")).toBe(true)
  expect(opensScope("import { readScope } from '#lib/platform/db/scope.ts'")).toBe(false)
  expect(resolvesCaller("import { authorityIn, type Locks } from '#lib/identity/access/authority.ts'")).toBe(
    true,
  )
  expect(resolvesCaller("import { requirePerson } from '#lib/identity/access/authority.ts'")).toBe(false)
})
