import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { startJobs } from './jobs.ts'
import { listJobRuns } from './service-stats.ts'

const seen = vi.hoisted(() => ({ runs: 0, now: 0, most: 0, gate: Promise.withResolvers<void>() }))

vi.mock('#lib/licenses/license-changes/jobs.ts', () => ({
  reconcileOpenChanges: async () => 0,
  readVendors: async () => {
    seen.runs += 1
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    await seen.gate.promise.finally(() => {
      seen.now -= 1
    })
    return 0
  },
}))

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

function newBoss(): PgBoss {
  const boss = new PgBoss({ ...loginOf(database.url, 'console_jobs'), schema: 'pgboss', createSchema: false })
  // A connection that is still ending when the database is dropped, 57P01.
  boss.on('error', () => {})
  return boss
}

test('a job requested by several processes runs in one of them, and never concurrently', async () => {
  // Each process works on the queue, and has its own clock for due jobs.
  const processes = await Promise.all([1, 2, 3].map(() => startJobs(database.url)))
  const asker = newBoss()
  await asker.start()
  const states = async () => {
    const { rows } = await database.opened.jobs.query(
      "SELECT state FROM pgboss.job WHERE name = 'read-vendors' ORDER BY created_on",
    )
    return rows.map(({ state }) => state)
  }
  try {
    const jobIds = await Promise.all([1, 2, 3, 4].map(() => asker.send('read-vendors')))
    // Zero runs are possible where a clock was faster.
    expect(jobIds.filter((id) => id !== null).length).toBeLessThanOrEqual(1)
    await expect.poll(() => seen.now).toBe(1)
    expect(await asker.send('read-vendors')).toBeNull()
    expect(await states()).toEqual(['active'])
    seen.gate.resolve()
    await expect.poll(states).toContain('completed')
    // The job may be due again after its run.
    await asker.send('read-vendors')
    const done = async () => (await states()).filter((state) => state === 'completed').length
    await expect.poll(done).toBeGreaterThanOrEqual(2)
    expect(seen.most).toBe(1)
    // A clock may have requested another run in the meantime.
    expect(seen.runs).toBe((await states()).filter((state) => state !== 'created').length)
  } finally {
    seen.gate.resolve()
    await asker.stop()
    await Promise.all(processes.map((jobs) => jobs.stop()))
  }
})

test('the stats show why a job failed, instead of the number of its failed parts', async () => {
  const jobs = await startJobs(database.url)
  const boss = newBoss()
  seen.gate = Promise.withResolvers()
  seen.gate.reject(
    new AggregateError([new Error('Google (default) could not be read: no token')], '1 of 2 failed.'),
  )
  seen.gate.promise.catch(() => {})
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
