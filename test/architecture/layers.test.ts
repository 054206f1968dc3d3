import { describe, expect, test } from 'vitest'
import { importsOf, isTest, projectFiles, read, resolveImport } from './scan.ts'

type Architecture = {
  /** The folder whose subfolders are in layers. */
  root: string
  /** From the lowest layer to the highest. Folders of one layer do not import each other. */
  layers: readonly (readonly string[])[]
  /** The folders that a folder imports, including types. */
  pairs: Readonly<Record<string, readonly string[]>>
}

const MAX_PAIRS = 47
/** Largest share of a folder's files that other folders import: the rest is its inside. */
const MAX_IMPORTED = 1 / 4
const LIB: Architecture = {
  root: 'lib',
  layers: [
    ['platform'],
    ['vendors'],
    ['identity'],
    ['licenses', 'billing'],
    ['costs'],
    ['notifications', 'workspace'],
    ['imports', 'server'],
    ['admin', 'demo'],
  ],
  pairs: {
    vendors: ['platform'],
    identity: ['platform'],
    billing: ['identity', 'platform'],
    licenses: ['identity', 'platform', 'vendors'],
    costs: ['billing', 'identity', 'licenses', 'platform', 'vendors'],
    notifications: ['billing', 'costs', 'identity', 'licenses', 'platform', 'vendors'],
    workspace: ['billing', 'identity', 'licenses', 'platform'],
    imports: ['billing', 'identity', 'licenses', 'notifications', 'platform', 'vendors'],
    server: ['billing', 'costs', 'identity', 'licenses', 'notifications', 'platform', 'vendors'],
    admin: ['billing', 'costs', 'identity', 'imports', 'licenses', 'notifications', 'platform', 'server'],
    demo: ['billing', 'identity', 'imports', 'platform'],
  },
}

const texts = projectFiles('lib')
  .filter((file) => /\.tsx?$/.test(file) && !isTest(file))
  .map((file): Text => [file, read(file)])

describe('the folders of lib', () => {
  test('import only lower folders that the table lists', () => {
    expect(texts.length).toBeGreaterThan(500)
    expect(violations(texts, LIB)).toEqual([])
  })

  test('use each line of the table, and each line points down', () => {
    expect(unusedPairs(texts, LIB)).toEqual([])
    expect(upwardPairs(LIB)).toEqual([])
    expect(Object.values(LIB.pairs).flat().length).toBeLessThanOrEqual(MAX_PAIRS)
  })

  test.each([
    ['lib/platform/api/endpoint.ts', `import { listAssets } from '#lib/licenses/assets/operations.ts'`],
    ['lib/platform/values/days.ts', `import '#lib/vendors/vendors.ts'`],
    ['lib/licenses/assets/store.ts', `import type { Invoice } from '../../billing/invoices/contract.ts'`],
    ['lib/billing/invoices/export.ts', `export { serializeAsset } from '#lib/licenses/assets/serialize.ts'`],
    ['lib/billing/statements/store.ts', `const { a } = await import('#lib/costs/causes/rules.ts')`],
    [
      'lib/billing/statements/store.ts',
      `const load = () => import(/* lazily */ '#lib/costs/causes/rules.ts')`,
    ],
    ['lib/billing/statements/store.ts', 'const load = () => import(`#lib/costs/causes/rules.ts`)'],
    ['lib/identity/keys/operations.ts', `import {\n  main,\n} from '#lib/admin/main.ts'`],
    ['lib/billing/new-noun/store.ts', `import { exchange } from '#lib/vendors/client.ts'`],
    ['lib/platform/db/scope.ts', `import { a } from '#lib/new-domain/a.ts'`],
    ['lib/platform/db/scope.ts', `import { a } from '#lib/loose.ts'`],
    ['lib/new-domain/rules.ts', ''],
    ['lib/loose.ts', ''],
  ])('do not pass a planted breach in %s: %s', (file, text) => {
    expect(violations([[file, text]], LIB)).toHaveLength(1)
  })

  test.each([
    ['lib/billing/statements/store.ts', `import type { Invoice } from '../invoices/contract.ts'`],
    ['lib/costs/causes/rules.ts', `import { Problem } from '#lib/platform/api/problem.ts'`],
    ['lib/platform/db/client.ts', `import pg from 'pg'`],
  ])('may import in %s the targets that the table allows: %s', (file, text) => {
    expect(violations([[file, text]], LIB)).toEqual([])
  })

  test('do not pass with a line in the table that is unused, points up or stays in its layer', () => {
    const pairs = { a: ['b'], b: ['c', 'a'] }
    const architecture: Architecture = { root: 'lib', layers: [['a'], ['b', 'c']], pairs }
    expect(unusedPairs([['lib/b/x.ts', `import '#lib/a/x.ts'`]], architecture)).toEqual(['a > b', 'b > c'])
    expect(upwardPairs(architecture)).toEqual(['a > b', 'b > c'])
  })
})

