import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readAsset } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset } from '#lib/platform/db/test-rows.ts'
import { remoteVendors } from '#lib/vendors/vendors.ts'
import { scenarios } from '../../../test/fuzz/scenarios.ts'
import {
  CUSTOMER,
  forgetVendors,
  type Scenario,
  type Seed,
  type Stage,
  setStage,
} from '../../../test/fuzz/stage.ts'
import { reconcileOpenChanges } from './jobs.ts'

const asset = route(readAsset, setQuantity)
const scenario = scenarios[0] as Scenario
let database: TestDatabase
let stage: Stage
/** The vendor carries out a late write once this is resolved. */
let written: PromiseWithResolvers<void>
/** Flexible plan and commitment; both have 20 licenses, 3 of them assigned. */
let flexible: Seed
let annual: Seed

beforeAll(async () => {
  database = await testDatabase()
  // Longer than an answered call takes on a busy machine.
  const times = { VENDOR_READ_MS: '2000', VENDOR_WRITE_MS: '1000', VENDOR_CONFIRM_MS: '1500' }
  const options = { delayUntil: () => written.promise }
  stage = await setStage(scenario, { assets: 60, writers: 2, times, options })
})
afterAll(async () => {
  await stage.close()
  await database.close()
})
let used = 0
beforeEach(() => {
  written = Promise.withResolvers()
  flexible = stage.seeds[used++] as Seed
  annual = stage.seeds[used++] as Seed
})
afterEach(() => {
  stage.fake.setDown(false)
  forgetVendors()
})

type Sent = { headers?: Record<string, string>; search?: string; writer?: number }

