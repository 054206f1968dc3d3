import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import type { FakeMicrosoft } from '../../../test/fakes/microsoft/fake.ts'
import { scenarios } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Scenario, type Seed, type Stage, setStage } from '../../../test/fuzz/stage.ts'

const origin = { requestId: 'test' }
let database: TestDatabase
let stage: Stage
let seed: Seed
let ana: Caller

beforeAll(async () => {
  database = await testDatabase()
  // Longer than an answered call takes on a busy machine.
  const times = { VENDOR_READ_MS: '3000', VENDOR_WRITE_MS: '3000', VENDOR_CONFIRM_MS: '3000' }
  stage = await setStage(scenarios[1] as Scenario, { assets: 2, writers: 0, times })
  seed = stage.seeds[1] as Seed
  ana = await callerOf(CUSTOMER, 'it-manager')
})
afterAll(async () => {
  await stage.close()
  await database.close()
})

const item = (ofSeed = seed) => readAssetItem(ana, stage.assetId(ofSeed), origin)
const set = (quantity: number) =>
  setQuantity(ana, { params: { asset_id: stage.assetId(seed) }, query: {}, body: { quantity } }, origin)

test('A total scheduled at the vendor is shown until a change deletes the schedule', async () => {
  expect(await item()).not.toHaveProperty('observedTime')
  const before = Date.now()
  const fields = { autoRenewEnabled: true, scheduledNextTermInstructions: { quantity: 12 } }
  const microsoft = stage.fake as unknown as FakeMicrosoft
  microsoft.change(seed.id, {}, { fields })
  // A request for an equal total sends no write, but reads the vendor.
  await set(20)
  const observed = await item()
  expect(observed.scheduled).toEqual({ quantity: 12, time: expect.any(Number) })
  expect(observed.observedTime).toBeGreaterThanOrEqual(before)
  expect(await item(stage.seeds[0])).not.toHaveProperty('scheduled')

  expect((await set(25)).body.properties.subscription?.Seats.NumberOfSeats).toBe(25)
  expect(await item()).not.toHaveProperty('scheduled')
})
