import { availableParallelism } from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import {
  acquireReadSlot,
  type Bounds,
  byteBudget,
  checkUnread,
  fairBatches,
  fairSemaphore,
  gate,
  holdUnread,
} from './concurrency.ts'

const timeoutError = () => new Error('no turn in time')

/** Returns a semaphore for a pool of this number of connections. */
function onPool(most: number, share: number, waitMs = 60_000) {
  return fairSemaphore({ most, share, waitMs, timeoutError })
}

/** Resolves to whether the slot was granted immediately. */
async function isThere(slot: Promise<unknown>): Promise<boolean> {
  let there = false
  slot.then(
    () => {
      there = true
    },
    () => {},
  )
  await new Promise(setImmediate)
  return there
}

test('one customer leaves room for the first request of another', async () => {
  const { acquire } = onPool(4, 3)
  await Promise.all([acquire('a'), acquire('a'), acquire('a')])
  expect(await isThere(acquire('a'))).toBe(false)
  expect(await isThere(acquire('b'))).toBe(true)
})

test('a free slot goes to the waiting customer with the fewest slots, and not to the first in line', async () => {
  const { acquire } = onPool(2, 2)
  const [first] = await Promise.all([acquire('a'), acquire('a')])
  const again = acquire('a')
  const other = acquire('b')
  first?.()
  expect([await isThere(again), await isThere(other)]).toEqual([false, true])
})

test('customers who hold equally few slots get one each before one of them gets a second', async () => {
  const { acquire } = onPool(1, 1)
  const started: string[] = []
  const first = await acquire('a')
  for (const who of ['a', 'a', 'b', 'b'])
    acquire(who).then((end) => {
      started.push(who)
      end()
    })
  first()
  await new Promise(setImmediate)
  expect(started).toEqual(['a', 'b', 'a', 'b'])
})

test('a slot is released only once', async () => {
  const { acquire } = onPool(1, 1)
  const end = await acquire('a')
  end()
  end()
  await acquire('a')
  expect(await isThere(acquire('a'))).toBe(false)
})

test('a request that waits too long is rejected, and takes no slot from others afterwards', async () => {
  vi.useFakeTimers()
  try {
    const { acquire } = onPool(1, 1, 2000)
    const end = await acquire('a')
    const timedOut = acquire('a')
    const rejected = expect(timedOut).rejects.toThrow('no turn in time')
    await vi.advanceTimersByTimeAsync(2000)
    await rejected
    const next = acquire('b')
    end()
    expect(await next).toBeTypeOf('function')
  } finally {
    vi.useRealTimers()
  }
})

test('any sequence of requests respects the limits of all and of each customer, and serves every request', async () => {
  const step = fc.record({ customer: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, share) => {
        const most = 4
        const { acquire } = onPool(most, share)
        const running: { customer: string; end: () => void }[] = []
        let requestCount = 0
        let started = 0
        const goOn = async () => {
          await new Promise(setImmediate)
          expect(running.length).toBeLessThanOrEqual(most)
          for (const one of ['a', 'b', 'c'])
            expect(running.filter(({ customer }) => customer === one).length).toBeLessThanOrEqual(share)
        }
        for (const { customer, ends } of steps) {
          if (ends) running.shift()?.end()
          else {
            requestCount += 1
            acquire(customer).then((end) => {
              started += 1
              running.push({ customer, end })
            })
          }
          await goOn()
        }
        // Releases all slots in turn, so that all requests have started.
        for (let left = requestCount; left > 0; left--) {
          running.shift()?.end()
          await goOn()
        }
        expect(started).toBe(requestCount)
      },
    ),
    { numRuns: 60 },
  )
})

/** Returns a queue of work that ends on demand, with the order in which it was started. */
function work(mostWaiting: Bounds['mostWaiting'] = { each: 3, all: 5 }) {
  const { acquire } = fairSemaphore({
    most: 1,
    share: 1,
    mostWaiting,
    timeoutError: () => new Error('too many wait'),
  })
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const request = (name: string) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return acquire(name.slice(0, 1)).then((ended) => {
      started.push(name)
      return end.promise.finally(ended)
    })
  }
  /** Ends one piece of work after the other, each after its start. */
  const finish = async (count: number) => {
    for (let ended = 0; ended < count; ended++) {
      await expect.poll(() => started.length).toBe(ended + 1)
      ends.get(started[ended] ?? '')?.resolve('done')
    }
  }
  return { started, ends, request, finish }
}

