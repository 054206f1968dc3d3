import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type GuardedVendor, withBreaker } from './breaker.ts'
import type { Observed, RemoteVendor, SubscriptionRef, VendorRead, WriteAnswer } from './vendor.ts'

const PAUSE = 30_000
const signal = new AbortController().signal
/** Returns a subscription by number; even numbers belong to one customer, odd ones to another. */
const ref = (n: number): SubscriptionRef => ({
  customerId: `C-${n % 2}`,
  subscriptionId: `S-${n}`,
  skuId: 'K',
})
const observed = (n: number): Observed => ({
  ...ref(n),
  status: 'ACTIVE',
  planName: 'FLEXIBLE',
  isCommitmentPlan: false,
  renewalType: null,
  commitmentStart: null,
  commitmentEnd: null,
  seats: { purchased: 1, maximum: 1, assigned: 0 },
})
const down: VendorRead & { kind: 'unavailable' } = { kind: 'unavailable', reason: 'no answer' }
const up: VendorRead = { kind: 'read', observed: observed(0) }
/** As a caller gets it. */
const upNow = { kind: 'read', observed: { ...observed(0), requestedAt: expect.any(Number) } }

let answers: { read: VendorRead; write: WriteAnswer; list: 'page' | 'down' }
let calls: number
/** Calls are answered when this is resolved. */
let pending: Promise<void>
let vendor: GuardedVendor
let remote: RemoteVendor

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  answers = { read: down, write: { kind: 'unknown', reason: 'cut' }, list: 'page' }
  calls = 0
  pending = Promise.resolve()
  const called = async <T>(answer: () => T) => {
    calls += 1
    await pending
    return answer()
  }
  remote = {
    name: 'v',
    label: 'V',
    account: 'default',
    systemOfRecord: 'theirs',
    settleMs: 1,
    idempotentWrites: undefined,
    predictOutcome: () => ({ kind: 'applied', seats: observed(0).seats }),
    isSame: () => true,
    read: () => called(() => answers.read),
    setQuantity: () => called(() => answers.write),
    lookup: () => called((): WriteAnswer => ({ kind: 'unknown', reason: 'not yet' })),
    list: () =>
      called(() =>
        answers.list === 'page' ? { kind: 'page' as const, items: [], failed: [], next: undefined } : down,
      ),
    secondsUntilAvailable: async () => 0,
  }
  vendor = withBreaker(remote, PAUSE)
})
afterEach(() => vi.useRealTimers())

const read = (n = 1) => vendor.read(ref(n), signal)
const write = (n = 1) => vendor.setQuantity(observed(n), 2, 'id', signal)
const list = () => vendor.list(undefined, signal)
const fail = async (...numbers: number[]) => {
  for (const n of numbers) await read(n)
}

test('stops calling a vendor after five subscriptions failed in a row, and reports for how long', async () => {
  await fail(1, 2, 3, 4)
  expect(vendor.pausedFor()).toBe(0)
  await fail(5)
  expect(vendor.pausedFor()).toBe(30)
  expect(await read(6)).toMatchObject({ kind: 'unavailable', retryAfter: 30 })
  expect(await list()).toMatchObject({ kind: 'unavailable' })
  expect(await vendor.lookup?.(ref(1), { changeId: 'id', pollRef: undefined }, signal)).toMatchObject({
    kind: 'unknown',
    reason: expect.stringContaining('left alone'),
  })
  expect(calls).toBe(5)
})

describe('the closed breaker', () => {
  test('ignores repeated failures of one subscription', async () => {
    for (let n = 0; n < 20; n++) {
      await fail(1)
      await write(1)
    }
    expect([calls, vendor.pausedFor()]).toEqual([40, 0])
  })

  test('ignores failures of one customer’s subscriptions', async () => {
    await fail(1, 3, 5, 7, 9, 11, 13)
    for (const n of [1, 3, 5, 7, 9, 11, 13]) await write(n)
    expect([calls, vendor.pausedFor()]).toEqual([14, 0])
    await fail(2)
    expect(vendor.pausedFor()).toBe(30)
  })

  test('ignores an error that the vendor limits to one subscription', async () => {
    answers.read = { kind: 'unavailable', reason: 'several of this product', others: 'answer' }
    await fail(1, 2, 3, 4, 5, 6, 7, 8, 9)
    expect([calls, vendor.pausedFor()]).toEqual([9, 0])
  })
})

test('each failure of a list counts, because a list belongs to no subscription', async () => {
  answers.list = 'down'
  for (let n = 0; n < 5; n++) await list()
  expect(vendor.pausedFor()).toBe(30)
})

