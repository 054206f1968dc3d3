import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, isTest, projectFiles, read, resolveImport } from './scan.ts'

/** The folders of components, from the lowest layer to the highest; folders of one layer do not import each other. */
const LAYERS = [
  ['ui'],
  ['platform'],
  ['lists'],
  ['identity'],
  ['developers', 'licenses', 'billing'],
  ['costs'],
  ['notifications'],
  ['shell'],
]

/** The folders of components that each folder imports, including types. */
const IMPORTS: Record<string, readonly string[]> = {
  ui: [],
  platform: ['ui'],
  lists: ['ui', 'platform'],
  identity: ['ui', 'platform', 'lists'],
  developers: ['ui', 'identity'],
  licenses: ['ui', 'platform', 'lists'],
  billing: ['ui', 'platform', 'lists'],
  costs: ['ui', 'platform', 'lists', 'billing'],
  notifications: ['ui', 'platform', 'lists'],
  shell: ['ui', 'platform', 'lists', 'identity', 'licenses', 'billing', 'notifications'],
}
const MAX_FOLDERS = 10
const [MIN_FILES, MAX_FILES] = [3, 24]

const files = projectFiles('components').filter((file) => /\.tsx?$/.test(file) && !isTest(file))
const imports = new Map(files.map((file) => [file, read(file)]))

describe('the folders of components', () => {
  test('are at most ten, and the table lists each of them', () => {
    const folders = [...new Set(files.map(folderOf))].sort()
    expect(folders).toEqual(Object.keys(IMPORTS).sort())
    expect(folders).toEqual(LAYERS.flat().sort())
    expect(folders.length).toBeLessThanOrEqual(MAX_FOLDERS)
  })

  test('import only folders that the table allows', () => {
    expect([...imports].flatMap(([file, text]) => violations(file, text))).toEqual([])
  })

  test.each([
    ['components/ui/button.tsx', `import { Money } from '#components/platform/values/money.tsx'`],
    ['components/ui/button.tsx', `import type { Asset } from '#lib/licenses/assets/contract.ts'`],
    ['components/ui/button.tsx', `import { titleOf } from '../../app/layout.tsx'`],
    ['components/lists/views/view-menu.tsx', `import type { View } from '../../billing/invoices/view.ts'`],
    ['components/licenses/assets/view.ts', `export { hrefOf } from '#components/billing/invoices/view.ts'`],
    ['components/billing/invoices/view.ts', `import { cost } from '#components/licenses/assets/cost.ts'`],
    [
      'components/billing/invoices/view.ts',
      `const load = () => import('#components/costs/explanations/view.ts')`,
    ],
    ['components/notifications/needs-screen.tsx', `import '#components/shell/frame/frame.tsx'`],
    // This import would point down, but the table lacks it.
    ['components/notifications/needs-screen.tsx', `import '#components/costs/renewals/view.ts'`],
    ['components/new-folder/screen.tsx', `import { Card } from '#components/ui/card.tsx'`],
  ])('do not pass with a breach in %s', (file, text) => {
    expect(violations(file, text)).toHaveLength(1)
  })

  test('use each pair that the table allows', () => {
    const used = new Set([...imports].flatMap(([file, text]) => pairsOf(file, text)))
    expect(allowedPairs(IMPORTS).filter((pair) => !used.has(pair))).toEqual([])
  })

  test('import only folders of lower layers', () => {
    expect(upwardPairs(IMPORTS)).toEqual([])
    expect(upwardPairs({ ...IMPORTS, lists: ['billing'] })).toEqual(['lists -> billing'])
    expect(upwardPairs({ ...IMPORTS, licenses: ['billing'] })).toEqual(['licenses -> billing'])
  })
})

describe('the modules of components', () => {
  test('have no import cycles between two folders', () => {
    expect(mutualPairs(imports)).toEqual([])
    const planted = new Map(imports).set(
      'components/billing/invoices/planted.ts',
      `import type { FilterChoices } from '../invoice-filters/choices.ts'`,
    )
    expect(mutualPairs(planted)).toEqual(['billing/invoice-filters <-> billing/invoices'])
  })

  test(`have ${MIN_FILES} to ${MAX_FILES} files, except for the primitives`, () => {
    expect(wrongSizes(files)).toEqual([])
    const [few, many] = ['components/shell/few', 'components/shell/many']
    const planted = [
      ...Array.from({ length: MIN_FILES - 1 }, (_, index) => `${few}/${index}.ts`),
      ...Array.from({ length: MAX_FILES + 1 }, (_, index) => `${many}/${index}.ts`),
    ]
    expect(wrongSizes(planted)).toEqual([`${few}: ${MIN_FILES - 1}`, `${many}: ${MAX_FILES + 1}`])
  })
})

/** Returns the first folder of a path below components, or undefined if the path is not below components. */
function folderOf(file: string): string | undefined {
  return /^components\/([^/]+)\//.exec(file)?.[1]
}

function moduleOf(file: string): string {
  return posix.dirname(file).replace(/^components\//, '')
}

function targetsOf(file: string, text: string): string[] {
  return importsOf(text).map(({ specifier }) => resolveImport(file, specifier))
}

/** Returns the pairs of different folders of components in a file's imports. */
function pairsOf(file: string, text: string): string[] {
  const from = folderOf(file)
  return targetsOf(file, text)
    .map(folderOf)
    .filter((to) => to !== undefined && to !== from)
    .map((to) => `${from} -> ${to}`)
}

/**
 * Returns the imports of a file that no line of the table allows; primitives may import nothing of lib and app, either.
 */
function violations(file: string, text: string): string[] {
  const allowed = allowedPairs(IMPORTS)
  const foreign = folderOf(file) === 'ui' ? targetsOf(file, text).filter((to) => /^(lib|app)\//.test(to)) : []
  return [...pairsOf(file, text).filter((pair) => !allowed.includes(pair)), ...foreign].map(
    (violation) => `${file}: ${violation}`,
  )
}

function allowedPairs(table: typeof IMPORTS): string[] {
  return Object.entries(table).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
}

function upwardPairs(table: typeof IMPORTS): string[] {
  const layerOf = (folder: string) => LAYERS.findIndex((layer) => layer.includes(folder))
  return Object.entries(table).flatMap(([from, targets]) =>
    targets.filter((to) => layerOf(to) >= layerOf(from)).map((to) => `${from} -> ${to}`),
  )
}

/** Returns the pairs of folders, at any depth, that import each other. */
function mutualPairs(texts: ReadonlyMap<string, string>): string[] {
  const pairs = new Set(
    [...texts].flatMap(([file, text]) =>
      targetsOf(file, text)
        .filter(folderOf)
        .map((to) => `${moduleOf(file)} <-> ${moduleOf(to)}`),
    ),
  )
  return [...pairs].filter((pair) => {
    const [one = '', other = ''] = pair.split(' <-> ')
    return one < other && pairs.has(`${other} <-> ${one}`)
  })
}

/** Returns the folders, at any depth, with too few or too many files, each with its number of files. */
function wrongSizes(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const folder of paths.map((path) => posix.dirname(path))) {
    if (folder !== 'components/ui') counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count < MIN_FILES || count > MAX_FILES)
    .map(([folder, count]) => `${folder}: ${count}`)
}
