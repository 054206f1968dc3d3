import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { measurePaths, type RequestPaths, rowsIn, rowsOf } from '../../scripts/request-paths.ts'
import { read } from './scan.ts'

type Limit = { request: keyof RequestPaths; limit: number; reason: string }

/** A limit rises only in the commit that adds a capability, with its name in the reason. */
const LIMITS: readonly Limit[] = [
  {
    request: 'PATCH of our own books',
    limit: 28,
    reason:
      'caller, limits, input, one transaction with checks, change, seats, history and the event of webhooks',
  },
  {
    request: 'PATCH at a vendor',
    limit: 44,
    reason:
      'besides, the vendor port, breaker and budgets, its client, read and write, and three transactions',
  },
  {
    request: 'list of invoices',
    limit: 24,
    reason: 'caller, limits, input, one read of a page by key, page tokens and replica',
  },
  { request: 'validate', limit: 16, reason: 'caller, limits and answer, without a transaction' },
]

let database: TestDatabase
let paths: RequestPaths

beforeAll(async () => {
  database = await testDatabase()
  paths = await measurePaths(database.url)
})
afterAll(() => database.close())

describe('the files that a request executes', () => {
  test.each(LIMITS)('are at most $limit for $request: $reason', ({ request, limit }) => {
    expect(paths[request].length).toBeGreaterThan(0)
    expect(excess(paths[request], limit)).toBe('')
  })

  test('include a planted file, which exceeds the limit', () => {
    const planted = 'lib/platform/values/days.ts'
    expect(paths.planted.filter((file) => !paths.validate.includes(file))).toEqual([planted])
    expect(excess(paths.planted, paths.validate.length)).toContain(planted)
  })

  test('match the table of a PATCH in docs/develop/architecture.md', () => {
    const page = read('docs/develop/architecture.md')
    expect(rowsIn(page).sort(), 'run `npm run request-paths`').toEqual(rowsOf(page, paths).sort())
  })

  test('are compared with the page, which lacks one file more', () => {
    const page = read('docs/develop/architecture.md')
    const more = { ...paths, 'PATCH at a vendor': [...paths['PATCH at a vendor'], 'lib/planted.ts'] }
    const missing = rowsOf(page, more).filter((row) => !rowsIn(page).includes(row))
    expect(missing).toContain('| `lib/planted.ts` | a vendor | |')
  })
})

/** Returns an error that lists all files of a path with more files than its limit. */
function excess(files: readonly string[], limit: number): string {
  return files.length > limit ? `${files.length} files instead of ${limit}:\n${files.join('\n')}` : ''
}
