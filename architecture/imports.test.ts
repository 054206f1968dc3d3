import { describe, expect, test } from 'vitest'
import { importsOf, projectFiles, read, resolveImport } from './scan.ts'

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
    what: 'assets do not know invoices',
    from: /^lib\/assets\//,
    never: /^lib\/(invoices|statements)\//,
    orTypes: true,
    planted: ['lib/assets/store.ts', `import type { Invoice } from '../invoices/contract.ts'`],
  },
  {
    what: 'invoices do not know assets',
    from: /^lib\/(invoices|statements)\//,
    never: /^lib\/assets\//,
    orTypes: true,
    planted: ['lib/invoices/store.ts', `export { serializeAsset } from '../assets/serialize.ts'`],
  },
  {
    what: 'rules import rules',
    from: /^lib\/[^/]+\/rules\.ts$/,
    never: /^(?!lib\/[^/]+\/rules\.ts$)/,
    orTypes: true,
    planted: ['lib/assets/rules.ts', `import type { Asset } from './contract.ts'`],
  },
  {
    what: 'lib knows neither routes nor components',
    from: /^lib\//,
    never: /^(app|components)\//,
    orTypes: true,
    planted: ['lib/api/problem.ts', `import '../../components/ui/button.tsx'`],
  },
  {
    what: 'nouns and the API do not know the programs around them',
    from: /^lib\/(access|api|assets|invoices|notices|statements|vendors|db)\//,
    never: /^(lib\/(admin|demo|imports|server)|scripts|e2e)\//,
    orTypes: true,
    planted: ['lib/db/scope.ts', `import {\n  main,\n} from '#lib/admin/main.ts'`],
  },
  {
    what: 'scope is the one door to the data',
    from: /^lib\/(?!(access|admin|db|demo|imports|server)\/)[^/]+\//,
    never: /^(pg|drizzle-orm\/node-postgres|lib\/db\/(?!(scope|schema)\.ts$).*)$/,
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
    never: /^lib\/access\/operator\.ts$/,
    orTypes: true,
    planted: ['lib/access/authenticate.ts', `import { operatorFor } from './operator.ts'`],
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
  // It throws under plain Node and stops a browser bundle. lib/db, lib/server, lib/admin, lib/imports and
  // lib/demo are programs or under them, and kept from the browser by the zones.
  const guarded =
    /^lib\/([^/]+\/(store|store\/[^/]+|operations|import)|access\/(authenticate|operator|session|sign-in|password)|invoices\/file|vendors\/[^/]+)\.ts$/

  test('is the first import of everything that must not reach a browser', () => {
    const found = code.filter((file) => guarded.test(file))
    expect(found).toContain('lib/assets/store.ts')
    expect(found.filter((file) => !startsServerOnly(read(file)))).toEqual([])
  })
  test.each([
    [`import { a } from './a.ts'\nimport 'server-only'`, false],
    ['export const a = 1', false],
    [`// first\nimport 'server-only'`, true],
  ])('is looked for in %j', (text, first) => {
    expect(startsServerOnly(text)).toBe(first)
  })
})

function breaches({ from, never, orTypes }: Zone, file: string, text: string): string[] {
  if (!from.test(file)) return []
  const values = importsOf(text).filter(({ isType }) => orTypes || !isType)
  const targets = values.map(({ specifier }) => resolveImport(file, specifier))
  return targets.filter((target) => never.test(target)).map((target) => `${file} imports ${target}`)
}

function startsServerOnly(text: string): boolean {
  return importsOf(text)[0]?.specifier === 'server-only'
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
