import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { CustomerId } from '../rules.ts'
import {
  type Budget,
  budget,
  given,
  removePastWindows,
  type Share,
  type Subject,
  takeShare,
  wanted,
} from './budget.ts'

// The database stands in as one number for each window; its clock runs apart from that of the process.

const WINDOW_MS = 60_000

function ledger(quota: number) {
  const [taken, clock] = [new Map<number, number>(), { now: 0 }]
  const ask = async ({ want, waiting }: { want: number; waiting: number }): Promise<Share> => {
    const windowNumber = Math.floor(clock.now / WINDOW_MS)
    const before = taken.get(windowNumber) ?? 0
    const share = given(quota - before, want, waiting)
    taken.set(windowNumber, before + share)
    const leftMs = (windowNumber + 1) * WINDOW_MS - clock.now
    return { windowNumber, share, taken: before + share, quota, leftMs }
  }
  return { clock, ask }
}

const counts = async (asked: ReturnType<Budget['take']>[]) => {
  const leases = await Promise.all(asked)
  return leases.filter((lease) => lease !== undefined).length
}

describe('a budget', () => {
  test('admits exactly its quota, however many processes share it and whatever the order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat(2), { minLength: 400, maxLength: 900 }),
        async (quota, order) => {
          const { clock, ask } = ledger(quota)
          const processes = [0, 1, 2].map(() => budget(quota, ask, () => clock.now))
          let admitted = 0
          for (const one of order) if (await processes[one]?.take()) admitted += 1
          expect(admitted).toBeLessThanOrEqual(quota)
          // What a process holds and is not asked for any more: then each is asked until it has nothing left.
          for (const process of processes) while (await process.take()) admitted += 1
          expect(admitted).toBe(quota)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('asks rarely: of a thousand, one request in fifteen waits for the database', async () => {
    const { clock, ask } = ledger(1000)
    let asked = 0
    const one = budget(
      1000,
      (given) => {
        asked += 1
        return ask(given)
      },
      () => clock.now,
    )
    for (let n = 0; n < 1000; n++) expect(await one.take()).toBeDefined()
    expect(asked).toBeLessThan(70)
    for (let n = 0; n < 1000; n++) expect(await one.take()).toBeUndefined()
    expect(asked).toBeLessThan(70)
  })

  test('begins anew with the next window, and what was left of the last one is not taken along', async () => {
    const { clock, ask } = ledger(100)
    const one = budget(100, ask, () => clock.now)
    expect(await counts(Array.from({ length: 40 }, () => one.take()))).toBe(40)
    clock.now = WINDOW_MS - 1
    expect(await counts(Array.from({ length: 100 }, () => one.take()))).toBe(60)
    clock.now = WINDOW_MS
    expect(await counts(Array.from({ length: 150 }, () => one.take()))).toBe(100)
    clock.now = 3 * WINDOW_MS
    expect(await counts(Array.from({ length: 150 }, () => one.take()))).toBe(100)
  })

  test('whose window ends while it is asked for counts in the window in which it was given', async () => {
    const { clock, ask } = ledger(1)
    let late = 0
    const one = budget(
      1,
      async (given) => {
        const share = await ask(given)
        clock.now += late
        return share
      },
      () => clock.now,
    )
    late = WINDOW_MS
    expect(await one.take()).toMatchObject({ windowNumber: 0 })
    late = 0
    // The second one is refused by a window that is over, so that it is counted in the next.
    expect(await one.take()).toMatchObject({ windowNumber: 1 })
    expect(await one.take()).toBeUndefined()
  })

  test('takes back what was not admitted after all, but not into another window', async () => {
    const { clock, ask } = ledger(2)
    const one = budget(2, ask, () => clock.now)
    const [first, second] = [await one.take(), await one.take()]
    expect(await one.take()).toBeUndefined()
    if (first) one.giveBack(first)
    expect(await one.take()).toBe(second)
    clock.now = WINDOW_MS
    expect(await counts([one.take(), one.take(), one.take()])).toBe(2)
    if (first) one.giveBack(first)
    expect(await one.take()).toBeUndefined()
  })

  test('that can not be asked for fails those who waited, and is asked again by the next one', async () => {
    const { clock, ask } = ledger(5)
    let isAway = true
    const one = budget(
      5,
      (given) => (isAway ? Promise.reject(new Error('away')) : ask(given)),
      () => clock.now,
    )
    const both = await Promise.allSettled([one.take(), one.take()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isAway = false
    expect(await one.take()).toBeDefined()
  })
})

describe('share', () => {
  test.each([
    [1000, undefined, 10],
    [60, undefined, 1],
    [1, undefined, 1],
    [1000, 10, 20],
    [1000, 0, 1],
  ])('of %i, after a share of %j, %i are wanted', (quota, before, want) => {
    expect(wanted(quota, before)).toBe(want)
  })

  test.each([
    [1000, 10, 1, 10],
    [1000, 800, 1, 100],
    [95, 80, 1, 9],
    [9, 80, 1, 1],
    [9, 80, 5, 5],
    [9, 80, 20, 9],
    [0, 80, 3, 0],
  ])('with %i left, who wants %i for %i that wait is given %i', (left, want, waiting, share) => {
    expect(given(left, want, waiting)).toBe(share)
  })

  test('never more than there is, enough for who waits, and in the end not more than who waits', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 5000 }), (left, want, waiting) => {
        const share = given(left, want, waiting)
        expect(share).toBeLessThanOrEqual(left)
        expect(share).toBeGreaterThanOrEqual(Math.min(left, waiting))
        if (left < 10) expect(share).toBeLessThanOrEqual(waiting)
        expect(share - waiting).toBeLessThanOrEqual(left / 10)
      }),
    )
  })
})

