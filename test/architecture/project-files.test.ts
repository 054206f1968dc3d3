import { describe, expect, test } from 'vitest'
import { isTest, projectFiles, read } from './scan.ts'

const NO_FOLDERS = ['src', 'utils', 'helpers', 'hooks', 'types', 'services', 'common']
/** A file is as long as its subject: 80 to 250 lines is normal. */
const MAX_LINES = 400
const MAX_FILES = 24
/** The file that makes the logins; no other file of lib may connect by a whole address. */
const LOGINS = 'lib/platform/db/logins.ts'
/** Versions with security fixes that the product relies on. */
const FLOORS = { next: '16.2.11', react: '19.2.6', 'react-dom': '19.2.6', 'next-auth': '4.24.15' }

const files = projectFiles()
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && file !== 'next-env.d.ts')

describe('source files', () => {
  test('have no folder without a subject, no barrel and no proxy', () => {
    expect(code.filter(isMisplaced)).toEqual([])
  })

  test.each([
    ['lib/licenses/assets/utils/days.ts', true],
    ['lib/licenses/assets/index.ts', true],
    ['proxy.ts', true],
    ['lib/licenses/assets/store.ts', false],
  ])('isMisplaced(%s) returns %j', (file, expected) => {
    expect(isMisplaced(file)).toBe(expected)
  })

  test(`reach a database through ${LOGINS} only, which requires a remote server to prove its identity`, () => {
    const product = code.filter((file) => file.startsWith('lib/') && !isTest(file))
    expect(product).toContain(LOGINS)
    expect(product.filter((file) => mayDial(read(file)))).toEqual([])
    expect(product.filter((file) => /new pg\.(Client|Pool)\(/.test(read(file))).length).toBeGreaterThan(0)
  })

  test.each([
    ['new pg.Pool({ connectionString: url })', true],
    ['new pg.Pool(loginOf(url, role))', false],
  ])('mayDial(%j) returns %j', (text, expected) => {
    expect(mayDial(text)).toBe(expected)
  })

  test(`have at most ${MAX_LINES} lines`, () => {
    expect(code.length).toBeGreaterThan(1000)
    expect(tooLong(code.map((file) => [file, read(file)]))).toEqual([])
  })

  test('do not pass with a file that is too long', () => {
    const line = 'const a = 1\n'
    expect(tooLong([['lib/licenses/assets/store.ts', line.repeat(MAX_LINES)]])).toEqual([])
    expect(tooLong([['lib/licenses/assets/store.test.ts', line.repeat(MAX_LINES + 1)]])).toEqual([
      `lib/licenses/assets/store.test.ts: ${MAX_LINES + 1}`,
    ])
  })
})

describe('the folders of the product', () => {
  const product = code.filter((file) => /^(app|components|lib)\//.test(file) && !isTest(file))
  // Exempt, because primitives are found by their names.
  const limited = product.filter((file) => !file.startsWith('components/ui/'))

  test(`have ${MAX_FILES} files at most`, () => {
    expect(limited.length).toBeGreaterThan(1000)
    expect(limited.length).toBeLessThan(product.length)
    expect(crowded(limited)).toEqual([])
  })

  test('do not pass with one more file', () => {
    const files = Array.from({ length: MAX_FILES }, (_, index) => `lib/assets/a${index}.ts`)
    expect(crowded([...files, 'lib/assets/store/find.ts'])).toEqual([])
    expect(crowded([...files, 'lib/assets/store.ts'])).toEqual([`lib/assets: ${MAX_FILES + 1}`])
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json'))

  test('has no image library, which is an optional dependency of Next', () => {
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

/** Returns whether a file is a barrel, a proxy, or in a folder without a subject. */
function isMisplaced(file: string): boolean {
  const folders = file.split('/').slice(0, -1)
  // Each page and each operation checks its own caller: a second check could contradict the first.
  const isGate = /^(proxy|middleware)\.ts$/.test(file)
  return folders.some((folder) => NO_FOLDERS.includes(folder)) || /(^|\/)index\.tsx?$/.test(file) || isGate
}

/** Returns whether a text has a database's whole address to connect to. */
function mayDial(text: string): boolean {
  return text.includes('connectionString')
}

function tooLong(texts: readonly [file: string, text: string][]): string[] {
  return texts
    .map(([file, text]) => ({ file, count: text.trimEnd().split('\n').length }))
    .filter(({ count }) => count > MAX_LINES)
    .map(({ file, count }) => `${file}: ${count}`)
}

/** Returns the folders with more files than the limit. */
function crowded(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf('/')))
  return [...folders]
    .filter(([, its]) => its.length > MAX_FILES)
    .map(([folder, its]) => `${folder}: ${its.length}`)
}

function isAtLeast(version: string, floor: string): boolean {
  const [have, need] = [version, floor].map((text) => text.split('-')[0]?.split('.').map(Number) ?? [])
  const index = need?.findIndex((part, at) => part !== have?.[at]) ?? 0
  return index === -1 || (have?.[index] ?? 0) > (need?.[index] ?? 0)
}
