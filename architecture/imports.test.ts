import { describe, expect, test } from 'vitest'
import { importsOf, isTest, projectFiles, read, resolveImport } from './scan.ts'

const code = projectFiles().filter((file) => /\.tsx?$/.test(file) && !isTest(file))

type Zone = {
  what: string
  from: RegExp
  never: RegExp
  /** Types vanish at build, so only some zones forbid them too. */
  orTypes?: boolean
  /** A breach, to prove that it is found. */
  planted: [file: string, text: string]
}

// What Biome can't say, because it sees a specifier and not the file behind it, or not that it is a type.
const ZONES: Zone[] = [
  {
    what: 'rules import rules, countries, days, decimals and money',
    from: /^lib\/([^/]+\/rules|assets\/commitment|license-changes\/checks)\.ts$/,
    never: /^(?!lib\/([^/]+\/rules|assets\/commitment|countries|days|decimals|money)\.ts$)/,
    orTypes: true,
    planted: ['lib/assets/rules.ts', `import type { Asset } from './contract.ts'`],
  },
  {
    what: 'countries, days, decimals, money and currencies know nothing of us',
    from: /^lib\/(countries|days|decimals|money|currencies)\.ts$/,
    never: /^(?!(big\.js|lib\/money\.ts)$)/,
    orTypes: true,
    planted: ['lib/days.ts', `import type { Order } from './lists/order.ts'`],
  },
  {
    what: 'lib knows neither routes nor components',
    from: /^lib\//,
    never: /^(app|components)\//,
    orTypes: true,
    planted: ['lib/api/problem.ts', `import '../../components/ui/button.tsx'`],
  },
  {
    what: 'scope is the one door to the data',
    from: /^lib\/(?!(access|admin|db|demo|imports|server)\/)[^/]+\//,
    never: /^(pg|drizzle-orm\/node-postgres|lib\/db\/(?!(backfill|last-words|scope|built)\.ts$|schema\/).*)$/,
    planted: ['lib/invoices/store.ts', `import { database } from '#lib/db/client.ts'`],
  },
  {
    what: 'pages and components reach no database by any path',
    from: /^(app|components)\//,
    never: /^(pg|drizzle-orm.*|lib\/db\/.*|lib\/[^/]+\/store(\.ts|\/.*))$/,
    orTypes: true,
    planted: ['app/(console)/assets/page.tsx', `const { a } = await import('../../../lib/assets/store.ts')`],
  },
  {
    what: 'nobody but the command line acts as the operator',
    from: /^(?!lib\/admin\/)/,
    never: /^lib\/admin\/licenses\/operator\.ts$/,
    orTypes: true,
    planted: ['lib/access/authenticate.ts', `import { operatorFor } from '#lib/admin/licenses/operator.ts'`],
  },
  {
    what: 'the app imports no test',
    from: /^(app|components|lib)\/(?!.*(\/test-|scan))/,
    never: /(\.test\.tsx?$|\/test-[^/]*$|^vitest$|^@playwright\/)/,
    orTypes: true,
    planted: ['lib/db/migrate.ts', `import { clone } from './test-database.ts'`],
  },
]

describe.each(ZONES)('$what', (zone) => {
  test('holds', () => {
    expect(code.flatMap((file) => breaches(zone, file, read(file)))).toEqual([])
  })
  test('and a planted breach is found', () => {
    expect(breaches(zone, ...zone.planted)).toHaveLength(1)
  })
})

test('only lib/access mints a CustomerId', () => {
  const minting = /\bas\s+(unknown\s+as\s+)?CustomerId\b|<CustomerId>\s*\(/
  expect(minting.test('return id as CustomerId')).toBe(true)
  expect(code.filter((file) => minting.test(read(file)) && !file.startsWith('lib/access/'))).toEqual([])
})

describe('server-only', () => {
  // It throws under plain Node and stops a browser bundle. The programs around the nouns, and what lies under
  // lib/db, are kept from the browser by the zones above.
  const guarded = /^lib\/(?!(admin|db|demo|imports|server)\/)[^/]+\//
  const server = /^(node:|pg$|drizzle-orm|lib\/db\/|lib\/(env|log)\.ts$)/

  test('is the first import of each file that takes what a browser has not', () => {
    const found = code.filter((file) => guarded.test(file) && takes(file, read(file), server))
    expect(found).toContain('lib/assets/store.ts')
    expect(found.filter((file) => !startsServerOnly(read(file)))).toEqual([])
  })

  test('is the first import of every operation', () => {
    const operations = code.filter((file) => /^lib\/[^/]+\/operations\.ts$/.test(file))
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
    [`import { assets } from '#lib/db/schema/assets.ts'`, true],
    [`import { env } from '../env.ts'`, true],
    [`import type { Transaction } from '#lib/db/client.ts'`, false],
    [`import { decideQuantity } from './rules.ts'`, false],
  ])('is asked for by %j', (text, asked) => {
    expect(takes('lib/new-noun/store.ts', text, server)).toBe(asked)
  })
})

function takes(file: string, text: string, what: RegExp): boolean {
  return importsOf(text).some(({ specifier, isType }) => !isType && what.test(resolveImport(file, specifier)))
}

function breaches({ from, never, orTypes }: Zone, file: string, text: string): string[] {
  if (!from.test(file)) return []
  const values = importsOf(text).filter(({ isType }) => orTypes || !isType)
  const targets = values.map(({ specifier }) => resolveImport(file, specifier))
  return targets.filter((target) => never.test(target)).map((target) => `${file} imports ${target}`)
}

function startsServerOnly(text: string): boolean {
  return importsOf(text)[0]?.specifier === 'server-only'
}