describe('store', () => {
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
  const subject = (given: Partial<Subject> = {}): Subject => ({
    ...{ customerId: customer, kind: 'requests', usual, caller: `key:${callers++}` },
    ...given,
  })
  const asked = (want: number, waiting = 1, seconds = DAY) => ({ want, waiting, seconds })

  describe('a share', () => {
    test('is what the rule says, one after the other', async () => {
      const own = subject()
      let left = 100
      for (const [want, waiting] of [
        [1, 1],
        [50, 1],
        [8, 30],
        [100, 2],
        [100, 100],
        [1, 1],
      ] as const) {
        const share = given(left, want, waiting)
        left -= share
        expect(await takeShare(own, asked(want, waiting))).toMatchObject({
          share,
          taken: 100 - left,
          quota: 100,
        })
      }
      expect(left).toBe(0)
    })

    test('of all keys together is of so many times as much, and each caller has its own', async () => {
      const { caller: _, ...together } = subject()
      expect(await takeShare(together, asked(500, 500))).toMatchObject({ share: 500, quota: 500 })
      expect(await takeShare(together, asked(1))).toMatchObject({ share: 0, taken: 500 })
      expect(await takeShare(subject(), asked(100, 100))).toMatchObject({ share: 100 })
      const another = (await addNewCustomer()) as CustomerId
      expect(await takeShare({ ...together, customerId: another }, asked(1))).toMatchObject({ share: 1 })
    })

    test('goes by the limits of the customer from the next one on', async () => {
      const own = subject()
      const all = { customerId: customer, kind: 'requests', usual } as const
      expect(await takeShare(own, asked(10))).toMatchObject({ quota: 100 })
      await database.sql(
        customer,
        'INSERT INTO customer_limits (customer_id, requests, together) VALUES ($1, 12, 3)',
        [customer],
      )
      try {
        expect(await takeShare(own, asked(5, 5))).toMatchObject({ quota: 12, share: 2, taken: 12 })
        expect(await takeShare(all, asked(1))).toMatchObject({ quota: 36, share: 0 })
        expect(await takeShare(subject({ kind: 'changes' }), asked(1))).toMatchObject({ quota: 100 })
      } finally {
        await database.sql(customer, 'UPDATE customer_limits SET requests = NULL, together = NULL')
      }
      expect(await takeShare(own, asked(5))).toMatchObject({ quota: 100 })
    })

    test('is of the window that it says, and says how long that lasts', async () => {
      const { windowNumber, leftMs } = await takeShare(subject(), asked(1, 1, 60))
      expect(leftMs).toBeGreaterThan(0)
      expect(leftMs).toBeLessThanOrEqual(60_000)
      const { windowNumber: day } = await takeShare(subject(), asked(1))
      expect(Math.floor((windowNumber * 60) / DAY)).toBe(day)
    })
  })

  test('of ten times as many parallel requests over two processes exactly the quota is admitted', async () => {
    const own = subject()
    const processes = [0, 1].map(() =>
      budget(100, ({ want, waiting }) => takeShare(own, asked(want, waiting))),
    )
    const leases = await Promise.all(Array.from({ length: 1000 }, (_, n) => processes[n % 2]?.take()))
    expect(leases.filter(Boolean)).toHaveLength(100)
  })

  test('and so it is in each window, whose edges come while requests are under way', async () => {
    const own = subject()
    const processes = [0, 1].map(() =>
      budget(100, ({ want, waiting }) => takeShare(own, asked(want, waiting, 1))),
    )
    const admitted = new Map<number, number>()
    // Until four windows were seen: the first and the last one may be cut off by the beginning and the end.
    const work = async (_: unknown, hand: number) => {
      while (admitted.size < 4) {
        const lease = await processes[hand % 2]?.take()
        if (lease) admitted.set(lease.windowNumber, (admitted.get(lease.windowNumber) ?? 0) + 1)
        // Fixed wait: until it asks again, as a client does.
        else await sleep(1)
      }
    }
    await Promise.all(Array.from({ length: 40 }, work))
    const inside = [...admitted.values()].slice(1, -1)
    for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(100)
    expect(inside).toEqual([100, 100])
  })

  test('the wall holds alone: without its customer the role sees no window, and writes none of others', async () => {
    await takeShare(subject(), asked(1))
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

  test('windows that are long over are removed', async () => {
    const own = subject()
    await takeShare(own, asked(1, 1, 60))
    // Those of other tests are longer than a minute.
    await removePastWindows(60)
    expect(await removePastWindows(60)).toBe(0)
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query('ALTER TABLE limit_windows NO FORCE ROW LEVEL SECURITY')
    await owner.query('UPDATE limit_windows SET window_number = window_number - 61 WHERE subject LIKE $1', [
      `%${own.caller}`,
    ])
    await owner.end()
    expect(await removePastWindows(60)).toBe(1)
  })
})
