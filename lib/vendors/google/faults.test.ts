import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type GoogleFixture, openGoogle } from '../../../test/fakes/google/fixture.ts'
import { uncounted } from '../test-budget.ts'
import type { Observed, SubscriptionRef, WriteAnswer } from '../vendor.ts'
import { connect } from './connect.ts'

const REF: SubscriptionRef = { customerId: 'C0123456', subscriptionId: 's-1', skuId: '1010020020' }

let fakeGoogle: GoogleFixture
beforeEach(async () => {
  fakeGoogle = await openGoogle({ delayMs: 500, staleMs: 60_000, retryAfter: 3 })
  fakeGoogle.fake.add({ id: REF.subscriptionId, plan: 'FLEXIBLE' })
})
afterEach(async () => {
  await fakeGoogle.close()
  expect(fakeGoogle.described()).toEqual([])
})

const deadline = () => AbortSignal.timeout(5000)

/** Aborts soon after the call has suffered its fault, for faults that never end. */
function whenSuffered(fault: string, kind = 'read'): AbortSignal {
  if (!fault.includes('hang')) return deadline()
  const controller = new AbortController()
  const suffered = () =>
    fakeGoogle.fake.exchanges.some((exchange) => exchange.fault === fault && exchange.call.kind === kind)
  const timer = setInterval(() => suffered() && controller.abort(), 5)
  controller.signal.addEventListener('abort', () => clearInterval(timer))
  return controller.signal
}
const total = () => fakeGoogle.fake.subscription(REF.subscriptionId)?.total
const read = (signal = deadline()) => fakeGoogle.vendor.read(REF, signal)
const set = (observed: Observed, to: number, signal = deadline()): Promise<WriteAnswer> =>
  fakeGoogle.vendor.setQuantity(observed, to, 'change-1', signal)

async function observed(): Promise<Observed> {
  const vendorRead = await read()
  if (vendorRead.kind !== 'read') throw new Error(vendorRead.reason)
  return vendorRead.observed
}

const NOT_SENT = { kind: 'not_sent', code: 'vendor_unavailable' }
const UNKNOWN = { kind: 'unknown' }
const APPLIED = { kind: 'applied', observed: { seats: { purchased: 12 } } }

describe('a write', () => {
  // Fault, answer, and the total immediately afterwards and at the end: an answer with an outcome must be true.
  test.each([
    ['drop-before', UNKNOWN, 10, 10],
    ['down', UNKNOWN, 10, 10],
    ['hang-before', UNKNOWN, 10, 10],
    ['error-before', UNKNOWN, 10, 10],
    ['throttle', { ...NOT_SENT, retryAfter: 3 }, 10, 10],
    ['reset-after', UNKNOWN, 12, 12],
    ['hang-after', UNKNOWN, 12, 12],
    ['error-after', UNKNOWN, 12, 12],
    ['late', UNKNOWN, 10, 12],
    ['late-hang', UNKNOWN, 10, 12],
    ['stale', APPLIED, 12, 12],
    ['daily-limit', NOT_SENT, 10, 10],
    ['api-off', NOT_SENT, 10, 10],
    ['forbidden', { kind: 'rejected', code: 'vendor_rejected' }, 10, 10],
    ['terms', { kind: 'rejected', code: 'vendor_rejected' }, 10, 10],
    ['proxy', NOT_SENT, 10, 10],
    ['proxy-404', UNKNOWN, 10, 10],
    ['another-customer', UNKNOWN, 12, 12],
    ['another-sku', UNKNOWN, 12, 12],
    ['redirect', UNKNOWN, 10, 10],
    ['no-json', UNKNOWN, 12, 12],
    ['other-seats', UNKNOWN, 10, 10],
    ['huge', UNKNOWN, 12, 12],
  ])('is handled in spite of %s', async (fault, outcome, now, finally_) => {
    const before = await observed()
    fakeGoogle.fake.failNext('write', fault)
    expect(await set(before, 12, whenSuffered(fault, 'write'))).toMatchObject(outcome)
    expect(total()).toBe(now)
    await fakeGoogle.fake.whenIdle()
    expect(total()).toBe(finally_)
    expect(fakeGoogle.fake.exchanges.filter(({ call }) => call.kind === 'write')).toHaveLength(1)
  })

  test.each([
    ['fewer licenses than users', { assigned: 8 }, 7, 'vendor_rejected', 'fewer than the current users'],
    ['more licenses than the contract', {}, 50_001, 'vendor_rejected', 'more than the contract allows'],
    ['more than ten of a trial', { plan: 'TRIAL' }, 11, 'vendor_rejected', '10 seats at most'],
    [
      'a decrease of an annual plan',
      { plan: 'ANNUAL_YEARLY_PAY' },
      9,
      'vendor_rejected',
      'cannot be reduced',
    ],
    ['a suspended subscription', { status: 'SUSPENDED' }, 11, 'subscription_not_active', 'suspended'],
    ['a cancelled subscription', { status: 'CANCELLED' }, 11, 'subscription_not_active', 'cancelled'],
    [
      'a subscription without accepted terms',
      { status: 'PENDING' },
      11,
      'vendor_rejected',
      'terms of service',
    ],
    ['a free subscription', { plan: 'FREE' }, 11, 'vendor_rejected', 'no such operation'],
  ])('is refused for %s, with a message for people', async (_what, patch, to, code, message) => {
    fakeGoogle.fake.change(REF.subscriptionId, patch)
    const result = await set(await observed(), to)
    expect(result).toEqual({ kind: 'rejected', code, reason: expect.stringContaining(message) })
    expect(total()).toBe(10)
  })

  test('is refused with the wrong field, after the plan has changed', async () => {
    const before = await observed()
    fakeGoogle.fake.change(REF.subscriptionId, { plan: 'ANNUAL_YEARLY_PAY' })
    expect(await set(before, 12)).toMatchObject({ kind: 'rejected', code: 'vendor_rejected' })
  })
})