describe('a semaphore with a single slot', () => {
  test('serves the customers in turn', async () => {
    const { started, request, finish } = work()
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(request)
    await expect.poll(() => started).toEqual(['a1'])
    await finish(6)
    expect(await Promise.all(all)).toEqual(Array(6).fill('done'))
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })

  test('rejects requests when too many of one customer, or of all, are waiting', async () => {
    const { started, ends, request, finish } = work()
    const all = ['a1', 'a2', 'a3', 'a4'].map(request)
    await expect(request('a5')).rejects.toThrow('too many wait')
    all.push(request('b1'), request('c1'))
    await expect(request('d1')).rejects.toThrow('too many wait')
    await finish(6)
    await Promise.all(all)
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
    // A rejected customer may request again.
    const again = request('d2')
    await expect.poll(() => started.at(-1)).toBe('d2')
    ends.get('d2')?.resolve('done')
    expect(await again).toBe('done')
  })

  test('continues after failed work', async () => {
    const { ends, request, started } = work()
    const [first, second] = [request('a1'), request('b1')]
    ends.get('a1')?.reject(new Error('It cannot be drawn.'))
    await expect(first).rejects.toThrow('cannot be drawn')
    await expect.poll(() => started).toEqual(['a1', 'b1'])
    ends.get('b1')?.resolve('done')
    expect(await second).toBe('done')
  })
})

const READ = { method: 'GET', limit: 'requests' } as AnyContract

test('a customer with many parallel requests leaves room for another one, and waits in turn', async () => {
  const slots = await Promise.all(Array.from({ length: 12 }, () => acquireReadSlot(READ, 'flood')))
  const thirteenth = acquireReadSlot(READ, 'flood')
  expect(await isThere(thirteenth)).toBe(false)
  const other = acquireReadSlot(READ, 'other')
  expect(await isThere(other)).toBe(true)
  slots[0]?.()
  expect(await isThere(thirteenth)).toBe(true)
  for (const end of [...slots.slice(1), await thirteenth, await other]) end()
})

test("a customer's request behind a hundred others is refused with Retry-After, and other customers' are served", async () => {
  const slots = await Promise.all(Array.from({ length: 12 }, () => acquireReadSlot(READ, 'flood')))
  const waiting = Array.from({ length: 100 }, () => acquireReadSlot(READ, 'flood'))
  await expect(acquireReadSlot(READ, 'flood')).rejects.toMatchObject({
    code: 'service_unavailable',
    more: { headers: { 'Retry-After': '1' } },
  })
  const other = await acquireReadSlot(READ, 'other')
  for (const end of [...slots, other]) end()
  for (const one of waiting) (await one)()
})

test.each([
  ['a change', { method: 'PATCH', limit: 'changes' }],
  ['what is sent while it is made', { method: 'GET', limit: 'exports' }],
])('%s waits for no read', async (_, contract) => {
  const slots = await Promise.all(Array.from({ length: 12 }, () => acquireReadSlot(READ, 'flood')))
  expect(await isThere(acquireReadSlot(contract as AnyContract, 'flood'))).toBe(true)
  for (const end of slots) end()
})

describe('exports of several customers', () => {
  const AT_ONCE = Math.max(1, availableParallelism() - 1)

  // A batch of a busy machine is not taken for one that waits for the database.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Returns an export of so many batches, and calls `note` at each. */
  async function* counted(values: number, note: () => void) {
    for (let value = 0; value < values; value++) {
      note()
      await new Promise(setImmediate)
      yield value
    }
  }

  test('take turns, and leave a processor to others', async () => {
    const read = { flood: 0, other: 0 }
    let [active, most] = [0, 0]
    const exported = async (customer: keyof typeof read, values: number) => {
      const source = counted(values, () => {
        read[customer] += 1
        active += 1
        most = Math.max(most, active)
      })
      for await (const _ of fairBatches(customer, source)) active -= 1
      return read.flood
    }
    const flood = Array.from({ length: AT_ONCE + 2 }, () => exported('flood', 100))
    // While a customer has many exports, another one's takes no longer than between equals.
    expect(await exported('other', 20)).toBeLessThanOrEqual(22 * AT_ONCE)
    await Promise.all(flood)
    expect(most).toBe(AT_ONCE)
    expect(read).toEqual({ flood: 100 * (AT_ONCE + 2), other: 20 })
  })

  test('do not wait for one that waits for the database', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<void>()
    const slow = Array.from({ length: AT_ONCE }, () => fairBatches('slow', waitingFor(answer)))
    const slowBatches = slow.map((batches) => batches.next())
    const other = fairBatches('other', waitingFor(Promise.resolve()))
    const batch = other.next()
    expect(await isThere(batch)).toBe(false)
    await vi.advanceTimersByTimeAsync(250)
    expect(await batch).toEqual({ done: false, value: 'made' })
    resolve()
    expect(await Promise.all(slowBatches)).toHaveLength(AT_ONCE)
    for (const batches of [...slow, other]) await batches.return()
  })

  async function* waitingFor(answer: Promise<void>) {
    await answer
    yield 'made'
  }

  test('end their work when they are stopped, and leave their turn', async () => {
    let isEnded = false
    const source = async function* () {
      try {
        yield 1
        yield 2
      } finally {
        isEnded = true
      }
    }
    for await (const _ of fairBatches('a', source())) break
    expect(isEnded).toBe(true)
    expect(await Array.fromAsync(fairBatches('b', source()))).toEqual([1, 2])
  })
})

