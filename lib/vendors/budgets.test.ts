import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { microsoft } from '#lib/vendors/microsoft/declaration.ts'
import { startMicrosoft } from '../../test/fakes/microsoft/fake.ts'
import { probesOf } from './breaker.ts'
import { budgetsOf } from './budgets.ts'
import { remoteVendor } from './vendors.ts'

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})
beforeEach(async () => {
  await owner.query('DELETE FROM vendor_budgets')
})

const deadline = () => AbortSignal.timeout(5000)
/**
 * Returns a budget that refills too slowly to matter in a test: a fifth is available immediately, one more call after
 * some seconds.
 */
const budget = (callsPerMinute = 15, account = 'default', api = 'reseller', vendor = 'v') =>
  budgetsOf(vendor, account)(api, callsPerMinute)
/** Moves all times of the row back by this number of seconds. */
const passed = (seconds: number) =>
  owner.query(
    `UPDATE vendor_budgets SET refilled_at = refilled_at - make_interval(secs => $1),
       closed_until = closed_until - make_interval(secs => $1)`,
    [seconds],
  )
const kinds = async (calls: Promise<{ kind: string }>[]) => {
  const permits = (await Promise.all(calls)).map(({ kind }) => kind)
  return { granted: permits.filter((kind) => kind === 'granted').length, asked: permits.length }
}
const shut = { kind: 'held', reason: expect.stringContaining('throttled by the vendor') }

describe('a budget', () => {
  test('admits a fifth of a minute’s calls as a burst, for concurrent callers together', async () => {
    const [one, another] = [budget(50), budget(50)]
    const calls = Array.from({ length: 50 }, (_, n) => (n % 2 ? one : another).acquire(false, deadline()))
    expect(await kinds(calls)).toEqual({ granted: 10, asked: 50 })
  })

  test('returns the time to wait when it is used up, and refills evenly', async () => {
    const one = budget()
    expect(
      await kinds([
        one.acquire(false, deadline()),
        one.acquire(false, deadline()),
        one.acquire(false, deadline()),
      ]),
    ).toEqual({
      granted: 3,
      asked: 3,
    })
    const permit = await one.acquire(false, deadline())
    expect(permit).toEqual({ kind: 'held', reason: expect.stringContaining('used up'), retryAfter: 5 })
    await passed(5)
    expect((await one.acquire(false, deadline())).kind).toBe('granted')
    expect((await one.acquire(false, deadline())).kind).toBe('held')
    await passed(3600)
    for (let n = 0; n < 3; n++) expect((await one.acquire(false, deadline())).kind).toBe('granted')
    expect((await one.acquire(false, deadline())).kind).toBe('held')
  })

  test('waits for a call that becomes available in a moment', async () => {
    const one = budget(300)
    for (let n = 0; n < 62; n++) expect((await one.acquire(false, deadline())).kind).toBe('granted')
  })

  test('reserves a fifth of the burst for people, which jobs can’t use', async () => {
    const one = budget(50)
    expect(await one.secondsUntilAvailable()).toBe(0)
    for (let n = 0; n < 8; n++) expect((await one.acquire(true, deadline())).kind).toBe('granted')
    expect(await one.secondsUntilAvailable()).toBe(2)
    const end = new AbortController()
    const job = one.acquire(true, end.signal)
    expect(await kinds([one.acquire(false, deadline()), one.acquire(false, deadline())])).toMatchObject({
      granted: 2,
    })
    end.abort()
    expect((await job).kind).toBe('held')
  })

  test('belongs to one account at one API, separate from other accounts, APIs and vendors', async () => {
    const one = budget()
    await one.acquire(false, deadline())
    await one.close(30)
    expect(await one.acquire(false, deadline())).toMatchObject({ ...shut, retryAfter: 30 })
    const others = [
      budget(15, 'emea'),
      budget(15, 'default', 'graph'),
      budget(15, 'default', 'reseller', 'w'),
    ]
    expect(await kinds(others.map((other) => other.acquire(false, deadline())))).toMatchObject({ granted: 3 })
  })
})