describe('a folder of lib', () => {
  test('has at most a quarter of its files imported by other folders, except platform', () => {
    const shares = LIB.layers
      .flat()
      .filter((folder) => folder !== 'platform')
      .map((folder) => share(texts, folder))
    expect(shares.filter(({ imported, files }) => imported.length > files * MAX_IMPORTED)).toEqual([])
    expect(shares.every(({ files }) => files > 10)).toBe(true)
  })

  test('does not pass with more, whether they import values or types, and however often', () => {
    const [first, ...others] = ['a', 'b', 'c', 'd'].map((name): Text => [`lib/costs/causes/${name}.ts`, ''])
    const use: Text = ['lib/server/start.ts', `import { a } from '#lib/costs/causes/a.ts'`]
    const again: Text = ['lib/admin/main.ts', `import { b } from '#lib/costs/causes/a.ts'`]
    const inside: Text = ['lib/costs/causes/b.ts', `import { c } from './c.ts'`]
    const all = [first as Text, ...others]
    expect(share([...all, use, again, inside], 'costs')).toEqual({
      ...{ folder: 'costs', files: 4, imported: ['lib/costs/causes/a.ts'] },
    })
    const type: Text = ['lib/demo/load.ts', `import type { B } from '../costs/causes/b.ts'`]
    expect(share([...all, use, type], 'costs').imported).toEqual([
      'lib/costs/causes/a.ts',
      'lib/costs/causes/b.ts',
    ])
    expect(2).toBeGreaterThan(4 * MAX_IMPORTED)
  })
})

type Text = readonly [file: string, text: string]

/** Returns the number of a folder's files, and those that files of other folders import, types included. */
function share(all: readonly Text[], folder: string): { folder: string; files: number; imported: string[] } {
  const files = new Set(all.map(([file]) => file).filter((file) => folderOf(LIB, file) === folder))
  const targets = dependencies(all, LIB).map(({ target }) => target)
  return { folder, files: files.size, imported: [...new Set(targets)].filter((one) => files.has(one)).sort() }
}

/** Returns the folder of the root that a file is in, or the empty text for a file of the root itself. */
function folderOf({ root }: Architecture, file: string): string {
  const [, folder = '', rest] = file.slice(root.length).split('/')
  return rest === undefined ? '' : folder
}

/** Returns the imports of each file from other folders of the root. */
function dependencies(
  all: readonly Text[],
  architecture: Architecture,
): { file: string; from: string; target: string; to: string }[] {
  return all.flatMap(([file, text]) =>
    importsOf(text)
      .map(({ specifier }) => resolveImport(file, specifier))
      .filter((target) => target.startsWith(`${architecture.root}/`))
      .map((target) => ({
        file,
        from: folderOf(architecture, file),
        target,
        to: folderOf(architecture, target),
      }))
      .filter(({ from, to }) => from !== to),
  )
}

/** Returns the files outside of all layers, and the imports that no line of the table allows. */
function violations(all: readonly Text[], architecture: Architecture): string[] {
  const folders = architecture.layers.flat()
  const unlisted = all.filter(([file]) => !folders.includes(folderOf(architecture, file)))
  return [
    ...unlisted.map(([file]) => `${file} is in no layer`),
    ...dependencies(all, architecture)
      .filter(({ from, to }) => !architecture.pairs[from]?.includes(to))
      .map(({ file, target }) => `${file} imports ${target}`),
  ]
}

function pairsOf({ pairs }: Architecture): { from: string; to: string }[] {
  return Object.entries(pairs).flatMap(([from, folders]) => folders.map((to) => ({ from, to })))
}

/** Returns the lines of the table that no import needs. */
function unusedPairs(all: readonly Text[], architecture: Architecture): string[] {
  const used = dependencies(all, architecture)
  return pairsOf(architecture)
    .filter((pair) => !used.some(({ from, to }) => from === pair.from && to === pair.to))
    .map(({ from, to }) => `${from} > ${to}`)
}

/** Returns the lines of the table that lead to a higher layer or stay in their own. */
function upwardPairs(architecture: Architecture): string[] {
  const layerOf = (folder: string) => architecture.layers.findIndex((layer) => layer.includes(folder))
  return pairsOf(architecture)
    .filter(({ from, to }) => layerOf(to) < 0 || layerOf(to) >= layerOf(from))
    .map(({ from, to }) => `${from} > ${to}`)
}
