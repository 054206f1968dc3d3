import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readVendors } from '#lib/licenses/license-changes/jobs.ts'
import { schedulePasses } from '#lib/licenses/vendor-passes/passes.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { readServiceStats } from '#lib/server/service-stats.ts'
import type { FaultPlan } from '../test/fakes/large/process.ts'
import { type Large, startLarge } from '../test/fakes/large/start.ts'
import { type Size, sizeOf } from '../test/fakes/large/subscriptions.ts'
import { vendorFakes } from '../test/fakes/vendor-fakes.ts'
import { forgetVendors } from '../test/fuzz/stage.ts'
import { seedSubscriptions } from './many-assets.ts'
import { costOf } from './watch.ts'

// Measures the cost of reading the vendors' books: calls, queries, rows, memory, in a quiet hour and under failures.
// npm run scale [-- <subscriptions, default 100000> [<vendor>]]

const [count = '100000', only] = process.argv.slice(2)
const size = sizeOf(Number(count))
/** Number of a page in the middle of each vendor's lists. */
const THROTTLED: Record<string, string> = {
  'google-workspace': 'list',
  'microsoft-partner-center': 'customers',
}

for (const { vendor } of vendorFakes) if (only === undefined || only === vendor) await runScale(vendor, size)

async function runScale(vendor: string, { subscriptions, customers }: Size): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'console-scale-'))
  const embedded = await startEmbedded(folder)
  const fakeVendor = await startLarge(vendor, subscriptions, folder)
  try {
    await migrate(embedded.url)
    await seedSubscriptions(embedded.url, vendor, size)
    console.log(`\n${vendor}: ${subscriptions} subscriptions of ${customers} customers`)
    const hour = (name: string, faultPlan: FaultPlan) => read(name, faultPlan, embedded.url, fakeVendor)
    const name = THROTTLED[vendor] ?? ''
    await hour('The first reading', {})
    await hour('A quiet hour', {})
    await hour('One 429', { throttled: { name, call: 3 } })
    await hour('A customer that fails', { failing: Math.floor(customers / 2) })
  } finally {
    fakeVendor.close()
    forgetVendors()
    await embedded.release()
    await rm(folder, { recursive: true, force: true })
  }
}

async function read(name: string, faultPlan: FaultPlan, url: string, fakeVendor: Large): Promise<void> {
  await fakeVendor.request(faultPlan)
  const cost = await costOf(url, async () => {
    const database = openDatabase(url)
    try {
      await schedulePasses()
      // Runs the job repeatedly, as it runs each minute, until the pass has ended.
      await readVendors('bench').catch(() => {})
      while (await isRunning()) {
        await pause(500)
        await readVendors('bench').catch(() => {})
      }
    } finally {
      await database.close()
    }
  })
  const { counts } = await fakeVendor.request('counts')
  const { seconds, queries, rows, rssPeak, rssSlope, failure } = cost
  const calls = Object.values(counts?.byName ?? {}).reduce((sum, one) => sum + one, 0)
  const listed = (rowFilter: object) =>
    Object.entries(rowFilter)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ') || 'none'
  console.log(`
${name}: ${seconds.toFixed(1)} s${failure ? `, ${failure.slice(0, 200)}` : ''}
  calls       ${calls}: ${listed(counts?.byName ?? {})}; ${counts?.mostASecond} in the busiest second
  statements  ${queries}
  rows        ${listed(rows)} (+ new, ~ rewritten)
  memory      ${rssPeak.toFixed(0)} MB at most, ${rssSlope >= 0 ? '+' : ''}${rssSlope.toFixed(1)} MB a minute at last`)
}

async function isRunning(): Promise<boolean> {
  const { accounts } = await readServiceStats()
  return accounts.some(({ listBeganAt }) => listBeganAt !== null)
}
