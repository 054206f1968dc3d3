import { describe, expect, test } from 'vitest'
import { importsOf, isTest, projectFiles, read, resolveImport, unmatched } from './scan.ts'

// A folder of lib is ground that every noun stands on, a program around them, or else a domain with its nouns: one that is
// new is inside these rules from its first file.
const GROUND = ['platform', 'vendors', 'identity/access']
const PROGRAMS = ['admin', 'demo', 'imports', 'server']

/** Which nouns a noun knows, types included; or a single file of one. Whoever is not named here knows no other noun. */
const STANDS_ON: Record<string, string[]> = {
  'account-mails': ['sessions/device.ts'],
  // All that leads from an asset to its changes: the look-up of an open one.
  assets: ['license-changes/open-change.ts'],
  'audit-events': ['sessions/device.ts'],
  'billed-products': ['explanations/lines.ts', 'invoices'],
  'billed-seats': ['license-changes'],
  'billing-profiles': ['invoices', 'parties'],
  causes: ['assets/rules.ts', 'billed-seats', 'invoices/serialize.ts', 'invoices/shapes.ts'],
  charges: ['invoices'],
  comparisons: ['billed-seats/changes.ts', 'causes', 'invoices'],
  directories: ['scim', 'single-sign-on/may-set.ts'],
  explanations: ['billed-seats/changes.ts', 'causes', 'invoices'],
  'invoice-files': ['invoices', 'issuers/bank-codes.ts', 'kept-files', 'parties', 'posting'],
  'idle-licenses': ['assets/commitment.ts', 'license-prices'],
  // What an invoice says of its charges; the rest stands on invoices.
  invoices: [
    'charges/reconciliation.ts',
    'charges/serialize.ts',
    'charges/sets.ts',
    'charges/shapes.ts',
    'kept-files',
    'posting',
  ],
  keys: ['members/holding.ts', 'scim/leaks.ts'],
  'license-changes': ['assets', 'vendor-readings', 'vendor-subscriptions'],
  'license-lists': ['assets'],
  'license-prices': ['assets/rules.ts', 'billed-seats/billed-period.ts', 'invoices/owned-and-selected.ts'],
  // A search over all of them.
  matches: ['assets', 'billing-profiles/store.ts', 'invoices'],
  members: ['billing-profiles/store.ts'],
  needs: [
    'assets/change-shapes.ts',
    'assets/rules.ts',
    'billed-seats',
    'idle-licenses',
    'invoices',
    'license-changes/rules.ts',
    'license-prices',
    'notices/weekly.ts',
  ],
  notices: ['invoices', 'needs'],
  'renewal-orders': ['assets', 'license-changes'],
  'operator-mail': ['license-changes'],
  originals: ['kept-files'],
  'renewal-feeds': ['renewals'],
  renewals: [
    'assets/change-shapes.ts',
    'assets/rules.ts',
    'invoices/serialize.ts',
    'invoices/shapes.ts',
    'license-prices',
  ],
  scim: ['billing-profiles/store.ts', 'members'],
  'second-factors': ['members'],
  'single-sign-on': ['billing-profiles/store.ts', 'members/holding.ts'],
  statements: ['billing-profiles', 'invoices'],
  // What a screen's address may ask for.
  views: [
    'assets/contract.ts',
    'audit-events/contract.ts',
    'invoices/contract.ts',
    'license-changes/contract.ts',
  ],
}

const files = projectFiles().filter((file) => /\.tsx?$/.test(file) && !isTest(file))
const nouns = [...new Set(files.flatMap((file) => nounOf(file) ?? []))]

