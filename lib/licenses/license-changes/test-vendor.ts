import { vi } from 'vitest'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { reusableDatabase } from '#lib/platform/db/test-servers/test-reusable.ts'
import type { FakeOptions } from '../../../test/fakes/vendors/fake.ts'
import type { Times } from '../../../test/fuzz/clock.ts'
import { CUSTOMER, type Scenario, type Seed, type Stage, setStage } from '../../../test/fuzz/stage.ts'
import { reconcileOpenChanges } from './jobs.ts'

// Test equipment: a fake vendor, assets there, and PATCHes as a client sends them.

const asset = route(setQuantity)

/** Writes settle within a second, and reads are unlimited. */
const SHORT = {
  VENDOR_READ_MS: '2000',
  VENDOR_WRITE_MS: '300',
  VENDOR_CONFIRM_MS: '1500',
  VENDOR_CHECK_MS: '20',
  VENDOR_STALE_MS: '100',
}

export type TestVendor = Awaited<ReturnType<typeof testVendor>>

/** @param times also `GOOGLE_SETTLE_SECONDS` and similar; one second by default */
export async function testVendor(
  scenario: Scenario,
  { options = {}, times = {}, assets = 2 }: { options?: FakeOptions; times?: Times; assets?: number } = {},
) {
  const database: TestDatabase = await reusableDatabase()
  const scenarioTimes = { [scenario.confirmSetting]: '1' } as Times
  const stage: Stage = await setStage(scenario, {
    assets,
    writers: 2,
    options,
    times: { ...SHORT, ...scenarioTimes, ...times },
  })
  const [flexible, annual] = stage.seeds as [Seed, Seed]
  const assetId = (seed: Seed) => stage.assetId(seed)
  const changes = (seed: Seed) =>
    database.sql(
      CUSTOMER,
      `SELECT id, from_quantity AS "from", to_quantity AS "to", state, vendor_reason AS reason, settled_at AS "settledAt"
       FROM license_changes WHERE asset_id = $1 ORDER BY created_at`,
      [assetId(seed)],
    )
  const states = async (seed: Seed) => (await changes(seed)).map(({ state }) => state)
  return {
    database,
    stage,
    fake: stage.fake,
    flexible,
    annual,
    assetId,
    changes,
    states,
    total: ({ id }: Seed) => stage.fake.subscription(id)?.total,
    writes: ({ id }: Seed) =>
      stage.fake.writes.filter(({ subscriptionId, by }) => subscriptionId === id && by === 'client'),
    async audit(seed: Seed) {
      const query = "SELECT action FROM audit_events WHERE details ->> 'assetId' = $1 ORDER BY id"
      const rows = await database.sql(CUSTOMER, query, [assetId(seed)])
      return rows.map(({ action }) => String(action).replace('license-change.', ''))
    },
    async patch(
      seed: Seed,
      quantity: number,
      {
        headers = {},
        search = '',
        writer = 0,
        assetId: id = assetId(seed),
      }: { headers?: object; search?: string; writer?: number; assetId?: string } = {},
    ) {
      const body = JSON.stringify({ quantity })
      const defaultHeaders = {
        authorization: `Bearer ${stage.keys[writer]}`,
        'content-type': 'application/json',
        'content-length': `${body.length}`,
      }
      const url = `http://console.example/billing/v1/assets/${id}${search}`
      const response = await asset.PATCH(
        new Request(url, { method: 'PATCH', headers: { ...defaultHeaders, ...headers }, body }),
      )
      const json = await response.json()
      return { status: response.status, code: json.code ?? response.status, json, headers: response.headers }
    },
    /** Runs the job until no change of the asset is open. */
    waitUntilResolved: (seed: Seed) =>
      vi.waitFor(
        async () => {
          await reconcileOpenChanges('job')
          const open = (await states(seed)).filter((state) => state === 'UNKNOWN' || state === 'SENT')
          if (open.length > 0) throw new Error('It is open still.')
        },
        { timeout: 10_000, interval: 60 },
      ),
    async close() {
      await stage.close()
      await database.close()
    },
  }
}
