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
/** Possible targets of an import. */
const targets = [
  ...files,
  ...packageNames(),
  ...[...imports.values()].flat().map(({ specifier }) => specifier),
]

type Zone = {
  rule: string
  /** Files that the rule applies to; without it, all files. */
  from?: RegExp[]
  /** Files of `from` that are exempt. */
  but?: RegExp[]
  /** Targets that are forbidden; without it, all that are not in `only`. */
  never?: RegExp[]
  /** Targets that are allowed nevertheless. */
  only?: RegExp[]
  /** Types vanish in the build, so only some zones forbid them, too. */
  orTypes?: boolean
  /** A breach that the rule has to find. */
  planted: [file: string, text: string]
}

const RULES = [/^lib\/.+\/([a-z-]+-rule|rules)\.ts$/]
const VALUES = /^lib\/platform\/values\//

// Rules that Biome can't express, because it sees a specifier and not its file, or not that an import is a type.
const ZONES: Zone[] = [
  {
    rule: 'rules import rules and values',
    from: RULES,
    only: [...RULES, VALUES],
    orTypes: true,
    planted: ['lib/licenses/assets/rules.ts', `import type { Asset } from './contract.ts'`],
  },
  {
    rule: 'values import values',
    from: [VALUES],
    only: [/^(big\.js|ibantools|uqr)$/, VALUES],
    orTypes: true,
    planted: ['lib/platform/values/days.ts', `import type { Order } from '../lists/order.ts'`],
  },
  {
    rule: 'lib knows neither routes nor components',
    from: [/^lib\//],
    never: [/^app\//, /^components\//],
    orTypes: true,
    planted: ['lib/platform/api/problem.ts', `import '../../../components/ui/button.tsx'`],
  },
  {
    rule: 'scope is the only way to the data',
    from: [/^lib\//],
    but: [
      'platform/(caller|db|outbox|runtime)',
      'vendors/(breaker|budgets)',
      'identity/access',
      'licenses/vendor-passes',
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
      /^lib\/platform\/db\/prepared-queries\.ts$/,
      // Contains settings of a process's memory, and no rows.
      /^lib\/platform\/db\/schema\//,
    ],
    planted: ['lib/billing/invoices/store.ts', `import { database } from '#lib/platform/db/client.ts'`],
  },
  {
    rule: 'pages and components reach no database by any path',
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
    rule: 'only the command line acts as the operator',
    but: [/^lib\/admin\//],
    never: [/^lib\/admin\/licenses\/operator\.ts$/],
    orTypes: true,
    planted: [
      'lib/platform/caller/authenticate.ts',
      `import { operatorFor } from '#lib/admin/licenses/operator.ts'`,
    ],
  },
  {
    rule: 'the app imports no test',
    from: [/^app\//, /^components\//, /^lib\//],
    never: [/\.test\.tsx?$/, /\/test-[^/]*$/, /^test\//, /^vitest$/, /^@playwright\//],
    orTypes: true,
    planted: ['lib/platform/db/migrate.ts', `import { clone } from './test-database.ts'`],
  },
]

describe.each(ZONES)('$rule', (zone) => {
  test('holds', () => {
    expect([...imports].flatMap(([file, its]) => violations(zone, file, its))).toEqual([])
  })
  test('a planted breach is found', () => {
    const [file, text] = zone.planted
    expect(violations(zone, file, importsOf(text))).toHaveLength(1)
  })
  test('all of its patterns match a file', () => {
    expect(absent(zone, code, targets)).toEqual([])
  })
  test('a pattern without its files is found', () => {
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
  // server-only throws under plain Node and stops a browser bundle. The programs above the modules, and the files below
  // lib/platform/db, are kept out of the browser by the zones above.
  const OPERATIONS = /^lib\/[^/]+\/[^/]+\/operations\.ts$/
  const guarded = /^lib\/(?!(admin|demo|imports|server|platform\/(db|runtime|values))\/)/
  const server = /^(node:|pg$|drizzle-orm|lib\/platform\/(db\/|runtime\/(env|log)\.ts$))/

  test('is the first import of each file that uses server-side modules', () => {
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
  ])('is recognized in %j', (text, first) => {
    expect(startsServerOnly(text)).toBe(first)
  })

  test.each([
    [`import { createHash } from 'node:crypto'`, true],
    [`import { assets } from '#lib/platform/db/schema/assets.ts'`, true],
    [`import { env } from '../../platform/runtime/env.ts'`, true],
    [`import type { Transaction } from '#lib/platform/db/client.ts'`, false],
    [`import { decideQuantity } from './rules.ts'`, false],
  ])('is required for %j', (text, expected) => {
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

/** Returns the patterns of a zone that match no file: a rule for them restricts nothing. */
function absent({ from = [], but = [], never = [], only = [] }: Zone, sources: string[], ends: string[]) {
  return [...unmatched([...from, ...but], sources), ...unmatched([...never, ...only], ends)]
}

function startsServerOnly(text: string): boolean {
  return importsOf(text)[0]?.specifier === 'server-only'
}
