import { describe, expect, test } from 'vitest'
import { projectFiles, read } from './architecture-scan.ts'

// ARCHITECTURE: who knows one noun knows them all.
const VOCABULARY = ['contract', 'rules', 'store', 'serialize', 'operations', 'queries']
const CAPABILITIES: Record<string, string[]> = {
  access: [
    'api-key',
    'audit',
    'authenticate',
    'billing-profiles',
    'credentials',
    'directory',
    'due-work',
    'notice-link',
    'operator',
    'password',
    'session',
    'sign-in',
    'throttle',
  ],
  assets: [
    'bulk',
    'change-list',
    'conclude',
    'differences',
    'export',
    'dry-run',
    'full-asset',
    'hazards',
    'import',
    'import-rows',
    'keep-up',
    'license-change',
    'observation',
    'open-change',
    'outcome',
    'provision',
    'quantity',
    'quantity-answer',
    'quantity-request',
    'quantity-shapes',
    'seat-facts',
    'seat-history',
    'seats',
    'settle',
    'settle-on-read',
    'shapes',
    'target-rows',
    'targets',
  ],
  invoices: [
    'amounts',
    'before',
    'billed-period',
    'compared',
    'comparison',
    'comparison-csv',
    'differences',
    'export',
    'file',
    'file-parties',
    'file-payment',
    'files',
    'import',
    'import-rows',
    'issuers',
    'itemization',
    'line-keys',
    'line-match',
    'lines',
    'order',
    'recipient',
    'seat-verdict',
    'selection',
    'shapes',
    'summary',
    'words',
  ],
  notices: ['digest', 'mailer', 'message', 'outbox', 'recipients', 'send', 'unsubscribe'],
  statements: ['export'],
}
const NO_FOLDERS = ['src', 'utils', 'helpers', 'hooks', 'types', 'services', 'common']
const MAX_LINES = 150
/** A test file is a table of cases: long, and read case by case. */
const MAX_TEST_LINES = 350
/** Longer files, each with its reason. */
const LONG: Record<string, string> = {
  'lib/db/schema.ts': 'the whole data model, which is read and migrated as one',
}
/** Security fixes that we rely on came with these. */
const FLOORS = { next: '16.2.11', react: '19.2.6', 'react-dom': '19.2.6', 'next-auth': '4.24.15' }

const files = projectFiles()
const code = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && file !== 'next-env.d.ts')

describe('the house', () => {
  test.each(Object.keys(CAPABILITIES))('lib/%s holds the closed list of names', (noun) => {
    const names = files
      .filter((file) => file.startsWith(`lib/${noun}/`))
      .map((file) => file.split('/').slice(2))
    expect(names.length).toBeGreaterThan(0)
    const known = [...VOCABULARY, ...(CAPABILITIES[noun] ?? [])]
    expect(names.map((name) => name.join('/')).filter((name) => !isKnown(name, known))).toEqual([])
    expect(isKnown('helpers.ts', known)).toBe(false)
  })

  test('has no folder without a noun, no barrel and no proxy', () => {
    const folders = code.flatMap((file) => file.split('/').slice(0, -1))
    expect(folders.filter((folder) => NO_FOLDERS.includes(folder))).toEqual([])
    expect(code.filter((file) => /(^|\/)index\.tsx?$/.test(file))).toEqual([])
    // Each page and each operation checks its own caller: a second gate would be a second truth.
    expect(code.filter((file) => /^(proxy|middleware)\.ts$/.test(file))).toEqual([])
  })

  test(`has files of ${MAX_LINES} lines at most`, () => {
    const long = code.filter(
      (file) => lines(file) > (/\.(test|spec)\.ts$/.test(file) ? MAX_TEST_LINES : MAX_LINES),
    )
    expect(
      long.map((file) => `${file}: ${lines(file)}`).filter((line) => !LONG[line.split(':')[0] ?? '']),
    ).toEqual([])
    expect(Object.keys(LONG).filter((file) => !long.includes(file))).toEqual([])
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
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

function isKnown(name: string, known: string[]): boolean {
  return known.includes(name.replace(/(\.test)?\.ts$/, ''))
}

function lines(file: string): number {
  return read(file).trimEnd().split('\n').length
}

function isAtLeast(version: string, floor: string): boolean {
  const [have, need] = [version, floor].map((text) => text.split('-')[0]?.split('.').map(Number) ?? [])
  const index = need?.findIndex((part, at) => part !== have?.[at]) ?? 0
  return index === -1 || (have?.[index] ?? 0) > (need?.[index] ?? 0)
}
