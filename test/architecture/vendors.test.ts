import { describe, expect, test } from 'vitest'
import { packageNames, projectFiles, reachableFrom, read } from './scan.ts'

// docs/develop/vendors.md, "Add a vendor": one folder with these names, and one list.
const NAMES = [
  'client',
  'connect',
  'declaration',
  'errors',
  'list',
  'read',
  'settings',
  'subscription',
  'write',
]
const LIST = 'lib/vendors/declarations.ts'
const NETWORK = 'lib/vendors/client.ts'
const ENV = 'lib/platform/runtime/env.ts'
/** Reads its level from the environment, which is not a vendor's setting. */
const LOG = 'lib/platform/runtime/log.ts'

const files = projectFiles().filter((file) => file.startsWith('lib/vendors/') && !file.endsWith('.test.ts'))
const folders = vendorFolders(files)

describe.each([...folders])('lib/vendors/%s', (folder, inside) => {
  test('has a file for each job, under the name that all vendors use', () => {
    expect(inside).toEqual(expect.arrayContaining(NAMES.map((name) => `lib/vendors/${folder}/${name}.ts`)))
  })

  test('does not read the environment: its settings are parameters', () => {
    const reachable = reachableFrom(inside, [LOG])
    expect(reachable.has(`lib/vendors/${folder}/write.ts`)).toBe(true)
    expect([...reachable].filter((file) => file === ENV)).toEqual([])
  })
})

test('each listed vendor has its folder, and one that has moved is found', () => {
  const listed = [...read(LIST).matchAll(/from '\.\/([\w-]+)\/declaration\.ts'/g)].map(([, name]) => name)
  const vendorNames = (paths: readonly string[]) =>
    [...vendorFolders(paths).keys()].filter((name) => !name.startsWith('test-')).sort()
  expect(listed.length).toBeGreaterThan(1)
  expect(vendorNames(files)).toEqual(listed.sort())
  const moved = files.map((file) => file.replace('lib/vendors/google/', 'lib/google/'))
  expect(vendorNames(moved)).toEqual(listed.filter((name) => name !== 'google'))
})

test('the files that vendors must not load exist', () => {
  expect(projectFiles('lib')).toEqual(expect.arrayContaining([LIST, NETWORK, ENV, LOG]))
  expect(packageNames()).toContain('google-auth-library')
})

test('the log, which the check above does not follow, loads only the platform', () => {
  const ours = [...reachableFrom([LOG])].filter((file) => file.startsWith('lib/'))
  expect(ours).toContain(ENV)
  expect(ours.filter((file) => !file.startsWith('lib/platform/'))).toEqual([])
})

test('the list of vendors, which pages and the reader of the settings load, does not load network code', () => {
  const loaded = reachableFrom([LIST])
  expect([...loaded]).toContain('lib/vendors/google/settings.ts')
  expect([...loaded].filter((file) => file === NETWORK || file === 'google-auth-library')).toEqual([])
  // The check would find it.
  expect([...reachableFrom(['lib/vendors/google/connect.ts'])]).toContain(NETWORK)
})

/** Returns the files of each vendor, by the name of its folder. */
function vendorFolders(paths: readonly string[]): Map<string, string[]> {
  return Map.groupBy(
    paths.filter((path) => /^lib\/vendors\/[^/]+\/[^/]+$/.test(path)),
    (path) => path.split('/')[2] ?? '',
  )
}
