import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { startJobs } from './jobs.ts'
import { listJobRuns } from './service-stats.ts'

vi.mock('#lib/licenses/license-changes/jobs.ts', () => ({
  reconcileOpenChanges: async () => 0,
  readVendors: async () => {
    throw new AggregateError([new Error('Google (default) could not be read: no token')], '1 of 2 failed.')
  },
}))

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

test('the stats show why a job failed, instead of the number of its failed parts', async () => {
  const jobs = await startJobs(database.url)
  const boss = new PgBoss({
    ...loginOf(database.url, 'console_jobs'),
    schema: 'pgboss',
    createSchema: false,
  })
  try {
    await boss.start()
    await boss.send('read-vendors')
    await vi.waitFor(
      async () => {
        const run = (await listJobRuns()).find(({ job }) => job === 'read-vendors')
        expect(run?.reason).toBe('Google (default) could not be read: no token')
      },
      { timeout: 20_000, interval: 200 },
    )
  } finally {
    await boss.stop()
    await jobs.stop()
  }
})
