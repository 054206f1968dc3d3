import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { addAsset } from '#lib/platform/db/test-rows.ts'
import { type FakeGoogle, startGoogle } from '../../../test/fakes/google/fake.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Seed } from '../../../test/fuzz/stage.ts'
import { readVendors } from './jobs.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// Two accounts at one vendor that have different subscriptions with equal ids.

let vendor: TestVendor
let emea: FakeGoogle
let folder: string
beforeAll(async () => {
  vendor = await testVendor(google, { assets: 6 })
  folder = await mkdtemp(join(tmpdir(), 'accounts-'))
  emea = await startGoogle()
  vi.stubEnv('VENDOR_ACCOUNTS_FILE', join(folder, 'accounts.json'))
  await setUp(emea)
  for (const seed of vendor.stage.seeds) await twin(seed)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await emea.close()
  await vendor.close()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Configures the account `emea` and the additional settings. */
async function setUp(fake: FakeGoogle, more: Record<string, string> = {}) {
  const settings = { ...fake.environment(folder), GOOGLE_SETTLE_SECONDS: '1', ...more }
  const file = join(folder, 'accounts.json')
  await writeFile(
    `${file}.new`,
    JSON.stringify({ accounts: [{ vendor: 'google-workspace', name: 'emea', settings }] }),
  )
  await rename(`${file}.new`, file)
}

const idOf = (seed: Seed) => `workspace-suite-emea-${seed.id}`
/** Seeds the same ids in the other account, with other licenses. */
async function twin(seed: Seed) {
  google.add(emea, { ...seed, total: 70, isCommitmentPlan: false })
  await addAsset(
    CUSTOMER,
    idOf(seed),
    { purchased: 70, assigned: 3 },
    {
      vendor: 'google-workspace',
      vendorAccount: 'emea',
      vendorCustomerId: seed.customerId,
      subscriptionId: seed.id,
      skuId: seed.skuId,
    },
  )
}
const stored = async (seed: Seed) => {
  const query = 'SELECT seats_purchased AS total FROM assets WHERE id IN ($1, $2) ORDER BY id = $2'
  const rows = await vendor.database.sql(CUSTOMER, query, [vendor.assetId(seed), idOf(seed)])
  return rows.map(({ total }) => total)
}
const totals = (seed: Seed) => [vendor.total(seed), emea.subscription(seed.id)?.total]

test('Each account is read and written for its own assets only', async () => {
  const seed = vendor.stage.seeds[0] as Seed
  expect((await vendor.patch(seed, 25)).status).toBe(200)
  expect(totals(seed)).toEqual([25, 70])
  expect((await vendor.patch(seed, 75, { assetId: idOf(seed) })).status).toBe(200)
  expect(totals(seed)).toEqual([25, 75])
  expect(await stored(seed)).toEqual([25, 75])
  const other = vendor.stage.seeds[2] as Seed
  emea.setByVendor(other.id, 71)
  await readVendors('hourly')
  expect([await stored(other), await stored(seed)]).toEqual([
    [20, 71],
    [25, 75],
  ])
})

test('A failing account delays no reads of the other account', async () => {
  const seeds = vendor.stage.seeds.slice(0, 5)
  emea.setDown(true)
  for (const seed of seeds)
    expect((await vendor.patch(seed, 80, { assetId: idOf(seed) })).code).toBe('vendor_unavailable')
  expect((await vendor.patch(vendor.flexible, 30)).status).toBe(200)
  emea.setDown(false)
})

test('a key that was withdrawn is replaced while the service runs', async () => {
  const seed = vendor.stage.seeds[4] as Seed
  await setUp(emea, { GOOGLE_ADMIN: 'nobody@reseller.example' })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  expect((await vendor.patch(seed, 81, { assetId: idOf(seed) })).code).toBe('vendor_unavailable')
  await setUp(emea)
  vi.setSystemTime(Date.now() + 60_000)
  expect((await vendor.patch(seed, 81, { assetId: idOf(seed) })).status).toBe(200)
  expect(totals(seed)).toEqual([20, 81])
})