describe('a noun knows no other noun', () => {
  test('but those on which it stands', () => {
    expect(nouns).toContain('notices')
    expect(files.flatMap((file) => strangers(file, read(file)))).toEqual([])
  })

  test.each([
    ['lib/licenses/assets/operations.ts', `import { send } from '#lib/notifications/notices/send.ts'`],
    ['lib/billing/invoices/store.ts', `import type { Notice } from '../../notifications/notices/rules.ts'`],
    ['lib/licenses/assets/store.ts', `import type { Invoice } from '../../billing/invoices/contract.ts'`],
    ['lib/billing/invoices/export.ts', `export { serializeAsset } from '../../licenses/assets/serialize.ts'`],
    [
      'lib/licenses/assets/operations.ts',
      `import { settleChange } from '#lib/licenses/license-changes/settle.ts'`,
    ],
    ['lib/billing/new-noun/rules.ts', `import { decideQuantity } from '#lib/licenses/assets/commitment.ts'`],
    ['lib/billing/statements/store.ts', `const { a } = await import('#lib/billing/new-noun/store.ts')`],
    [
      'lib/billing/statements/store.ts',
      `const load = () => import(/* lazily */ '#lib/billing/new-noun/store.ts')`,
    ],
    ['lib/billing/statements/store.ts', 'const load = () => import(`#lib/billing/new-noun/store.ts`)'],
  ])('and a breach in %s is found', (file, text) => {
    expect(strangers(file, text)).toHaveLength(1)
  })

  test('and each of those on which it stands is used', () => {
    const used = files.flatMap((file) => neighbours(file, read(file)))
    const unused = Object.entries(STANDS_ON).flatMap(([noun, known]) =>
      known
        .filter((name) => !used.some(({ from, to }) => from === noun && isNamed(name, to)))
        .map((name) => `${noun}: ${name}`),
    )
    expect(unused).toEqual([])
  })
})

test('each folder of the ground and of the programs is there, and one that has moved is found', () => {
  const folders = [...GROUND, ...PROGRAMS].map((folder) => new RegExp(`^lib/${folder}/`))
  expect(unmatched(folders, files)).toEqual([])
  const moved = files.map((file) => file.replace(/^lib\/admin\//, 'programs/admin/'))
  expect(unmatched(folders, moved)).toEqual([String(/^lib\/admin\//)])
})

describe('the ground knows no noun, and neither knows a program', () => {
  test('holds', () => {
    expect(files.flatMap((file) => climbing(file, read(file)))).toEqual([])
  })

  test.each([
    ['lib/platform/api/endpoint.ts', `import { listAssets } from '#lib/licenses/assets/operations.ts'`],
    ['lib/platform/api/problem.ts', `import type { Notice } from '#lib/notifications/notices/rules.ts'`],
    ['lib/platform/lists/filter.ts', `import '../../billing/invoices/rules.ts'`],
    ['lib/platform/files/csv.ts', `import { Invoice } from '#lib/billing/invoices/contract.ts'`],
    ['lib/platform/db/scope.ts', `import {\n  main,\n} from '#lib/admin/main.ts'`],
    ['lib/billing/statements/store.ts', `import { run } from '#lib/imports/run.ts'`],
    ['lib/billing/new-noun/store.ts', `import '#lib/server/jobs.ts'`],
    ['lib/platform/runtime/log.ts', `import '#lib/demo/load.ts'`],
  ])('and a breach in %s is found', (file, text) => {
    expect(climbing(file, text)).toHaveLength(1)
  })
})

/** The ground or the program that a file stands in, or else its noun, which is the folder of its domain. */
function folderOf(file: string): string | undefined {
  const [, domain = '', noun = ''] = /^lib\/([^/]+)\/(?:([^/]+)\/)?/.exec(file) ?? []
  return [domain, `${domain}/${noun}`].find((name) => [...GROUND, ...PROGRAMS].includes(name)) ?? noun
}

function nounOf(file: string): string | undefined {
  const folder = folderOf(file)
  return !folder || GROUND.includes(folder) || PROGRAMS.includes(folder) ? undefined : folder
}

/** What a file of a noun takes of other nouns. */
function neighbours(file: string, text: string): { from: string; to: string }[] {
  const from = nounOf(file)
  if (from === undefined) return []
  return targets(file, text)
    .filter((to) => nounOf(to) !== undefined && nounOf(to) !== from)
    .map((to) => ({ from, to }))
}

function strangers(file: string, text: string): string[] {
  return neighbours(file, text)
    .filter(({ from, to }) => !(STANDS_ON[from] ?? []).some((name) => isNamed(name, to)))
    .map(({ to }) => `${file} imports ${to}`)
}

function isNamed(name: string, file: string): boolean {
  return file.replace(/^lib\/[^/]+\//, '') === name || nounOf(file) === name
}

function climbing(file: string, text: string): string[] {
  const folder = folderOf(file)
  if (!file.startsWith('lib/') || PROGRAMS.includes(folder ?? '')) return []
  const isGround = GROUND.includes(folder ?? '')
  return targets(file, text)
    .filter((to) => PROGRAMS.includes(folderOf(to) ?? '') || (isGround && nounOf(to) !== undefined))
    .map((to) => `${file} imports ${to}`)
}

function targets(file: string, text: string): string[] {
  return importsOf(text).map(({ specifier }) => resolveImport(file, specifier))
}