describe('a read', () => {
  test.each([
    'drop-before',
    'down',
    'hang-before',
    'error-before',
    'throttle',
    'reset-after',
    'hang-after',
    'error-after',
    'late',
    'late-hang',
    'daily-limit',
    'api-off',
    'proxy',
    'proxy-404',
    'redirect',
    'no-json',
    'huge',
  ])('reports no subscription after %s', async (fault) => {
    fakeGoogle.fake.failNext('read', fault)
    const result = await read(whenSuffered(fault))
    expect(result).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/^\S.+\.$/) })
    fakeGoogle.fake.exchanges.length = 0
    fakeGoogle.fake.failNext('read', fault)
    expect(await fakeGoogle.vendor.list(undefined, whenSuffered(fault))).toMatchObject({
      kind: 'unavailable',
    })
    if (fault === 'throttle') expect(result).toMatchObject({ retryAfter: 3 })
  })

  test('reports a missing subscription for a customer that denies access', async () => {
    fakeGoogle.fake.failNext('read', 'forbidden')
    expect(await read(whenSuffered('forbidden'))).toEqual({
      kind: 'missing',
      reason: expect.stringContaining('does not let us manage this customer'),
    })
  })

  test('may return an earlier state', async () => {
    const before = await observed()
    await set(before, 12)
    fakeGoogle.fake.failNext('read', 'stale')
    expect((await observed()).seats.purchased).toBe(10)
    expect((await observed()).seats.purchased).toBe(12)
  })
})

describe('an answer about another customer', () => {
  const OTHER = { id: 's-9', customerId: 'C9999999', vendorFields: { customerDomain: 'other.example' } }

  test('is discarded, and nothing is written to the other customer', async () => {
    fakeGoogle.fake.add({ ...OTHER, plan: 'FLEXIBLE', total: 40 })
    fakeGoogle.fake.failNext('read', 'another-customer')
    const before = await observed()
    expect(before).toMatchObject({ ...REF, seats: { purchased: 10 } })
    expect(await set(before, 12)).toMatchObject(APPLIED)
    expect([total(), fakeGoogle.fake.subscription('s-9')?.total]).toEqual([12, 40])
  })

  test.each(['another-customer', 'another-sku'])('is discarded in a list, too: %s', async (fault) => {
    fakeGoogle.fake.add({ ...OTHER, plan: 'FLEXIBLE' })
    fakeGoogle.fake.change(REF.subscriptionId, { id: 'new-id' })
    fakeGoogle.fake.failNext('read', 'not-found')
    fakeGoogle.fake.failNext('read', fault)
    const kind = fault === 'another-sku' ? 'missing' : 'unavailable'
    expect(await read()).toMatchObject({ kind })
  })

  test('matches a customer that is called by its domain', async () => {
    const vendorRead = await fakeGoogle.vendor.read({ ...REF, customerId: 'example.com' }, deadline())
    expect(vendorRead).toMatchObject({ kind: 'read', observed: REF })
  })
})

