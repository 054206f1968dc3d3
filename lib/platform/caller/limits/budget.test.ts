import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { CustomerId } from '../rules.ts'
import {
  acquireQuota,
  type Budget,
  budget,
  grantedShare,
  nextQuotaSize,
  removePastWindows,
  type Share,
  type Subject,
} from './budget.ts'

// A stub database with one number per window, whose clock differs from that of the process.

const WINDOW_MS = 60_000

function ledger(quota: number) {
  const [grants, clock] = [new Map<number, number>(), { now: 0 }]
  const fetchShare = async ({ desired, waiting }: { desired: number; waiting: number }): Promise<Share> => {
    const windowNumber = Math.floor(clock.now / WINDOW_MS)
    const before = grants.get(windowNumber) ?? 0
    const share = grantedShare(quota - before, desired, waiting)
    grants.set(windowNumber, before + share)
    const leftMs = (windowNumber + 1) * WINDOW_MS - clock.now
    return { windowNumber, share, taken: before + share, quota, leftMs }
  }
  return { clock, fetchShare }
}

const counts = async (pending: ReturnType<Budget['acquire']>[]) => {
  const leases = await Promise.all(pending)
  return leases.filter((lease) => lease !== undefined).length
}

describe('a budget', () => {
  test('admits exactly its quota, for any number of processes and in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat(2), { minLength: 400, maxLength: 900 }),
        async (quota, sequence) => {
          const { clock, fetchShare } = ledger(quota)
          const processes = [0, 1, 2].map(() => budget(quota, fetchShare, () => clock.now))
          let admitted = 0
          for (const one of sequence) if (await processes[one]?.acquire()) admitted += 1
          expect(admitted).toBeLessThanOrEqual(quota)
          // Uses up the leases that the processes still hold, so that every request of the quota is admitted.
          for (const process of processes) while (await process.acquire()) admitted += 1
          expect(admitted).toBe(quota)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('queries rarely: of a thousand requests, one in fifteen waits for the database', async () => {
    const { clock, fetchShare } = ledger(1000)
    let requestCount = 0
    const one = budget(
      1000,
      (requests) => {
        requestCount += 1
        return fetchShare(requests)
      },
      () => clock.now,
    )
    for (let n = 0; n < 1000; n++) expect(await one.acquire()).toBeDefined()
    expect(requestCount).toBeLessThan(70)
    for (let n = 0; n < 1000; n++) expect(await one.acquire()).toBeUndefined()
    expect(requestCount).toBeLessThan(70)
  })

  test('starts a new quota with each window and drops the unused lease of the previous one', async () => {
    const { clock, fetchShare } = ledger(100)
    const one = budget(100, fetchShare, () => clock.now)
    expect(await counts(Array.from({ length: 40 }, () => one.acquire()))).toBe(40)
    clock.now = WINDOW_MS - 1
    expect(await counts(Array.from({ length: 100 }, () => one.acquire()))).toBe(60)
    clock.now = WINDOW_MS
    expect(await counts(Array.from({ length: 150 }, () => one.acquire()))).toBe(100)
    clock.now = 3 * WINDOW_MS
    expect(await counts(Array.from({ length: 150 }, () => one.acquire()))).toBe(100)
  })

  test('counts a request in the window in which its share was granted, even if the window ends meanwhile', async () => {
    const { clock, fetchShare } = ledger(1)
    let delayMs = 0
    const one = budget(
      1,
      async (requests) => {
        const share = await fetchShare(requests)
        clock.now += delayMs
        return share
      },
      () => clock.now,
    )
    delayMs = WINDOW_MS
    expect(await one.acquire()).toMatchObject({ windowNumber: 0 })
    delayMs = 0
    // The second request is refused by a past window, and so counts in the next one.
    expect(await one.acquire()).toMatchObject({ windowNumber: 1 })
    expect(await one.acquire()).toBeUndefined()
  })

  test('takes back a request that was not admitted, unless the window has changed', async () => {
    const { clock, fetchShare } = ledger(2)
    const one = budget(2, fetchShare, () => clock.now)
    const [first, second] = [await one.acquire(), await one.acquire()]
    expect(await one.acquire()).toBeUndefined()
    if (first) one.giveBack(first)
    expect(await one.acquire()).toBe(second)
    clock.now = WINDOW_MS
    expect(await counts([one.acquire(), one.acquire(), one.acquire()])).toBe(2)
    if (first) one.giveBack(first)
    expect(await one.acquire()).toBeUndefined()
  })

  test('rejects the waiting requests when the store fails, and asks the store again for the next request', async () => {
    const { clock, fetchShare } = ledger(5)
    let isAway = true
    const one = budget(
      5,
      (requests) => (isAway ? Promise.reject(new Error('away')) : fetchShare(requests)),
      () => clock.now,
    )
    const both = await Promise.allSettled([one.acquire(), one.acquire()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isAway = false
    expect(await one.acquire()).toBeDefined()
  })
})

describe('share', () => {
  test.each([
    [1000, undefined, 10],
    [60, undefined, 1],
    [1, undefined, 1],
    [1000, 10, 20],
    [1000, 0, 1],
  ])('a process with a quota of %i whose previous share was %j desires %i', (quota, before, desired) => {
    expect(nextQuotaSize(quota, before)).toBe(desired)
  })

  test.each([
    [1000, 10, 1, 10],
    [1000, 800, 1, 100],
    [95, 80, 1, 9],
    [9, 80, 1, 1],
    [9, 80, 5, 5],
    [9, 80, 20, 9],
    [0, 80, 3, 0],
  ])(
    'grants, with %i left, to a request for %i with %i waiting a share of %i',
    (left, desired, waiting, share) => {
      expect(grantedShare(left, desired, waiting)).toBe(share)
    },
  )

  test('never exceeds the rest, suffices for the waiting requests, and shrinks to them at the end', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 5000 }), (left, desired, waiting) => {
        const share = grantedShare(left, desired, waiting)
        expect(share).toBeLessThanOrEqual(left)
        expect(share).toBeGreaterThanOrEqual(Math.min(left, waiting))
        if (left < 10) expect(share).toBeLessThanOrEqual(waiting)
        expect(share - waiting).toBeLessThanOrEqual(left / 10)
      }),
    )
  })
})

