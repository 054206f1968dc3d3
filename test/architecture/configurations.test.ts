import { matchesGlob } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configDefaults } from 'vitest/config'
import { SLOW_FILES } from '../../scripts/file-sequence.ts'
import vitestConfig from '../../vitest.config.ts'
import { packageNames, projectFiles, read, unmatchedGlobs } from './scan.ts'

// Checks the paths in the tools' configurations. A pattern that matches nothing after a move restricts nothing, or runs
// no test, and no tool reports that.

const files = projectFiles()
const ignored = read('.gitignore')
  .split('\n')
  .filter((line) => line !== '')
const MOVED = 'lib/moved/away/*.ts'

describe('biome.jsonc', () => {
  const { files: all, overrides } = commented(read('biome.jsonc')) as {
    files: { includes: string[] }
    overrides: { includes: string[]; linter: { rules: { style?: { noRestrictedImports?: Restricted } } } }[]
  }
  const zones = overrides.map(({ includes, linter }) => ({
    includes,
    groups: (linter.rules.style?.noRestrictedImports?.options.patterns ?? []).map(({ group }) => group),
  }))

  test('excludes paths that exist, or that git ignores', () => {
    const left = all.includes.map(withoutNot).filter((glob) => !ignored.includes(glob))
    expect(left.length).toBeGreaterThan(2)
    expect(unmatchedGlobs(left, [...files, ...foldersOf(files)])).toEqual([])
  })

  test.each(zones)('has rules for $includes, which match files', ({ includes }) => {
    expect(unmatchedGlobs(includes, files)).toEqual([])
  })

  test.each(zones.filter(({ groups }) => groups.length > 0))(
    'restricts existing imports in $includes',
    ({ groups }) => {
      expect(groups.flatMap(unmatchedImports)).toEqual([])
    },
  )

  test('restricts imports in several zones', () => {
    expect(zones.filter(({ groups }) => groups.length > 0).length).toBeGreaterThan(3)
  })

  test.each([
    [['#lib/*/*/store.ts', 'drizzle-orm/**', 'pg', '../**/lib/**', '**'], []],
    [[`#${MOVED}`], [`#${MOVED}`]],
    [['!**/rules.ts', '!**/gone.ts'], ['!**/gone.ts']],
    [['!#lib/platform/values/{days,gone}.ts'], ['!#lib/platform/values/{days,gone}.ts']],
    [
      ['no-such-package', 'no-such-package/**', '../**/gone/**'],
      ['no-such-package', 'no-such-package/**', '../**/gone/**'],
    ],
  ])('in the group %j exactly %j match nothing', (group, expected) => {
    expect(unmatchedImports(group)).toEqual(expected)
  })
})

describe('knip.jsonc', () => {
  const { entry, project, ignoreDependencies } = commented(read('knip.jsonc')) as Record<string, string[]>

  test('names existing files and packages', () => {
    expect(entry?.length).toBeGreaterThan(5)
    expect(unmatchedGlobs([...(entry ?? []), ...(project ?? [])], files)).toEqual([])
    expect(packageNames()).toEqual(expect.arrayContaining(ignoreDependencies ?? []))
  })
})

describe('package.json', () => {
  const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts
  const programs = Object.values(scripts).flatMap((command) => command.match(/\S+\.(ts|mjs)\b/g) ?? [])

  test('starts existing programs', () => {
    expect(programs.length).toBeGreaterThan(20)
    expect(unmatchedGlobs(programs, files)).toEqual([])
  })
})

describe('vitest.config.ts', () => {
  const projects = testProjects(vitestConfig)
  const patterns = projects.flatMap(({ include, exclude }) => [...include, ...exclude])
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file))

  test('includes and excludes existing files', () => {
    expect(patterns).not.toEqual([])
    // Deep tests are named `*.deep.test.ts`, in any folder.
    const shallow = patterns.filter((pattern) => !isDeep(pattern))
    expect(unmatchedGlobs([...shallow, ...SLOW_FILES], files)).toEqual([])
  })

  test('runs each test file in exactly one project', () => {
    expect(tests.length).toBeGreaterThan(400)
    expect(tests.filter((file) => !isDeep(file) && runsIn(projects, file) !== 1)).toEqual([])
  })

  test('does not pass with a test that no project runs', () => {
    expect(runsIn(projects, 'no-such-folder/a.test.ts')).toBe(0)
    expect(
      runsIn(testProjects({ test: { include: ['lib/**'], exclude: ['lib/a.test.ts'] } }), 'lib/a.test.ts'),
    ).toBe(0)
    expect(
      runsIn(testProjects({ test: { projects: [{ test: { include: ['lib/**'] } }] } }), 'lib/a.test.ts'),
    ).toBe(1)
  })
})