async function patch(seed: Seed, quantity: number, { headers = {}, search = '', writer = 0 }: Sent = {}) {
  const body = JSON.stringify({ quantity })
  const baseHeaders = {
    authorization: `Bearer ${stage.keys[writer]}`,
    'content-type': 'application/json',
    'content-length': `${body.length}`,
  }
  const url = `http://console.example/billing/v1/assets/${stage.assetId(seed)}${search}`
  const request = new Request(url, { method: 'PATCH', headers: { ...baseHeaders, ...headers }, body })
  const response = await asset.PATCH(request)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

async function read(seed: Seed) {
  const url = `http://console.example/billing/v1/assets/${stage.assetId(seed)}`
  const headers = { authorization: `Bearer ${stage.keys[0]}` }
  const response = await asset.GET(new Request(url, { headers }))
  const { Seats, Status } = (await response.json()).properties.subscription
  return {
    etag: response.headers.get('etag') ?? '',
    total: Seats.NumberOfSeats,
    seats: Seats,
    status: Status,
  }
}

const changesOf = (seed: Seed) =>
  database.sql(
    CUSTOMER,
    `SELECT from_quantity AS "from", to_quantity AS "to", state, actor_name AS who, vendor_reason AS reason
     FROM license_changes WHERE asset_id = $1 ORDER BY created_at`,
    [stage.assetId(seed)],
  )
const auditOf = async (seed: Seed) => {
  const query = "SELECT action FROM audit_events WHERE details ->> 'assetId' = $1 ORDER BY id"
  const rows = await database.sql(CUSTOMER, query, [stage.assetId(seed)])
  return rows.map(({ action }) => String(action).replace('license-change.', ''))
}
const writesOf = (seed: Seed) => stage.fake.writes.filter(({ subscriptionId }) => subscriptionId === seed.id)
const readsOf = (seed: Seed) =>
  stage.fake.exchanges.filter(({ call }) => call.kind === 'read' && call.subscriptionId === seed.id)
/** Repeats the request until the answer is 200: reads may be stale for a while and settle no open change. */
const patched = (seed: Seed, quantity: number, sent: Sent = {}) =>
  vi.waitFor(
    async () => {
      const answer = await patch(seed, quantity, sent)
      expect(answer.status).toBe(200)
      return answer
    },
    { timeout: 30_000, interval: 100 },
  )

describe('a change that reaches the vendor', () => {
  it('is claimed, sent and applied; each step has an audit row, and the answer contains the vendor’s seats', async () => {
    stage.fake.change(flexible.id, { assigned: 9 })
    const { status, json, headers } = await patch(flexible, 25)
    expect([status, json.properties.subscription.Seats]).toEqual([
      200,
      { NumberOfSeats: 25, MaximumNumberOfSeats: 25, LicensedNumberOfSeats: 9 },
    ])
    expect(await changesOf(flexible)).toEqual([
      expect.objectContaining({ from: 20, to: 25, state: 'APPLIED', who: 'Writer 0' }),
    ])
    expect(await auditOf(flexible)).toEqual(['claimed', 'sent', 'applied'])
    expect(headers.get('etag')).toBe((await read(flexible)).etag)
  })

  it('makes no call and adds no change where the vendor has the total already', async () => {
    expect((await patch(flexible, 20)).status).toBe(200)
    expect([await changesOf(flexible), writesOf(flexible)]).toEqual([[], []])
    expect(await auditOf(flexible)).toEqual(['claimed', 'withdrawn'])
  })

  it('is decided by the vendor’s total, not by our row', async () => {
    stage.fake.setByVendor(annual.id, 30)
    const { status, json } = await patch(annual, 25)
    expect([status, json.code, json.current]).toEqual([409, 'decrease_not_allowed', 30])
    expect(await changesOf(annual)).toEqual([
      expect.objectContaining({ from: 20, to: 30, state: 'DRIFT', who: 'Google Workspace' }),
    ])
    expect([(await read(annual)).total, writesOf(annual)]).toEqual([
      30,
      [expect.objectContaining({ by: 'vendor' })],
    ])
  })

  it('compares If-Match again after the fresh read, and names the vendor', async () => {
    const { etag } = await read(flexible)
    stage.fake.setByVendor(flexible.id, 33)
    const { status, json } = await patch(flexible, 40, { headers: { 'if-match': etag } })
    expect([status, json]).toEqual([
      412,
      expect.objectContaining({ current: 33, changedBy: 'Google Workspace', changedAt: expect.any(Number) }),
    ])
    expect(stage.fake.subscription(flexible.id)?.total).toBe(33)
  })

  it('is answered with 409 where the vendor has suspended the subscription, without a change', async () => {
    stage.fake.change(flexible.id, { status: 'SUSPENDED' })
    expect((await patch(flexible, 25)).json.code).toBe('subscription_not_active')
    expect([(await read(flexible)).status, await changesOf(flexible)]).toEqual(['SUSPENDED', []])
  })

  it('is answered with 422 and the vendor’s reason, which is stored', async () => {
    stage.fake.failNext('write', 'terms')
    const { status, json } = await patch(flexible, 25)
    expect([status, json.code, json.detail]).toEqual([
      422,
      'vendor_rejected',
      expect.stringContaining('terms of service'),
    ])
    expect(json).not.toHaveProperty('foreseen')
    expect(await changesOf(flexible)).toEqual([
      expect.objectContaining({ state: 'REJECTED', reason: json.detail }),
    ])
  })
})

describe('a vendor that does not answer', () => {
  it('is answered with 503 and Retry-After where the read fails: nothing is sent, and the next request may try', async () => {
    stage.fake.failNext('read', 'drop-before')
    const { status, json, headers } = await patch(flexible, 25)
    expect([status, json.code, headers.get('retry-after')]).toEqual([
      503,
      'vendor_unavailable',
      expect.any(String),
    ])
    expect(await changesOf(flexible)).toEqual([expect.objectContaining({ state: 'FAILED' })])
    expect((await patch(flexible, 25)).status).toBe(200)
  })

  it.each(['reset-after', 'hang-after', 'error-after'])('200 after %s, by reading', async (failure) => {
    stage.fake.failNext('write', failure)
    expect((await patch(flexible, 25)).status).toBe(200)
    expect(writesOf(flexible)).toHaveLength(1)
    expect(await changesOf(flexible)).toEqual([expect.objectContaining({ state: 'APPLIED', reason: null })])
    expect(await auditOf(flexible)).toEqual(['claimed', 'sent', 'unknown', 'applied'])
  })

  it('is answered with 504 while the outcome is unknown; the asset stays reserved; a read settles the change', async () => {
    stage.fake.failNext('write', 'late')
    const { status, json, headers } = await patch(flexible, 25)
    expect([status, json.code, json.changeId]).toEqual([504, 'outcome_unknown', expect.any(String)])
    expect(headers.get('retry-after')).toBe('5')
    expect((await patch(flexible, 26)).json.code).toBe('change_in_progress')
    expect((await read(flexible)).total).toBe(20)
    written.resolve()
    await stage.fake.whenIdle()
    // A repeat joins its own change: one write, one record.
    await patched(flexible, 25)
    expect([writesOf(flexible).length, (await changesOf(flexible)).length]).toEqual([1, 1])
  })

  it('leaves a change open until its settle time is over', async () => {
    stage.fake.failNext('write', 'drop-before')
    expect((await patch(flexible, 25)).status).toBe(504)
    const before = readsOf(flexible).length
    await vi.waitFor(async () => {
      await reconcileOpenChanges('early')
      expect(readsOf(flexible).length).toBeGreaterThan(before)
    })
    expect(await changesOf(flexible)).toEqual([expect.objectContaining({ state: 'UNKNOWN' })])
    await vi.waitFor(
      async () => {
        await reconcileOpenChanges('late')
        expect(await changesOf(flexible)).toEqual([expect.objectContaining({ state: 'FAILED' })])
      },
      { timeout: 60_000, interval: 100 },
    )
    expect((await patch(flexible, 25)).status).toBe(200)
  })

  it('does not take an old state for the outcome', async () => {
    expect((await patch(flexible, 25)).status).toBe(200)
    // The write was not applied; the read that would settle the change returns the total of 20 from before.
    stage.fake.failNext('write', 'drop-before')
    expect((await patch(flexible, 20)).status).toBe(504)
    expect(await changesOf(flexible)).toMatchObject([{ state: 'APPLIED' }, { state: 'UNKNOWN' }])
  })

  it('costs its own assets a 503 and nothing else; reads continue', async () => {
    await addAsset(CUSTOMER, `office-suite-${used}`, { purchased: 5 })
    stage.fake.setDown(true)
    const answers = []
    for (let n = 0; n < 8; n++) answers.push(await patch(flexible, 30 + n))
    expect(new Set(answers.map(({ json }) => json.code))).toEqual(new Set(['vendor_unavailable']))
    // Repeated tries for one change don't delay the others.
    expect(await changesOf(flexible)).toHaveLength(8)
    const [vendor] = remoteVendors()
    for (let n = 0; n < 5; n++) await vendor?.list(undefined, AbortSignal.timeout(2000))
    // Where the vendor itself fails, the breaker is open: not even a claim.
    expect((await patch(flexible, 40)).json.code).toBe('vendor_unavailable')
    expect(await changesOf(flexible)).toHaveLength(8)
    const ours = { ...flexible, id: '' }
    const url = `http://console.example/billing/v1/assets/office-suite-${used}`
    const body = '{"quantity":6}'
    const headers = {
      authorization: `Bearer ${stage.keys[0]}`,
      'content-type': 'application/json',
      'content-length': '14',
    }
    expect((await asset.PATCH(new Request(url, { method: 'PATCH', headers, body }))).status).toBe(200)
    expect([(await read(annual)).total, ours.total]).toEqual([20, 20])
  })
})

describe('parallel changes', () => {
  it('to the same total join: one write, one change, the same answer', async () => {
    const answers = await Promise.all([0, 1, 0, 1].map((writer) => patch(flexible, 25, { writer })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect([writesOf(flexible).length, (await changesOf(flexible)).length]).toEqual([1, 1])
  })

  it('to another total are answered with 409 while one is open', async () => {
    const running = patch(flexible, 25)
    await expect.poll(() => changesOf(flexible), { interval: 5 }).toHaveLength(1)
    const [first, second] = await Promise.all([running, patch(flexible, 26)])
    const codes = [first, second].map(({ status, json }) => json.code ?? status)
    expect(codes).toContain(200)
    expect(writesOf(flexible)).toHaveLength(codes.filter((code) => code === 200).length)
  })

  it('never lower a commitment below its count, in any race of increases and decreases', async () => {
    let floor = 20
    for (let round = 0; round < 15; round++) {
      const totals = [floor + 5, floor + 2, floor - 3, floor - 1]
      await Promise.all(totals.map((quantity, n) => patch(annual, quantity, { writer: n % 2 })))
      const { total } = await read(annual)
      expect(total).toBeGreaterThanOrEqual(floor)
      expect(stage.fake.subscription(annual.id)?.total).toBe(total)
      floor = total
    }
    expect(writesOf(annual).every(({ from, to }) => to > from)).toBe(true)
    expect(floor).toBeGreaterThan(20)
  })
})

describe('Idempotency-Key with a vendor elsewhere', () => {
  it('replays a settled answer to the byte', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await patch(flexible, 25, { headers })
    await patch(flexible, 30)
    expect((await patch(flexible, 25, { headers })).text).toBe(first.text)
    const denied = await patch(annual, 5, { headers: { 'idempotency-key': 'low' } })
    stage.fake.change(annual.id, { plan: 'FLEXIBLE' })
    expect((await patch(annual, 5, { headers: { 'idempotency-key': 'low' } })).text).toBe(denied.text)
  })

  it('runs again after a 503, and joins its own change after a 504', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    stage.fake.failNext('read', 'throttle')
    expect((await patch(flexible, 25, { headers })).status).toBe(503)
    stage.fake.failNext('write', 'late')
    expect((await patch(flexible, 25, { headers })).status).toBe(504)
    written.resolve()
    await stage.fake.whenIdle()
    const third = await patched(flexible, 25, { headers })
    expect((await patch(flexible, 25, { headers })).text).toBe(third.text)
    expect((await patch(flexible, 26, { headers })).json.code).toBe('idempotency_key_reused')
    expect(writesOf(flexible)).toHaveLength(1)
  })
})

describe('dryRun with a vendor elsewhere', () => {
  const search = '?dryRun=true'
  it('reads the vendor, answers like the change, and stores nothing', async () => {
    stage.fake.setByVendor(annual.id, 30)
    const before = await read(annual)
    const { status, json } = await patch(annual, 40, { search })
    expect([status, json.properties.subscription.Seats.NumberOfSeats]).toEqual([200, 40])
    expect((await patch(annual, 25, { search })).json.current).toBe(30)
    expect((await patch(annual, 35, { search, headers: { 'if-match': before.etag } })).status).toBe(412)
    expect((await patch(flexible, 1, { search })).json.code).toBe('vendor_rejected')
    expect([await read(annual), await changesOf(annual), await changesOf(flexible)]).toEqual([before, [], []])
    stage.fake.failNext('read', 'hang-before')
    expect((await patch(annual, 40, { search })).status).toBe(503)
  })

  it('returns the version for the following change, though nothing of that version is stored yet', async () => {
    stage.fake.setByVendor(annual.id, 30)
    const etag = (await patch(annual, 35, { search })).headers.get('etag') ?? ''
    expect((await patch(annual, 35, { headers: { 'if-match': etag } })).status).toBe(200)
    expect((await patch(annual, 36, { headers: { 'if-match': '"99.x"' } })).json.current).toBe(35)
  })
})
