import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Budget, budget } from './budget.ts'
import { given } from './share.ts'
import type { Share } from './store.ts'

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
