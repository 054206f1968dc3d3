import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type GuardedVendor, withBreaker } from './breaker.ts'
import type { Observed, Reading, RemoteVendor, WriteAnswer } from './vendor.ts'

const PAUSE = 30_000
const ref = { customerId: 'C', subscriptionId: 'S', skuId: 'K' }
const signal = new AbortController().signal
const observed: Observed = {
  ...ref,
  status: 'ACTIVE',
  planName: 'FLEXIBLE',
  isCommitmentPlan: false,
  renewalType: null,
  commitmentStart: null,
  commitmentEnd: null,
  seats: { purchased: 1, maximum: 1, assigned: 0 },
}
const down: Reading = { kind: 'unavailable', reason: 'no answer' }
const up: Reading = { kind: 'read', observed }

let answers: { read: Reading; write: WriteAnswer }
let calls: number
let vendor: GuardedVendor

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  answers = { read: down, write: { kind: 'unknown', reason: 'cut' } }
  calls = 0
  const called = async <T>(answer: T) => {
    calls += 1
    return answer
  }
  const remote: RemoteVendor = {
    name: 'v',
    label: 'V',
    books: 'theirs',
    settleMs: 1,
    idempotentWrites: undefined,
    foresee: () => ({ kind: 'applied', seats: observed.seats }),
    isSame: () => true,
    read: () => called(answers.read),
    setQuantity: () => called(answers.write),
    list: () => called({ kind: 'page', items: [] }),
  }
  vendor = withBreaker(remote, PAUSE)
})
afterEach(() => vi.useRealTimers())

const read = () => vendor.read(ref, signal)
const fail = async (times: number) => {
  for (let n = 0; n < times; n++) await read()
}

test('leaves a vendor alone after five failures in a row, and says for how long', async () => {
  await fail(4)
  expect(vendor.pausedFor()).toBe(0)
  await fail(1)
  expect(vendor.pausedFor()).toBe(30)
  expect(await read()).toMatchObject({ kind: 'unavailable', retryAfter: 30 })
  expect(await vendor.list(undefined, signal)).toMatchObject({ kind: 'unavailable' })
  expect(calls).toBe(5)
})

test('lets one call through afterwards, which decides', async () => {
  await fail(5)
  vi.advanceTimersByTime(PAUSE)
  expect(vendor.pausedFor()).toBe(0)
  const trial = read()
  expect(await read()).toMatchObject({ kind: 'unavailable', retryAfter: 30 })
  await trial
  expect([calls, vendor.pausedFor()]).toEqual([6, 30])
  vi.advanceTimersByTime(PAUSE)
  answers.read = up
  expect(await read()).toEqual(up)
  await fail(4)
  expect([calls, vendor.pausedFor()]).toEqual([11, 0])
})

const write = () => vendor.setQuantity(observed, 2, 'id', signal)

test('a success between failures counts, and so does a refusal', async () => {
  await fail(4)
  answers.read = up
  await read()
  answers.read = down
  await fail(4)
  for (let n = 0; n < 4; n++) await write()
  answers.write = { kind: 'rejected', code: 'vendor_rejected', reason: 'no' }
  await write()
  answers.write = { kind: 'unknown', reason: 'cut' }
  for (let n = 0; n < 4; n++) await write()
  expect(vendor.pausedFor()).toBe(0)
})

test('a vendor that shows everything and changes nothing is left alone too', async () => {
  answers.read = up
  for (let n = 0; n < 5; n++) {
    await read()
    await write()
  }
  expect(vendor.pausedFor()).toBe(30)
})

test('one subscription that can’t be read says nothing of the vendor', async () => {
  answers.read = { kind: 'unavailable', reason: 'several of this product', others: 'answer' }
  await fail(9)
  expect([calls, vendor.pausedFor()]).toEqual([9, 0])
})

test('a write whose outcome is unknown counts as a failure, and is never held back', async () => {
  await fail(5)
  await vendor.setQuantity(observed, 2, 'id', signal)
  expect(calls).toBe(6)
})