describe('an expired token', () => {
  const requestCount = (kind: string) =>
    fakeGoogle.fake.exchanges.filter(({ call }) => call.kind === kind).length

  test('is renewed, and the call repeated once: read, list and write', async () => {
    const before = await observed()
    for (const call of [
      () => read(),
      () => fakeGoogle.vendor.list(undefined, deadline()),
      () => set(before, 12),
    ]) {
      fakeGoogle.fake.revokeTokens()
      expect((await call()).kind).toMatch(/^(read|page|applied)$/)
    }
    // The first write had fetched a token; that token was refused.
    fakeGoogle.fake.revokeTokens()
    expect(await set(before, 13)).toMatchObject({ kind: 'applied' })
    expect(fakeGoogle.fake.writes.map(({ to }) => to)).toEqual([12, 13])
    expect([requestCount('write'), requestCount('auth')]).toEqual([3, 5])
  })

  test('is not renewed twice for one call', async () => {
    const before = await observed()
    fakeGoogle.fake.setFault(REF.subscriptionId, { read: 'token-expired', write: 'token-expired' })
    expect(await read()).toMatchObject({ kind: 'unavailable' })
    expect(await set(before, 12)).toMatchObject(NOT_SENT)
    expect([requestCount('read'), requestCount('write'), total()]).toEqual([3, 2, 10])
  })
})

describe('an abort', () => {
  const aborted = AbortSignal.abort()

  test('sends nothing before the call leaves', async () => {
    const before = await observed()
    expect(await set(before, 12, aborted)).toMatchObject(NOT_SENT)
    expect(await read(aborted)).toMatchObject({ kind: 'unavailable' })
    expect(await fakeGoogle.vendor.list(undefined, aborted)).toMatchObject({ kind: 'unavailable' })
    expect(fakeGoogle.fake.exchanges.filter(({ call }) => call.kind === 'write')).toEqual([])
  })

  test('sends nothing during the token request, and the token serves the next call', async () => {
    const before = await observed()
    fakeGoogle.fake.failNext('auth', 'hang-before')
    expect(await set(before, 12, whenSuffered('hang-before', 'auth'))).toMatchObject(NOT_SENT)
    expect(total()).toBe(10)
  })

  test('leaves the outcome unknown after the call has left', async () => {
    const before = await observed()
    const controller = new AbortController()
    fakeGoogle.fake.failNext('write', 'hang-after')
    const result = set(before, 12, controller.signal)
    await expect.poll(total).toBe(12)
    controller.abort()
    expect(await result).toMatchObject(UNKNOWN)
  })

  test('sends nothing during the search for a changed id', async () => {
    const before = await observed()
    fakeGoogle.fake.change(REF.subscriptionId, { id: 'new-id' })
    fakeGoogle.fake.failNext('read', 'hang-before')
    expect(await set(before, 12, whenSuffered('hang-before'))).toMatchObject(NOT_SENT)
    expect(fakeGoogle.fake.writes).toEqual([])
  })
})

test('a refused connection means that nothing was sent', async () => {
  const before = await observed()
  const otherGoogle = await openGoogle()
  await otherGoogle.close()
  const elsewhere = connect({ ...fakeGoogle.config, url: otherGoogle.config.url }, uncounted)
  expect(await elsewhere.setQuantity(before, 12, 'change-1', deadline())).toMatchObject(NOT_SENT)
  expect(await elsewhere.read(REF, deadline())).toMatchObject({ kind: 'unavailable' })
})
