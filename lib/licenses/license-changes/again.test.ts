import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Times } from '../../../test/fuzz/clock.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { reconcileOpenChanges } from './jobs.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A write whose answer was lost, followed by a repeated request for the same total.

let vendor: TestVendor
afterEach(() => vendor.close())

const DAY = '86400'
/** Loses a PATCH to 30 on its way; Microsoft's settle time is a day. */
async function lose(failure = 'drop-before', headers = {}, times: Times = {}) {
  vendor = await testVendor(microsoft, { times: { MICROSOFT_SETTLE_SECONDS: DAY, ...times } })
  vendor.fake.failNext('write', failure)
  expect((await vendor.patch(vendor.flexible, 30, { headers })).code).toBe('outcome_unknown')
}
/** Returns the number of PATCHes sent to the vendor. */
const sent = () => vendor.fake.exchanges.filter(({ call }) => call.kind === 'write').length
const again = (options: Parameters<TestVendor['patch']>[2] = {}) => vendor.patch(vendor.flexible, 30, options)
const until = (status: number, options?: Parameters<TestVendor['patch']>[2]) =>
  vi.waitFor(async () => expect((await again(options)).status).toBe(status), { timeout: 8000, interval: 100 })

/** Repeats the request for 1.5 s or more, each time without a known outcome. */
async function staysUnknown(): Promise<void> {
  const statuses: number[] = []
  await expect.poll(async () => statuses.push((await again()).status), { interval: 100 }).toBeGreaterThan(15)
  expect(new Set(statuses)).toEqual(new Set([504]))
}

/** Waits until a repeat is allowed: the first call may be in flight for twice its timeout. */
const untilRepeatable = () =>
  vi.waitFor(
    async () => {
      const [row] = await vendor.database.sql(
        'fuzz',
        "SELECT extract(epoch FROM clock_timestamp() - moved_at)::float8 * 1000 AS age FROM license_changes WHERE state = 'UNKNOWN'",
      )
      expect(row?.age).toBeGreaterThan(600)
    },
    { timeout: 8000 },
  )

describe('a vendor with idempotent writes', () => {
  test('A second request sends the change again under the same id and records the second caller', async () => {
    await lose()
    await until(200, { writer: 1 })
    const { flexible, states, audit, writes, total } = vendor
    expect([sent(), writes(flexible).length, total(flexible)]).toEqual([2, 1, 30])
    const ids = vendor.fake.exchanges.flatMap(({ call }) =>
      call.kind === 'write' ? [call.headers['ms-requestid']] : [],
    )
    expect(new Set(ids).size).toBe(1)
    expect(await states(flexible)).toEqual(['APPLIED'])
    expect(await audit(flexible)).toEqual(['claimed', 'sent', 'unknown', 'resent', 'applied'])
    const who = await vendor.database.sql(
      'fuzz',
      "SELECT actor_name AS name FROM audit_events WHERE action = 'license-change.resent'",
    )
    expect(who).toEqual([{ name: 'Writer 1' }])
  })

  test('A second request with the same Idempotency-Key sends again and stores the answer', async () => {
    const headers = { 'idempotency-key': 'one' }
    await lose('drop-before', headers)
    await until(200, { headers })
    const [one, two] = [await again({ headers }), await again({ headers })]
    expect([one.json, sent()]).toEqual([two.json, 2])
  })

  test('A request right after or during a poll waits for the poll lease and sends', async () => {
    await lose('drop-before', {}, { VENDOR_CHECK_MS: '3000' })
    await untilRepeatable()
    await Promise.all([reconcileOpenChanges('job'), again().then(({ status }) => expect(status).toBe(200))])
    expect([sent(), vendor.total(vendor.flexible)]).toEqual([2, 30])
  })

  test('Parallel requests send the change once', async () => {
    await lose()
    await vi.waitFor(
      async () => {
        const answers = await Promise.all([0, 1, 0, 1].map((writer) => again({ writer })))
        expect(answers.map(({ status }) => status)).toContain(200)
      },
      { timeout: 8000, interval: 100 },
    )
    expect([sent(), vendor.fake.overlaps]).toEqual([2, 0])
  })

  test('A job sends no repeat, and other totals still wait', async () => {
    await lose()
    await untilRepeatable()
    for (let looked = 0; looked < 12; ) looked += await reconcileOpenChanges('job')
    expect([sent(), await vendor.states(vendor.flexible)]).toEqual([1, ['UNKNOWN']])
    expect((await vendor.patch(vendor.flexible, 31)).code).toBe('change_in_progress')
    await until(200)
  })

  test('A total that another user moved since is not sent again', async () => {
    await lose()
    vendor.fake.setByVendor(vendor.flexible.id, 26)
    await staysUnknown()
    expect([sent(), vendor.total(vendor.flexible)]).toEqual([1, 26])
  })

  test('A rejected repeat does not settle the first call', async () => {
    await lose()
    vendor.fake.setFault(vendor.flexible.id, { write: 'throttle' })
    await vi.waitFor(
      async () => {
        await again()
        expect(sent()).toBeGreaterThan(1)
      },
      { timeout: 8000, interval: 100 },
    )
    expect(await vendor.states(vendor.flexible)).toEqual(['UNKNOWN'])
  })
})

test('A vendor without idempotent writes receives no change twice', async () => {
  vendor = await testVendor(google, { times: { GOOGLE_SETTLE_SECONDS: '60' } })
  vendor.fake.failNext('write', 'drop-before')
  await again()
  await staysUnknown()
  expect(sent()).toBe(1)
})