describe('playwright.config.ts', () => {
  // Reads its text, because loading it would look for a browser.
  const patterns = specPatterns(read('playwright.config.ts'))
  const specs = files.filter((file) => /\.spec\.tsx?$/.test(file))

  test('matches existing specs, and each of them', () => {
    expect(patterns.length).toBeGreaterThan(1)
    expect(unmatchedGlobs(patterns, specs)).toEqual([])
    expect(specs.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))).toEqual([])
  })

  test('does not pass with a spec that has moved', () => {
    expect(unmatchedGlobs(specPatterns("testMatch: 'gone/**/*.spec.ts'"), specs)).toEqual([
      'e2e/gone/**/*.spec.ts',
    ])
  })
})

test('drizzle.config.ts reads the existing schema and writes to the folder of the migrations', () => {
  const [schema = '', out = ''] = [...read('drizzle.config.ts').matchAll(/'\.\/([^']+)'/g)].map(
    ([, path]) => path,
  )
  expect(unmatchedGlobs([schema, `${out}/*.sql`], files)).toEqual([])
})

test.each([
  [[MOVED], [MOVED]],
  [['lib/platform/values/{days,gone}.ts'], ['lib/platform/values/gone.ts']],
  [['lib/platform/values/days.ts', 'lib/platform/values/{days,money}.{ts,test.ts}', '*.config.ts'], []],
])('of the globs %j exactly %j match nothing', (globs, expected) => {
  expect(unmatchedGlobs(globs, files)).toEqual(expected)
})

type Restricted = { options: { patterns: { group: string[] }[] } }
type Project = { include: string[]; exclude: string[] }
type Config = { test?: Partial<Project> & { projects?: unknown[] } }

/** Parses JSON whose comments are on separate lines. */
function commented(text: string): unknown {
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ''))
}

function withoutNot(glob: string): string {
  return glob.replace(/^!/, '')
}

function foldersOf(paths: readonly string[]): string[] {
  const parents = (path: string): string[] => {
    const end = path.lastIndexOf('/')
    return end === -1 ? [] : [path.slice(0, end), ...parents(path.slice(0, end))]
  }
  return [...new Set(paths.flatMap(parents))]
}

/**
 * Returns the patterns of a group of restricted imports that match no file and no package; each choice in braces has to
 * match.
 */
function unmatchedImports(group: readonly string[]): string[] {
  return group.filter((glob) => {
    const target = withoutNot(glob)
    if (target.startsWith('#')) return unmatchedGlobs([target.slice(1)], files).length > 0
    // Matches by the name in any folder.
    if (target.startsWith('**/')) return unmatchedGlobs([target], files).length > 0
    // Leads out of the folder, into another one of the root.
    if (target.startsWith('../'))
      return unmatchedGlobs([target.replace(/^\.\.\/(\*\*\/)?/, '')], files).length > 0
    return target !== '**' && !packageNames().includes(target.replace(/\/\*\*$/, ''))
  })
}

function testProjects({ test: { projects, include, exclude } = {} }: Config): Project[] {
  if (projects) return projects.flatMap((project) => testProjects(project as Config))
  const left = (exclude ?? []).filter((glob) => !configDefaults.exclude.includes(glob))
  return [{ include: include ?? [], exclude: left }]
}

/** Returns the number of projects that run a file. */
function runsIn(projects: readonly Project[], file: string): number {
  const matches = (globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob))
  return projects.filter(({ include, exclude }) => matches(include) && !matches(exclude)).length
}

function isDeep(file: string): boolean {
  return file.endsWith('.deep.test.ts')
}

function specPatterns(config: string): string[] {
  return [...config.matchAll(/'([^']*\.spec\.ts)'/g)].map(([, pattern]) => `e2e/${pattern}`)
}
