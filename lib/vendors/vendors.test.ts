import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readAssetItem } from '#lib/licenses/assets/operations.ts'
import { readVendors } from '#lib/licenses/license-changes/jobs.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { reusableDatabase } from '#lib/platform/db/test-servers/test-reusable.ts'
import { checkSettings } from '#lib/server/check-settings.ts'
import { paperclip as standIn } from '../../test/fakes/generic-vendor/fake.ts'
import { harborScenarios } from '../../test/fakes/harbor-demo.ts'
import { vendorFakes } from '../../test/fakes/vendor-fakes.ts'
import type { FakeOptions } from '../../test/fakes/vendors/fake.ts'
import { google, microsoft, scenarioFor } from '../../test/fuzz/scenarios.ts'
import {
  CUSTOMER,
  forgetVendors,
  type Scenario,
  type Seed,
  type Stage,
  setStage,
} from '../../test/fuzz/stage.ts'
import { vendorDeclarations, vendorInfo } from './declarations.ts'
import { vendorSettings } from './settings.ts'
import { paperclip } from './test-invented/declaration.ts'
import type { Observed, RemoteVendor } from './vendor.ts'
import { isVendor, remoteVendors, vendorOf } from './vendors.ts'

// Longer than an answered call takes on a busy machine.
const seedRef = ({ id: subscriptionId, customerId, skuId }: Seed) => ({ subscriptionId, customerId, skuId })
const times = { VENDOR_READ_MS: '5000', VENDOR_WRITE_MS: '5000', VENDOR_CONFIRM_MS: '5000' }
const assets = route(setQuantity)

let database: TestDatabase
let stage: Stage

async function begin(scenario: Scenario, count = 1, options: FakeOptions = {}): Promise<Seed> {
  database = await reusableDatabase()
  stage = await setStage(scenario, { assets: count, writers: 1, times, options })
  return stage.seeds[0] as Seed
}

async function patch(seed: Seed, quantity: number) {
  const body = JSON.stringify({ quantity })
  const headers = {
    authorization: `Bearer ${stage.keys[0]}`,
    'content-type': 'application/json',
    'content-length': `${body.length}`,
  }
  const url = `http://console.example/billing/v1/assets/${stage.assetId(seed)}`
  const response = await assets.PATCH(new Request(url, { method: 'PATCH', headers, body }))
  const json = await response.json()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), json }
}