describe('a throttle', () => {
  test('closes the account for all processes until the vendor’s time, and never earlier than an earlier throttle', async () => {
    const [one, another] = [budget(), budget()]
    await one.acquire(false, deadline())
    await one.close(30)
    await another.close(2)
    expect(await another.acquire(false, deadline())).toMatchObject({ ...shut, retryAfter: 30 })
    expect(await another.acquire(true, deadline())).toMatchObject({ ...shut, retryAfter: 30 })
    expect(await another.secondsUntilAvailable()).toBe(30)
    await passed(31)
    expect((await another.acquire(false, deadline())).kind).toBe('granted')
  })

  test('closes for five seconds by default, and twice as long each time that it recurs soon', async () => {
    const one = budget()
    await one.acquire(false, deadline())
    const waits = async () =>
      Promise.all([one.close(undefined), one.close(undefined)]).then(() => one.secondsUntilAvailable())
    expect(await waits()).toBe(5)
    await passed(6)
    expect(await waits()).toBe(10)
    await passed(11)
    expect(await waits()).toBe(20)
    const longer = []
    for (let wait = 20; longer.length < 6; ) {
      await passed(wait + 1)
      wait = await waits()
      longer.push(wait)
    }
    expect(longer).toEqual([40, 80, 160, 320, 600, 600])
    await passed(3600)
    expect(await waits()).toBe(5)
  })
})

test('a call that can’t be counted is not sent', async () => {
  await owner.query('ALTER TABLE vendor_budgets RENAME TO away')
  try {
    const permit = await budget().acquire(false, deadline())
    expect(permit).toEqual({ kind: 'held', reason: expect.stringContaining('not be counted'), retryAfter: 5 })
    await budget().close(1)
    expect(await budget().secondsUntilAvailable()).toBe(5)
  } finally {
    await owner.query('ALTER TABLE away RENAME TO vendor_budgets')
  }
})

test('a 429 in the middle of a list stops all calls of this account for the given time, and no others', async () => {
  const fake = await startMicrosoft({
    retryAfter: 30,
    choose: ({ name, params }) =>
      name === 'subscriptions' && params.customer === 'c-9' ? 'throttle' : undefined,
  })
  try {
    for (let n = 0; n < 15; n++) fake.add({ id: `s-${n}`, customerId: `c-${n}` })
    // Two processes that share the database only.
    const process = (account = 'default') =>
      remoteVendor(microsoft, fake.config, budgetsOf('microsoft-partner-center', account))
    const [job, web] = [process(), process()]
    const page = await job.list(undefined, deadline())
    expect(page).toMatchObject({ kind: 'page', failed: [], next: expect.any(String) })
    const listed = page.kind === 'page' ? page.items : []
    // The page ends before the first call without an answer: parallel calls may be answered in any order.
    const before = Array.from({ length: 9 }, (_, n) => `c-${n}`)
    expect(before.slice(0, listed.length)).toEqual(listed.map(({ customerId }) => customerId))
    expect(listed.length).toBeGreaterThanOrEqual(1)
    const calls = fake.exchanges.length
    const [first] = listed
    if (!first) return expect.fail('nothing was read')
    const throttled = { retryAfter: 30, why: 'throttled' }
    expect(await web.read(first, deadline())).toMatchObject({ kind: 'unavailable', ...throttled })
    expect(await web.setQuantity(first, 26, crypto.randomUUID(), deadline())).toMatchObject({
      ...{ kind: 'not_sent', code: 'vendor_unavailable' },
      ...throttled,
    })
    const next = page.kind === 'page' ? page.next : undefined
    for (const one of [job, web]) {
      expect(await one.list(next, deadline())).toMatchObject({ kind: 'unavailable', ...throttled })
    }
    // Only a token was fetched for the second process.
    expect(fake.exchanges.slice(calls).map(({ call }) => call.name)).toEqual(['token'])
    expect(await process('emea').read(first, deadline())).toMatchObject({ kind: 'read' })
  } finally {
    await fake.close()
  }
})

test('the probe of a failed vendor is shared by all processes, until the vendor answers', async () => {
  const account = { vendor: 'probed', vendorAccount: 'default' }
  const permits = await Promise.all(Array.from({ length: 8 }, () => probesOf(account).tryAcquire(60_000)))
  expect(permits.filter(Boolean)).toHaveLength(1)
  expect(await probesOf({ ...account, vendorAccount: 'emea' }).tryAcquire(60_000)).toBe(true)
  expect(await probesOf(account).tryAcquire(0)).toBe(true)
  expect(await probesOf(account).tryAcquire(60_000)).toBe(false)
  await probesOf(account).release()
  expect(await probesOf(account).tryAcquire(60_000)).toBe(true)
})