const LONG = 60_000

test('a gate admits its number at a time, the others in order, and refuses those beyond the queue', async () => {
  const enter = gate({ atOnce: 2, waiting: 2, timeoutMs: LONG })
  const inside: number[] = []
  const leave: (() => void)[] = []
  const come = (n: number) =>
    enter().then((out) => {
      inside.push(n)
      leave.push(out)
    })
  const all = [1, 2, 3, 4].map(come)
  await expect(come(5)).rejects.toMatchObject({
    code: 'service_unavailable',
    more: { headers: { 'Retry-After': '2' } },
  })
  expect(inside).toEqual([1, 2])
  leave[0]?.()
  // Leaving twice has no effect.
  leave[0]?.()
  // A request that arrives at this moment is served after the waiting ones.
  const newcomer = come(6)
  await turn()
  expect(inside).toEqual([1, 2, 3])
  for (const out of leave) out()
  await turn()
  for (const out of leave) out()
  await Promise.all([...all, newcomer])
  expect(inside).toEqual([1, 2, 3, 4, 6])
  for (const out of leave) out()
  await Promise.all([come(7), come(8)])
})

test('a request waits no longer than the timeout, and takes no place after it has given up', async () => {
  const enter = gate({ atOnce: 1, waiting: 5, timeoutMs: 1 })
  const leave = await enter()
  await expect(enter()).rejects.toMatchObject({ code: 'service_unavailable' })
  leave()
  expect(await enter()).toBeTypeOf('function')
})

test('a gate admits those that go first before others that wait longer', async () => {
  const enter = gate({ atOnce: 1, waiting: 10, timeoutMs: 5000 })
  const leave = await enter()
  const admitted: string[] = []
  const wait = async (name: string, isFirst: boolean) => {
    const end = await enter(isFirst)
    admitted.push(name)
    end()
  }
  const all = [wait('stranger', false), wait('other stranger', false), wait('known', true)]
  leave()
  await Promise.all(all)
  expect(admitted).toEqual(['known', 'stranger', 'other stranger'])
})

test('a budget of bytes rejects unknown clients first, then a customer over its share, until bytes are released', () => {
  const budget = byteBudget({ all: 100, each: 50, anonymous: 40 })
  budget.reserve(40, undefined)
  expect(() => budget.reserve(1, undefined)).toThrow('Too much')
  budget.reserve(50, 'a')
  expect(() => budget.check('a')).toThrow('Too much')
  budget.reserve(10, 'b')
  expect(() => budget.check('b')).toThrow('Too much')
  budget.release(40, undefined)
  expect(() => budget.check('a')).toThrow('Too much')
  expect(() => budget.reserve(1, undefined)).toThrow('Too much')
  budget.check('b')
  budget.release(50, 'a')
  budget.reserve(30, undefined)
  expect(() => budget.check(undefined)).toThrow('Too much')
})

test('held bytes may exceed a budget of bytes, and are released once', () => {
  const budget = byteBudget({ all: 100, anonymous: 40 })
  const release = budget.hold(200, 'a')
  expect(() => budget.check('b')).toThrow('Too much')
  release()
  release()
  budget.reserve(100, 'b')
  expect(() => budget.check('a')).toThrow('Too much')
})

test('a customer that takes its answers too slowly is refused reads, but no changes, and no other customer is', () => {
  const release = holdUnread(25 * 1024 * 1024, 'slow')
  expect(() => checkUnread('GET', 'slow')).toThrow('Too much')
  checkUnread('POST', 'slow')
  checkUnread('GET', 'other')
  expect(() => checkUnread('GET', undefined)).toThrow('Too much')
  release()
  checkUnread('GET', 'slow')
  checkUnread('GET', undefined)
})
