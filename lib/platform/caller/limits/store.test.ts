import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import type { CustomerId } from '../rules.ts'
import { budget } from './budget.ts'
import { given } from './share.ts'
import { removePastWindows, type Subject, takeShare } from './store.ts'

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
  const processes = [0, 1].map(() => budget(100, ({ want, waiting }) => takeShare(own, asked(want, waiting))))
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