describe('a vendor with a folder and an entry in the list', () => {
  beforeEach(() => {
    expect(isVendor('paperclip')).toBe(false)
    // The two lines in the two lists that docs/develop/vendors.md requires.
    vendorDeclarations.push(paperclip)
    vendorFakes.push(standIn)
  })
  afterEach(() => {
    vendorDeclarations.pop()
    vendorFakes.pop()
    forgetVendors()
    vi.unstubAllEnvs()
  })

  test('may be named by an asset, has its label, and is unreachable before it is configured', async () => {
    expect(isVendor('paperclip')).toBe(true)
    expect(vendorInfo('paperclip')).toMatchObject({ label: 'Paperclip', locksIncreases: true })
    expect(remoteVendors()).toEqual([])
    const vendor = vendorOf({ vendor: 'paperclip', vendorAccount: 'default' })
    const ref = { customerId: 'c', subscriptionId: 's', skuId: 'k' }
    const vendorRead = vendor.systemOfRecord === 'theirs' && vendor.read(ref, AbortSignal.timeout(1000))
    expect(await vendorRead).toEqual({
      kind: 'unavailable',
      reason: 'Paperclip is not configured.',
      why: 'no_access',
    })
  })

  test('has its settings parsed and validated together with all others', () => {
    vi.stubEnv('PAPERCLIP_KEY', 'a key')
    expect(checkSettings).toThrow('PAPERCLIP_URL: is required, too')
    vi.stubEnv('PAPERCLIP_URL', 'http://paperclip.example')
    vi.stubEnv('GOOGLE_SETTLE_SECONDS', '0')
    expect(checkSettings).toThrow(/GOOGLE_SETTLE_SECONDS.*; PAPERCLIP_URL: must be https/)
    vi.unstubAllEnvs()
    vi.stubEnv('PAPERCLIP_KEY', 'a key')
    vi.stubEnv('PAPERCLIP_URL', 'https://paperclip.example/')
    const config = { key: 'a key', url: 'https://paperclip.example', settleMs: 60_000 }
    expect(vendorSettings()).toMatchObject({ paperclip: config })
  })

  test('is configured by the settings of its fake server', () => {
    for (const name of standIn.needs) vi.stubEnv(name, 'https://paperclip.example')
    expect(remoteVendors().map(({ name }) => name)).toEqual(['paperclip'])
  })

  test('has subscriptions in the demo', () => {
    const names = harborScenarios('2026-11-22').map(({ purchase }) => purchase.vendor)
    expect(names.filter((name) => name === 'paperclip')).toHaveLength(1)
  })

  describe('a configured vendor', () => {
    let seed: Seed
    /** Paperclip executes late writes once this is resolved. */
    let released: PromiseWithResolvers<void>
    beforeEach(async () => {
      released = Promise.withResolvers()
      seed = await begin(scenarioFor(standIn), 5, { delayUntil: () => released.promise })
    })
    afterEach(async () => {
      await stage.close()
      await database.close()
    })
    const changes = () =>
      database.sql(CUSTOMER, 'SELECT state, to_quantity AS total FROM license_changes ORDER BY created_at')

    test('changes licenses by a PATCH', async () => {
      const { status, json } = await patch(seed, 24)
      expect([status, json.properties.subscription.Seats]).toEqual([
        200,
        { NumberOfSeats: 24, MaximumNumberOfSeats: 24, LicensedNumberOfSeats: 3 },
      ])
      expect(stage.fake.writes).toMatchObject([{ subscriptionId: seed.id, from: 20, to: 24, by: 'client' }])
      expect(await changes()).toEqual([{ state: 'APPLIED', total: 24 }])
      const ana = await callerOf(CUSTOMER, 'it-manager')
      const item = await readAssetItem(ana, stage.assetId(seed), { requestId: 'test' })
      expect(item).toMatchObject({ vendor: { name: 'paperclip', label: 'Paperclip' } })
    })

    test('refuses with its own message, predicted or not', async () => {
      expect((await patch(seed, 11)).json).toMatchObject({
        code: 'vendor_rejected',
        detail: 'Paperclip sells 12 licenses or more.',
      })
      expect((await patch(seed, 25)).json).toMatchObject({
        code: 'vendor_rejected',
        detail: 'Paperclip says: licenses come by the dozen.',
      })
      expect(stage.fake.writes).toEqual([])
    })

    test('answers a write with an unknown outcome as such, and a throttled one with 503', async () => {
      stage.fake.failNext('write', 'throttle')
      expect((await patch(seed, 24)).json.code).toBe('vendor_unavailable')
      stage.fake.failNext('write', 'error-before')
      expect((await patch(seed, 24)).json.code).toBe('outcome_unknown')
      expect(await changes()).toMatchObject([{ state: 'FAILED' }, { state: 'UNKNOWN' }])
    })

    describe('an asynchronous write (order)', () => {
      const deadline = () => AbortSignal.timeout(5000)
      const port = () => vendorOf({ vendor: 'paperclip', vendorAccount: 'default' }) as RemoteVendor
      const lookup = async (pollRef?: string) =>
        port().lookup?.(seedRef(seed), { changeId: 'change-1', pollRef }, deadline())
      const sent = () => stage.fake.exchanges.filter(({ call }) => call.kind === 'write').length
      async function read(): Promise<Observed> {
        const vendorRead = await port().read(seedRef(seed), deadline())
        return vendorRead.kind === 'read' ? vendorRead.observed : expect.fail(vendorRead.reason)
      }
      const set = async (total = 24) => port().setQuantity(await read(), total, 'change-1', deadline())

      test('answers with an id to poll, which reports the completion; nothing is sent again', async () => {
        stage.fake.failNext('write', 'order')
        expect(await set()).toMatchObject({ kind: 'unknown', pollRef: 'o-1' })
        const reason = 'Paperclip has not done the order yet.'
        expect(await lookup('o-1')).toEqual({ kind: 'unknown', reason, pollRef: 'o-1' })
        expect(stage.fake.writes).toEqual([])
        released.resolve()
        await stage.fake.whenIdle()
        const applied = { kind: 'applied', observed: { subscriptionId: seed.id, seats: { purchased: 24 } } }
        expect(await lookup('o-1')).toMatchObject(applied)
        expect([sent(), stage.fake.writes.length]).toEqual([1, 1])
      })

      test('is found by the id of the change when its answer is lost', async () => {
        stage.fake.failNext('write', 'reset-after')
        const result = await set()
        expect([result.kind, 'pollRef' in result]).toEqual(['unknown', false])
        expect(await lookup()).toMatchObject({ kind: 'applied', observed: { seats: { purchased: 24 } } })
      })

      test('reports an order that was refused later', async () => {
        stage.fake.failNext('write', 'order-refused')
        expect(await set()).toMatchObject({ kind: 'unknown', pollRef: 'o-1' })
        released.resolve()
        await stage.fake.whenIdle()
        const reason = 'Paperclip says: there is no wire left.'
        expect(await lookup('o-1')).toEqual({ kind: 'rejected', code: 'vendor_rejected', reason })
        expect(stage.fake.writes).toEqual([])
      })

      test('settles nothing for an unknown order, or while the vendor is down', async () => {
        expect(await lookup()).toMatchObject({ kind: 'unknown', reason: 'Paperclip says: no such order.' })
        await set()
        stage.fake.setDown(true)
        expect(await lookup('o-1')).toMatchObject({ kind: 'unknown', pollRef: 'o-1' })
      })

      test('is not accepted for another subscription', async () => {
        await set()
        const another = { ...seedRef(seed), skuId: 'another' }
        const pendingLookup = port().lookup?.(another, { changeId: 'change-1', pollRef: 'o-1' }, deadline())
        expect(await pendingLookup).toMatchObject({ kind: 'unknown' })
      })

      test('has one effect when it is sent again under the id of its change', async () => {
        expect(port().idempotentWrites).toBe(3_600_000)
        const before = await read()
        stage.fake.failNext('write', 'drop-before')
        for (const kind of ['unknown', 'applied', 'applied']) {
          expect((await port().setQuantity(before, 24, 'change-1', deadline())).kind).toBe(kind)
        }
        expect([sent(), stage.fake.writes.length]).toEqual([3, 1])
      })
    })

    test('is read completely each hour', async () => {
      const last = stage.seeds[4] as Seed
      stage.fake.setByVendor(last.id, 48)
      expect(await readVendors('hourly')).toBe(5)
      expect(await changes()).toEqual([{ state: 'DRIFT', total: 48 }])
      expect(stage.fake.exchanges.map(({ call }) => call.name)).toEqual(['list', 'list', 'list'])
    })
  })
})

test('an item of a list with our ids but another SKU is discarded', async () => {
  const seed = await begin(google, 2)
  try {
    stage.fake.change(seed.id, { skuId: 'another' })
    stage.fake.setByVendor(seed.id, 77)
    expect(await readVendors('hourly')).toBe(1)
    expect(await database.sql(CUSTOMER, 'SELECT state FROM license_changes')).toEqual([])
  } finally {
    await stage.close()
    await database.close()
  }
})

test('“try again after 24 hours” of Microsoft becomes Retry-After', async () => {
  const seed = await begin(microsoft)
  try {
    stage.fake.failNext('write', 'code-900278')
    const { status, retryAfter, json } = await patch(seed, 25)
    expect([status, json.code, retryAfter]).toEqual([409, 'change_in_progress', '86400'])
  } finally {
    await stage.close()
    await database.close()
  }
})
