import { describe, expect, test } from 'vitest'
import { importsOf, projectFiles, read, resolveImport } from './scan.ts'

// docs/vendors.md, "Add a vendor": one folder with these names, and one list.
const NAMES = [
  'client',
  'connect',
  'declaration',
  'errors',
  'foresee',
  'list',
  'read',
  'settings',
  'subscription',
  'token',
  'write',
]
const LIST = 'lib/vendors/known-vendors.ts'
const NETWORK = 'lib/vendors/exchange.ts'

const files = projectFiles().filter((file) => file.startsWith('lib/vendors/') && !file.endsWith('.test.ts'))
// lib/vendors/accounts is of all of them.
const folders = Map.groupBy(
  files.filter((file) => file.split('/').length === 4 && !file.startsWith('lib/vendors/accounts/')),
  (file) => file.split('/')[2] ?? '',
)

describe.each([...folders])('lib/vendors/%s', (folder, inside) => {
  test('has a file for each job, by the name that it has with all vendors', () => {
    expect(inside).toEqual(expect.arrayContaining(NAMES.map((name) => `lib/vendors/${folder}/${name}.ts`)))
  })

  test('does not read the environment: its settings are handed in', () => {
    const reached = reachableFrom(inside)
    expect(reached.has(`lib/vendors/${folder}/write.ts`)).toBe(true)
    expect([...reached].filter((file) => file === 'lib/env.ts')).toEqual([])
  })
})

test('the list of vendors, which pages and the reader of the settings load, leads to no network code', () => {
  const loaded = reachableFrom([LIST])
  expect([...loaded]).toContain('lib/vendors/google/settings.ts')
  expect([...loaded].filter((file) => file === NETWORK || file === 'google-auth-library')).toEqual([])
  // And it would be found.
  expect([...reachableFrom(['lib/vendors/google/connect.ts'])]).toContain(NETWORK)
})

/** What the files load at once, with themselves: neither types nor what is imported later. */
function reachableFrom(starts: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const rest = [...starts]
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (!file.startsWith('lib/')) continue
    const now = importsOf(read(file).replace(/\bimport\(/g, 'later(')).filter(({ isType }) => !isType)
    rest.push(...now.map(({ specifier }) => resolveImport(file ?? '', specifier)))
  }
  return reached
}
