import { describe, expect, test } from 'vitest'
import {
  type Import,
  importsOf,
  isTest,
  packageNames,
  projectFiles,
  read,
  resolveImport,
  unmatched,
} from './scan.ts'

const files = projectFiles()
const code = files.filter((file) => /\.tsx?$/.test(file) && !isTest(file))
const imports = new Map(code.map((file) => [file, importsOf(read(file))]))
/** What an import can lead to. */
const targets = [
  ...files,
  ...packageNames(),
  ...[...imports.values()].flat().map(({ specifier }) => specifier),
]

type Zone = {
  what: string
  /** Files that are held to the rule; nothing is all of them. */
  from?: RegExp[]
  /** Files of `from` that are not. */
  but?: RegExp[]
  /** What is refused; nothing is whatever is not in `only`. */
  never?: RegExp[]
  /** What is allowed all the same. */
  only?: RegExp[]
  /** Types vanish at build, so only some zones forbid them too. */
  orTypes?: boolean
  /** A breach, to prove that it is found. */
  planted: [file: string, text: string]
}

const RULES = [/^lib\/.+\/rules\.ts$/]
const VALUES = /^lib\/platform\/values\//

// What Biome can't say, because it sees a specifier and not the file behind it, or not that it is a type.
const ZONES: Zone[] = [
  {
    what: 'rules import rules and values',
    from: RULES,
    only: [...RULES, VALUES],
    orTypes: true,
    planted: ['lib/licenses/assets/rules.ts', `import type { Asset } from './contract.ts'`],
  },
  {
    what: 'values import values',
    from: [VALUES],
    only: [/^big\.js$/, VALUES],
    orTypes: true,
    planted: ['lib/platform/values/days.ts', `import type { Order } from '../lists/order.ts'`],
  },
  {
    what: 'lib knows neither routes nor components',
    from: [/^lib\//],
    never: [/^app\//, /^components\//],
    orTypes: true,
    planted: ['lib/platform/api/problem.ts', `import '../../../components/ui/button.tsx'`],
  },
  {
    what: 'scope is the one door to the data',
    from: [/^lib\//],
    but: [
      'platform/(caller|db|mail|runtime)',
      'vendors/(breaker|budgets)',
      'identity/access',
      'licenses/vendor-readings',
      'costs/renewal-feeds/secrets',
      'imports',
      'server',
      'admin',
      'demo',
    ].map((name) => new RegExp(`^lib/${name}[/.]`)),
    never: [/^pg$/, /^drizzle-orm\/node-postgres$/, /^lib\/platform\/db\//],
    only: [
      /^lib\/platform\/db\/backfill\.ts$/,
      /^lib\/platform\/db\/scope\.ts$/,
      /^lib\/platform\/db\/statements\.ts$/,
      // Holds memory of a process, and no rows.
      /^lib\/platform\/db\/per-database\.ts$/,
      /^lib\/platform\/db\/schema\//,
    ],
    planted: ['lib/billing/invoices/store.ts', `import { database } from '#lib/platform/db/client.ts'`],
  },
  {
    what: 'pages and components reach no database by any path',
    from: [/^app\//, /^components\//],
    never: [
      /^pg$/,
      /^drizzle-orm(\/.*)?$/,
      /^lib\/platform\/db\//,
      /^lib\/.+\/store\.ts$/,
      /^lib\/.+\/store\//,
    ],
    orTypes: true,
    planted: [
      'app/(console)/assets/page.tsx',
      `const { a } = await import('../../../lib/licenses/assets/store.ts')`,
    ],
  },
  {
    what: 'nobody but the command line acts as the operator',
    but: [/^lib\/admin\//],
    never: [/^lib\/admin\/licenses\/operator\.ts$/],
    orTypes: true,
    planted: [
      'lib/platform/caller/authenticate.ts',
      `import { operatorFor } from '#lib/admin/licenses/operator.ts'`,
    ],
  },
  {
    what: 'the app imports no test',
    from: [/^app\//, /^components\//, /^lib\//],
    never: [/\.test\.tsx?$/, /\/test-[^/]*$/, /^test\//, /^vitest$/, /^@playwright\//],
    orTypes: true,
    planted: ['lib/platform/db/migrate.ts', `import { clone } from './test-database.ts'`],
  },
]

describe.each(ZONES)('$what', (zone) => {
  test('holds', () => {
    expect([...imports].flatMap(([file, its]) => violations(zone, file, its))).toEqual([])
  })
  test('and a planted breach is found', () => {
    const [file, text] = zone.planted
    expect(violations(zone, file, importsOf(text))).toHaveLength(1)
  })
  test('and whatever it names is there', () => {
    expect(absent(zone, code, targets)).toEqual([])
  })
  test('and a move that it would miss is found', () => {
    const { from = [], but = [], never = [], only = [] } = zone
    const named = [...from, ...but, ...never, ...only]
    for (const pattern of named) {
      const rest = (paths: readonly string[]) => paths.filter((path) => !pattern.test(path))
      expect(absent(zone, rest(code), rest(targets))).toContain(String(pattern))
    }
  })
})

test('only the folders of callers and sign-in mint a CustomerId', () => {
  const minting = /\bas\s+(unknown\s+as\s+)?CustomerId\b|<CustomerId>\s*\(/
  expect(minting.test('return id as CustomerId')).toBe(true)
  const minters = code.filter((file) => minting.test(read(file)))
  const MINTS = [/^lib\/platform\/caller\//, /^lib\/identity\/access\//]
  expect(minters.filter((file) => !MINTS.some((folder) => folder.test(file)))).toEqual([])
  expect(unmatched(MINTS, minters)).toEqual([])
})

describe('server-only', () => {
  // It throws under plain Node and stops a browser bundle. The programs around the nouns, and what lies under
  // lib/platform/db, are kept from the browser by the zones above.
  const OPERATIONS = /^lib\/[^/]+\/[^/]+\/operations\.ts$/
  const guarded = /^lib\/(?!(admin|demo|imports|server|platform\/(db|runtime|values))\/)/
  const server = /^(node:|pg$|drizzle-orm|lib\/platform\/(db\/|runtime\/(env|log)\.ts$))/

  test('is the first import of each file that takes what a browser has not', () => {
    const unguarded = code.filter((file) => guarded.test(file) && hasValueImport(file, read(file), server))
    expect(unguarded).toContain('lib/licenses/assets/store.ts')
    expect(code).toEqual(
      expect.arrayContaining([
        'lib/platform/runtime/env.ts',
        'lib/platform/runtime/log.ts',
        'lib/platform/db/scope.ts',
      ]),
    )
    expect(unguarded.filter((file) => !startsServerOnly(read(file)))).toEqual([])
  })

  test('is the first import of every operation', () => {
    const operations = code.filter((file) => OPERATIONS.test(file))
    expect(unmatched([OPERATIONS], code)).toEqual([])
    expect(files.filter((file) => file.endsWith('/operations.ts'))).toEqual(operations)
    expect(operations.filter((file) => !startsServerOnly(read(file)))).toEqual([])
  })

  test.each([
    [`import { a } from './a.ts'\nimport 'server-only'`, false],
    ['export const a = 1', false],
    [`// first\nimport 'server-only'`, true],
  ])('is looked for in %j', (text, first) => {
    expect(startsServerOnly(text)).toBe(first)
  })

  test.each([
    [`import { createHash } from 'node:crypto'`, true],
    [`import { assets } from '#lib/platform/db/schema/assets.ts'`, true],
    [`import { env } from '../../platform/runtime/env.ts'`, true],
    [`import type { Transaction } from '#lib/platform/db/client.ts'`, false],
    [`import { decideQuantity } from './rules.ts'`, false],
  ])('is asked for by %j', (text, expected) => {
    expect(hasValueImport('lib/billing/new-noun/store.ts', text, server)).toBe(expected)
  })
})

function hasValueImport(file: string, text: string, what: RegExp): boolean {
  return importsOf(text).some(({ specifier, isType }) => !isType && what.test(resolveImport(file, specifier)))
}

function violations(zone: Zone, file: string, its: readonly Import[]): string[] {
  const { from, but = [], orTypes } = zone
  const applies = from === undefined || from.some((pattern) => pattern.test(file))
  if (!applies || but.some((pattern) => pattern.test(file))) return []
  return its
    .filter(({ isType }) => orTypes || !isType)
    .map(({ specifier }) => resolveImport(file, specifier))
    .filter((target) => isForbidden(zone, target))
    .map((target) => `${file} imports ${target}`)
}

function isForbidden({ never, only = [] }: Zone, target: string): boolean {
  const isNamed = never === undefined || never.some((pattern) => pattern.test(target))
  return isNamed && !only.some((pattern) => pattern.test(target))
}

/** What a zone names that is not there: a rule for it holds nobody back. */
function absent({ from = [], but = [], never = [], only = [] }: Zone, sources: string[], ends: string[]) {
  return [...unmatched([...from, ...but], sources), ...unmatched([...never, ...only], ends)]
}

function startsServerOnly(text: string): boolean {
  return importsOf(text)[0]?.specifier === 'server-only'
}
