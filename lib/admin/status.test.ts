import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { startJobs } from '#lib/server/jobs.ts'
import type { ServiceStats } from '#lib/server/service-stats.ts'
import { google } from '../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../test/fuzz/stage.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-status-'))
let vendor: TestVendor
const { admin } = commandLine(() => vendor.database.url, folder)
beforeAll(async () => {
  vendor = await testVendor(google, { assets: 4, times: { GOOGLE_SETTLE_SECONDS: '2' } })
})
afterAll(async () => {
  await vendor.close()
  rmSync(folder, { recursive: true })
})

async function readStats(): Promise<
  ServiceStats & { accountOf: (name: string) => ServiceStats['accounts'][number] | undefined }
> {
  const read: ServiceStats = JSON.parse((await admin('status --json')).out)
  return { ...read, accountOf: (name) => read.accounts.find((one) => one.vendor === name) }
}

test('The status counts nothing without waiting work, and no runs before a web process started', async () => {
  const { out } = await admin('status')
  expect(out).toContain('Changes   0 open; 0 unclear\n')
  expect(out).toContain('none: no web process has run on this database')
  const { accountOf, jobs, outbox } = await readStats()
  expect([accountOf('google-workspace'), accountOf('microsoft-partner-center')]).toMatchObject([
    {
      isSetUp: true,
      subscriptions: 4,
      neverRead: 4,
      oldestReading: null,
      open: 0,
      unclear: 0,
      oldestOpenSeconds: null,
    },
    { isSetUp: false, subscriptions: 0 },
  ])
  expect([jobs, outbox]).toEqual([[], []])
})

test('The status lists the migrations of this release', async () => {
  const all = listMigrations()
  const newest = all.at(-1)?.name
  expect((await readStats()).database).toEqual({ migrations: all.length, newest })
  expect((await admin('status')).out).toContain(`Database  ${all.length} migrations, the newest ${newest}\n`)
})

describe('changes that wait', () => {
  test('are counted by vendor, with the age of the oldest open change', async () => {
    const { fake, flexible, annual, patch, waitUntilResolved, database } = vendor
    fake.failNext('write', 'drop-before')
    await patch(flexible, 30)
    fake.setByVendor(flexible.id, 26)
    await waitUntilResolved(flexible)
    fake.failNext('write', 'drop-before')
    expect((await patch(annual, 30)).status).toBe(504)
    const { accountOf, changes } = await readStats()
    const counts = { open: 1, unclear: 1, oldestOpenSeconds: expect.any(Number) }
    expect([changes, accountOf('google-workspace')]).toEqual([counts, expect.objectContaining(counts)])
    expect(accountOf('google-workspace')).toMatchObject({ neverRead: 2, oldestReading: expect.any(String) })
    expect((await admin('status')).out).toMatch(/Changes {3}1 open, the oldest for \d+ s; 1 unclear\n/)
    await waitUntilResolved(annual)
    expect((await readStats()).changes).toEqual({ open: 0, unclear: 1, oldestOpenSeconds: null })
    await database.sql(CUSTOMER, "UPDATE license_changes SET state = 'FAILED' WHERE state = 'UNCLEAR'")
    expect((await readStats()).changes).toMatchObject({ unclear: 0 })
  })
})

test('jobs are shown with their latest runs', async () => {
  const running = await startJobs(vendor.database.url)
  try {
    await vi.waitFor(
      async () => {
        const reconcileJob = (await readStats()).jobs.find(({ job }) => job === 'settle-open-changes')
        expect(reconcileJob).toBeDefined()
      },
      { timeout: 5000 },
    )
    // The queue's own messages for a finished and a failed job.
    const jobs = vendor.database.opened.jobs
    await jobs.query(`INSERT INTO pgboss.job (name, state, started_on, completed_on, output, policy)
      VALUES ('read-vendors', 'failed', now(), now() - interval '2 hours', '{"message": "Google could not be read"}', 'standard'),
        ('read-vendors', 'completed', now(), now() - interval '1 hour', NULL, 'standard')`)
    const syncJob = (await readStats()).jobs.find(({ job }) => job === 'read-vendors')
    expect(syncJob).toMatchObject({
      doneAt: expect.any(String),
      failedAt: expect.any(String),
      reason: 'Google could not be read',
    })
    expect((await admin('status')).out).toMatch(/read-vendors +- +\S+ \S+ +\S+ \S+ +Google could not be read/)
  } finally {
    await running.stop()
  }
})