describe('the store', () => {
  let database: TestDatabase
  let customer: CustomerId
  beforeAll(async () => {
    database = await testDatabase()
    customer = (await addNewCustomer()) as CustomerId
  })
  afterAll(() => database.close())

  const usual = { limit: 100, together: 5 }
  const DAY = 86_400
  let callers = 0
  const subject = (requests: Partial<Subject> = {}): Subject => ({
    ...{ customerId: customer, kind: 'requests', usual, caller: `key:${callers++}` },
    ...requests,
  })
  const shareRequest = (desired: number, waiting = 1, seconds = DAY) => ({ desired, waiting, seconds })

  describe('a share', () => {
    test('equals the result of `grantedShare` for consecutive requests', async () => {
      const subjectOfTest = subject()
      let left = 100
      for (const [desired, waiting] of [
        [1, 1],
        [50, 1],
        [8, 30],
        [100, 2],
        [100, 100],
        [1, 1],
      ] as const) {
        const share = grantedShare(left, desired, waiting)
        left -= share
        expect(await acquireQuota(subjectOfTest, shareRequest(desired, waiting))).toMatchObject({
          share,
          taken: 100 - left,
          quota: 100,
        })
      }
      expect(left).toBe(0)
    })

    test("uses a quota of the customer that is a multiple of each caller's own quota", async () => {
      const { caller: _, ...together } = subject()
      expect(await acquireQuota(together, shareRequest(500, 500))).toMatchObject({ share: 500, quota: 500 })
      expect(await acquireQuota(together, shareRequest(1))).toMatchObject({ share: 0, taken: 500 })
      expect(await acquireQuota(subject(), shareRequest(100, 100))).toMatchObject({ share: 100 })
      const another = (await addNewCustomer()) as CustomerId
      expect(await acquireQuota({ ...together, customerId: another }, shareRequest(1))).toMatchObject({
        share: 1,
      })
    })

    test("applies the customer's limits from the next share on", async () => {
      const subjectOfTest = subject()
      const all = { customerId: customer, kind: 'requests', usual } as const
      expect(await acquireQuota(subjectOfTest, shareRequest(10))).toMatchObject({ quota: 100 })
      await database.sql(
        customer,
        'INSERT INTO customer_limits (customer_id, requests, together) VALUES ($1, 12, 3)',
        [customer],
      )
      try {
        expect(await acquireQuota(subjectOfTest, shareRequest(5, 5))).toMatchObject({
          quota: 12,
          share: 2,
          taken: 12,
        })
        expect(await acquireQuota(all, shareRequest(1))).toMatchObject({ quota: 36, share: 0 })
        expect(await acquireQuota(subject({ kind: 'changes' }), shareRequest(1))).toMatchObject({
          quota: 100,
        })
      } finally {
        await database.sql(customer, 'UPDATE customer_limits SET requests = NULL, together = NULL')
      }
      expect(await acquireQuota(subjectOfTest, shareRequest(5))).toMatchObject({ quota: 100 })
    })

    test('names its window and the time until the window ends', async () => {
      const { windowNumber, leftMs } = await acquireQuota(subject(), shareRequest(1, 1, 60))
      expect(leftMs).toBeGreaterThan(0)
      expect(leftMs).toBeLessThanOrEqual(60_000)
      const { windowNumber: day } = await acquireQuota(subject(), shareRequest(1))
      expect(Math.floor((windowNumber * 60) / DAY)).toBe(day)
    })
  })

  test('two processes with ten times as many parallel requests admit exactly the quota', async () => {
    const subjectOfTest = subject()
    const processes = [0, 1].map(() =>
      budget(100, ({ desired, waiting }) => acquireQuota(subjectOfTest, shareRequest(desired, waiting))),
    )
    const leases = await Promise.all(Array.from({ length: 1000 }, (_, n) => processes[n % 2]?.acquire()))
    expect(leases.filter(Boolean)).toHaveLength(100)
  })

  test('two processes admit exactly the quota in each window, though windows change while requests are pending', async () => {
    const subjectOfTest = subject()
    const processes = [0, 1].map(() =>
      budget(100, ({ desired, waiting }) => acquireQuota(subjectOfTest, shareRequest(desired, waiting, 1))),
    )
    const admitted = new Map<number, number>()
    // Until four windows were seen: the first and the last one may be incomplete.
    const work = async (_: unknown, hand: number) => {
      while (admitted.size < 4) {
        const lease = await processes[hand % 2]?.acquire()
        if (lease) admitted.set(lease.windowNumber, (admitted.get(lease.windowNumber) ?? 0) + 1)
        // Fixed wait: until it asks again, as a client does.
        else await sleep(15)
      }
    }
    await Promise.all(Array.from({ length: 40 }, work))
    const inside = [...admitted.values()].slice(1, -1)
    for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(100)
    expect(inside).toEqual([100, 100])
  })

  test("row-level security holds by itself: the role sees no window outside its customer's scope, and can't write another customer's", async () => {
    await acquireQuota(subject(), shareRequest(1))
    const role = new pg.Client(loginOf(database.url, 'console_keys'))
    await role.connect()
    try {
      expect((await role.query('SELECT FROM limit_windows')).rows).toEqual([])
      expect((await role.query('SELECT FROM customer_limits')).rows).toEqual([])
      await role.query("SELECT set_config('console.customer', 'somebody-else', false)")
      const forged = role.query("INSERT INTO limit_windows VALUES ($1, 'requests', 1, 0, 0, 1)", [customer])
      await expect(forged).rejects.toMatchObject({ code: '42501' })
      expect((await role.query('UPDATE limit_windows SET taken = 0, share = 0')).rowCount).toBe(0)
    } finally {
      await role.end()
    }
  })

  test('removes past windows', async () => {
    const subjectOfTest = subject()
    await acquireQuota(subjectOfTest, shareRequest(1, 1, 60))
    // Windows of other tests are longer than a minute.
    await removePastWindows(60)
    expect(await removePastWindows(60)).toBe(0)
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query('ALTER TABLE limit_windows NO FORCE ROW LEVEL SECURITY')
    await owner.query('UPDATE limit_windows SET window_number = window_number - 61 WHERE subject LIKE $1', [
      `%${subjectOfTest.caller}`,
    ])
    await owner.end()
    expect(await removePastWindows(60)).toBe(1)
  })
})
