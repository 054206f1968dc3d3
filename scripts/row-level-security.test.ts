import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { isDistributed } from '#lib/platform/db/test-servers/test-server.ts'
import { DOC_PATH, describeRights } from './row-level-security.ts'

// A distributed database has no partitions, and additional tables.
const here = test.skipIf(isDistributed)

let database: TestDatabase
let owner: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

/** Returns the sections that a statement adds to the page or changes; the statement is rolled back. */
async function changedBy(query: string): Promise<string[]> {
  const sections = async () => (await describeRights(owner)).split(/^(?=##)/m)
  const before = await sections()
  await owner.query('BEGIN')
  try {
    await owner.query(query)
    return (await sections()).filter((section) => !before.includes(section))
  } finally {
    await owner.query('ROLLBACK')
  }
}

here('the committed page is the one that the migrated database gives', async () => {
  expect(await describeRights(owner), 'run `npm run row-level-security`').toBe(
    await readFile(DOC_PATH, 'utf8'),
  )
})

here.each([
  ['the condition of a policy', 'ALTER POLICY own ON assets USING (true)', '`own` | ALL |'],
  ['the check of a policy', 'ALTER POLICY own ON assets WITH CHECK (false)', '| `false` |'],
  ['the roles of a policy', 'ALTER POLICY own ON assets TO console_app', '`own` | ALL | `console_app` |'],
  [
    'a new restrictive policy',
    'CREATE POLICY planted ON assets AS RESTRICTIVE FOR DELETE USING (true)',
    '`planted` (restrictive) | DELETE | `PUBLIC` |',
  ],
  ['a wall that is not forced', 'ALTER TABLE assets NO FORCE ROW LEVEL SECURITY', 'on, not forced'],
  ['a grant on a table', 'GRANT DELETE ON assets TO console_jobs', '`console_jobs` | DELETE, SELECT ('],
  ['a grant on a column', 'GRANT UPDATE (id) ON assets TO console_jobs', 'UPDATE (id)'],
  ['a new table', 'CREATE TABLE planted (id text)', '### `planted`'],
  [
    'the rights of a function',
    'REVOKE EXECUTE ON FUNCTION make_months(timestamptz) FROM console_jobs',
    'only its owner',
  ],
])('the page changes with %s', async (_, query, expected) => {
  expect((await changedBy(query)).join('\n')).toContain(expected)
})

here('the page shows partitions of other months alike', async () => {
  expect(await changedBy("SELECT make_months(now() + interval '9 months')")).toEqual([])
})