describe('the half-open breaker', () => {
  beforeEach(async () => {
    await fail(1, 2, 3, 4, 5)
    vi.advanceTimersByTime(PAUSE)
  })

  test('admits one call, which decides', async () => {
    expect(vendor.pausedFor()).toBe(0)
    const probe = read(1)
    expect(await read(2)).toMatchObject({ kind: 'unavailable' })
    expect(vendor.pausedFor()).toBeGreaterThan(0)
    await probe
    expect([calls, vendor.pausedFor()]).toEqual([6, 30])
    vi.advanceTimersByTime(PAUSE)
    answers.read = up
    expect(await read(2)).toEqual(upNow)
    answers.read = down
    await fail(1, 2, 3, 4)
    expect([calls, vendor.pausedFor()]).toEqual([11, 0])
  })

  test('admits one call at a time, even if it takes longer than the pause', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    pending = promise
    const probe = read(1)
    vi.advanceTimersByTime(PAUSE * 3)
    expect(await read(2)).toMatchObject({ kind: 'unavailable', retryAfter: 1 })
    expect(await list()).toMatchObject({ kind: 'unavailable' })
    expect(calls).toBe(6)
    resolve()
    await probe
  })

  test('does not admit a subscription whose probe failed a second time in a row', async () => {
    await fail(1)
    vi.advanceTimersByTime(PAUSE)
    expect(await read(1)).toMatchObject({ kind: 'unavailable', retryAfter: 30 })
    expect(calls).toBe(6)
    answers.read = up
    expect(await read(2)).toEqual(upNow)
    expect(vendor.pausedFor()).toBe(0)
  })

  test('admits a subscription whose probe failed after a longer pause if no other one is requested', async () => {
    await fail(1)
    vi.advanceTimersByTime(PAUSE * 2)
    answers.read = up
    expect(await read(1)).toEqual(upNow)
  })
})

test('the state in an answer is as old as the request, however long the answer took', async () => {
  const requestedAt = Date.now()
  answers.read = up
  answers.write = { kind: 'applied', observed: observed(1) }
  for (const call of [read, write]) {
    vi.setSystemTime(requestedAt)
    const { resolve, promise } = Promise.withResolvers<void>()
    pending = promise
    const answer = call()
    vi.setSystemTime(requestedAt + 3000)
    resolve()
    expect(await answer).toMatchObject({ observed: { requestedAt } })
  }
})

test('a throttle counts neither as a failure nor as a success: the budget handles it', async () => {
  await fail(1, 2, 3, 4)
  answers.read = { kind: 'unavailable', reason: 'throttled', why: 'throttled' }
  await fail(5, 6)
  expect(vendor.pausedFor()).toBe(0)
  answers.read = down
  await fail(5)
  expect(vendor.pausedFor()).toBe(30)
  answers.read = up
  vi.advanceTimersByTime(PAUSE)
  await fail(6)
  answers.write = { kind: 'not_sent', code: 'vendor_unavailable', reason: 'throttled', why: 'throttled' }
  for (const n of [1, 2, 3, 4, 5, 6]) await write(n)
  expect(vendor.pausedFor()).toBe(0)
})

test('a success or a refusal resets the failures', async () => {
  await fail(1, 2, 3, 4)
  answers.read = up
  await read()
  answers.read = down
  await fail(1, 2, 3, 4)
  for (const n of [1, 2, 3, 4]) await write(n)
  answers.write = { kind: 'rejected', code: 'vendor_rejected', reason: 'no' }
  await write()
  answers.write = { kind: 'unknown', reason: 'cut' }
  for (const n of [1, 2, 3, 4]) await write(n)
  expect(vendor.pausedFor()).toBe(0)
})

test('failing writes open the breaker in spite of successful reads, until a write succeeds', async () => {
  answers.read = up
  for (const n of [1, 2, 3, 4, 5]) {
    await read(n)
    await write(n)
  }
  expect(vendor.pausedFor()).toBe(30)
  vi.advanceTimersByTime(PAUSE)
  // Successful reads neither count for writes nor prevent a write from probing.
  await read(6)
  expect(vendor.pausedFor()).toBe(0)
  await write(6)
  expect(vendor.pausedFor()).toBe(30)
  vi.advanceTimersByTime(PAUSE)
  answers.write = { kind: 'applied', observed: observed(7) }
  await write(7)
  answers.write = { kind: 'unknown', reason: 'cut' }
  for (const n of [1, 2, 3, 4]) await write(n)
  expect(vendor.pausedFor()).toBe(0)
})

test('a write with an unknown outcome counts as a failure, and writes are never refused', async () => {
  await fail(1, 2, 3, 4, 5)
  await write()
  expect(calls).toBe(6)
})

describe('probes of several processes', () => {
  const lock = { isFree: true, taken: 0 }
  const probes = {
    tryAcquire: async () => {
      if (!lock.isFree) return false
      lock.isFree = false
      lock.taken += 1
      return true
    },
    release: async () => {
      lock.isFree = true
    },
  }

  test('are sent one at a time by all processes together, until one succeeds', async () => {
    const [one, another] = [withBreaker(remote, PAUSE, probes), withBreaker(remote, PAUSE, probes)]
    for (const n of [1, 2, 3, 4, 5]) for (const process of [one, another]) await process.read(ref(n), signal)
    expect([one.pausedFor(), another.pausedFor()]).toEqual([30, 30])
    const before = calls
    vi.setSystemTime(Date.now() + PAUSE)
    expect(await one.read(ref(6), signal)).toMatchObject({ reason: 'no answer' })
    expect(await another.read(ref(6), signal)).toMatchObject({ retryAfter: 30 })
    expect([calls - before, lock.taken]).toEqual([1, 1])
    lock.isFree = true
    answers.read = up
    vi.setSystemTime(Date.now() + PAUSE)
    expect((await one.read(ref(7), signal)).kind).toBe('read')
    // When the vendor answers again, no process has to wait for a probe.
    expect((await another.read(ref(7), signal)).kind).toBe('read')
    expect([one.pausedFor(), another.pausedFor()]).toEqual([0, 0])
  })
})
