import { describe, expect, test } from 'vitest'
import { projectFiles, read } from './scan.ts'

/** A folder that needs one more file needs a noun of its own. `components/ui` is a flat list of primitives. */
const MOST_FILES = 16
const FLAT_LISTS = ['components/ui']
const NO_FOLDERS = ['src', 'utils', 'helpers', 'hooks', 'types', 'services', 'common']
const MAX_LINES = 150
/** A test file is a table of cases: long, and read case by case. */
const MAX_TEST_LINES = 350
/** Longer files, each with its reason; no file is longer than this. */
const END = 200
const LONG: Record<string, string> = {}
/** Security fixes that we rely on came with these. */
const FLOORS = { next: '16.2.11', react: '19.2.6', 'react-dom': '19.2.6', 'next-auth': '4.24.15' }

const files = projectFiles()
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && file !== 'next-env.d.ts')

describe('the house', () => {
  test(`has folders of ${MOST_FILES} product files at most`, () => {
    expect(crowded(code)).toEqual([])
  })

  test('and a folder that is too full is found', () => {
    const names = Array.from({ length: MOST_FILES + 1 }, (_, index) => `lib/assets/file-${index}.ts`)
    expect(crowded(names)).toEqual([`lib/assets: ${MOST_FILES + 1}`])
    expect(crowded([...names.slice(1), 'lib/assets/store.test.ts'])).toEqual([])
  })

  test('has no folder without a noun, no barrel and no proxy', () => {
    const folders = code.flatMap((file) => file.split('/').slice(0, -1))
    expect(folders.filter((folder) => NO_FOLDERS.includes(folder))).toEqual([])
    expect(code.filter((file) => /(^|\/)index\.tsx?$/.test(file))).toEqual([])
    // Each page and each operation checks its own caller: a second gate would be a second truth.
    expect(code.filter((file) => /^(proxy|middleware)\.ts$/.test(file))).toEqual([])
  })

  test('reaches a database by lib/db/logins.ts alone, which has a server elsewhere prove who it is', () => {
    const product = code.filter((file) => file.startsWith('lib/') && !/(^|\/)test-|\.test\./.test(file))
    expect(product.filter((file) => read(file).includes('connectionString'))).toEqual([])
  })

  test(`has files of ${MAX_LINES} lines at most`, () => {
    const long = code.filter(
      (file) => lines(file) > (/\.(test|spec)\.ts$/.test(file) ? MAX_TEST_LINES : MAX_LINES),
    )
    expect(
      long.map((file) => `${file}: ${lines(file)}`).filter((line) => !LONG[line.split(':')[0] ?? '']),
    ).toEqual([])
    expect(Object.keys(LONG).filter((file) => !long.includes(file))).toEqual([])
    expect(Object.keys(LONG).filter((file) => lines(file) > END)).toEqual([])
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json'))

  test('has no image library, which Next would bring along', () => {
    const names = Object.keys(packages).filter((path) => /(^|\/)(sharp|@img\/[^/]+)$/.test(path))
    expect(names.map((path) => packages[path].name)).toEqual(['server-only'])
  })

  test.each(Object.entries(FLOORS))('has %s of %s or later', (name, floor) => {
    expect(isAtLeast(packages[`node_modules/${name}`].version, floor)).toBe(true)
  })

  test.each([
    ['16.2.10', '16.2.11', false],
    ['16.10.0', '16.2.11', true],
    ['17.0.0', '16.2.11', true],
    ['16.2.11', '16.2.11', true],
  ])('compares %s with the floor %s', (version, floor, enough) => {
    expect(isAtLeast(version, floor)).toBe(enough)
  })
})

function crowded(paths: readonly string[]): string[] {
  const product = paths.filter(
    (path) => /^(lib|components)\//.test(path) && !/(\.test\.tsx?$|\/test-)/.test(path),
  )
  return [...Map.groupBy(product, (path) => path.slice(0, path.lastIndexOf('/')))]
    .filter(([folder, inside]) => inside.length > MOST_FILES && !FLAT_LISTS.includes(folder))
    .map(([folder, inside]) => `${folder}: ${inside.length}`)
}

function lines(file: string): number {
  return read(file).trimEnd().split('\n').length
}

function isAtLeast(version: string, floor: string): boolean {
  const [have, need] = [version, floor].map((text) => text.split('-')[0]?.split('.').map(Number) ?? [])
  const index = need?.findIndex((part, at) => part !== have?.[at]) ?? 0
  return index === -1 || (have?.[index] ?? 0) > (need?.[index] ?? 0)
}
