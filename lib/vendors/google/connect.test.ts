import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type GoogleFixture, openGoogle } from '../../../test/fakes/google/fixture.ts'
import { uncounted } from '../test-budget.ts'
import type { Observed, SubscriptionRef } from '../vendor.ts'
import { connect } from './connect.ts'

const REF: SubscriptionRef = { customerId: 'C0123456', subscriptionId: 's/1 ü', skuId: '1010020020' }

let fakeGoogle: GoogleFixture
beforeEach(async () => {
  fakeGoogle = await openGoogle()
})
afterEach(async () => {
  await fakeGoogle.close()
  expect(fakeGoogle.described()).toEqual([])
})

const deadline = () => AbortSignal.timeout(5000)
const add = (fields: Partial<Parameters<GoogleFixture['fake']['add']>[0]> = {}) =>
  fakeGoogle.fake.add({ id: REF.subscriptionId, ...fields })

async function read(ref = REF): Promise<Observed> {
  const vendorRead = await fakeGoogle.vendor.read(ref, deadline())
  if (vendorRead.kind !== 'read') throw new Error(JSON.stringify(vendorRead))
  return vendorRead.observed
}
const set = async (total: number) =>
  fakeGoogle.vendor.setQuantity(await read(), total, 'change-1', deadline())
const calls = (name: string) => fakeGoogle.fake.exchanges.filter(({ call }) => call.name === name)

describe('read', () => {
  test('reads an annual plan: purchased, term, renewal type, with the plan name of writes', async () => {
    add({ total: 25, assigned: 7, vendorFields: { renewalType: 'AUTO_RENEW_MONTHLY_PAY' } })
    expect(await read()).toEqual({
      ...REF,
      status: 'ACTIVE',
      planName: 'ANNUAL_MONTHLY_PAY',
      isCommitmentPlan: true,
      commitmentStart: new Date('2026-03-01'),
      commitmentEnd: new Date('2027-03-01'),
      renewalType: 'AUTO_RENEW_MONTHLY_PAY',
      seats: { purchased: 25, maximum: 25, assigned: 7 },
    })
  })

  test.each([
    ['ANNUAL_YEARLY_PAY', { vendorFields: { cap: 500 } }, { purchased: 10, maximum: 500, assigned: 4 }],
    ['FLEXIBLE', {}, { purchased: 10, maximum: 10, assigned: 4 }],
    ['TRIAL', {}, { purchased: 10, maximum: 10, assigned: 4 }],
    [
      'ANNUAL_MONTHLY_PAY',
      { vendorFields: { silent: true } },
      { purchased: 10, maximum: 10, assigned: undefined },
    ],
  ])('%s with %j', async (plan, fields, seats) => {
    add({ plan, ...fields })
    const isCommitmentPlan = plan.startsWith('ANNUAL')
    expect(await read()).toMatchObject({ planName: plan, isCommitmentPlan, seats })
  })

  test('returns null for absent values, and passes unknown ones through', async () => {
    add({ plan: 'FLEXIBLE', status: 'ASLEEP' })
    const none = { commitmentStart: null, commitmentEnd: null, renewalType: null }
    expect(await read()).toMatchObject({ status: 'ASLEEP', ...none })
    fakeGoogle.fake.change(REF.subscriptionId, { plan: 'ANNUAL_DAILY_PAY' }, { billingMethod: 'OFFLINE' })
    expect(await read()).toMatchObject({ planName: 'ANNUAL_DAILY_PAY', commitmentEnd: null })
  })

  test('finds a subscription by customer and SKU after its id has changed, through all pages', async () => {
    for (let n = 0; n < 130; n += 1) fakeGoogle.fake.add({ id: `other-${n}`, skuId: `sku-${n}` })
    add({ id: 'new-id' })
    fakeGoogle.fake.add({
      id: 'elsewhere',
      customerId: 'C9',
      vendorFields: { customerDomain: 'else.example' },
    })
    expect(await read()).toMatchObject({ subscriptionId: 'new-id' })
    expect(calls('list')).toHaveLength(2)
  })

  test('prefers the subscription in use, refuses ambiguous ones, and names a missing one', async () => {
    const again = () => fakeGoogle.vendor.read(REF, deadline())
    expect(await again()).toEqual({
      kind: 'missing',
      reason: expect.stringContaining('no such subscription'),
    })
    add({ id: 'old', status: 'CANCELLED' })
    expect(await read()).toMatchObject({ subscriptionId: 'old', status: 'CANCELLED' })
    add({ id: 'asleep', status: 'SUSPENDED' })
    expect(await read()).toMatchObject({ subscriptionId: 'asleep' })
    add({ id: 'in-use' })
    expect(await read()).toMatchObject({ subscriptionId: 'in-use' })
    add({ id: 'in-use-too' })
    const reason = expect.stringContaining('several')
    expect(await again()).toEqual({ kind: 'unavailable', reason, others: 'answer' })
  })

  test('does not accept an id that belongs to another product now', async () => {
    add({ skuId: 'another' })
    add({ id: 'right' })
    expect(await read()).toMatchObject({ subscriptionId: 'right', skuId: REF.skuId })
  })

  test.each(['..', '.', ''])('keeps the id %j inside its path segment', async (subscriptionId) => {
    add({ id: 'right' })
    expect(await read({ ...REF, subscriptionId })).toMatchObject({ subscriptionId: 'right' })
    expect(calls('get').map(({ call }) => call.params.subscription)).toEqual(['-'])
  })
})

describe('setQuantity', () => {
  test.each([
    ['ANNUAL_MONTHLY_PAY', { numberOfSeats: 12 }],
    ['ANNUAL_YEARLY_PAY', { numberOfSeats: 12 }],
    ['FLEXIBLE', { maximumNumberOfSeats: 12 }],
  ])('sends for %s only the field that the plan uses', async (plan, seats) => {
    add({ plan })
    expect(await set(12)).toMatchObject({
      kind: 'applied',
      observed: { seats: { purchased: 12, maximum: 12 } },
    })
    expect(calls('changeSeats').map(({ call }) => JSON.parse(call.text))).toEqual([seats])
    expect(fakeGoogle.fake.subscription(REF.subscriptionId)?.total).toBe(12)
  })

  test('merges the partial answer into the subscription that was read before', async () => {
    add({ vendorFields: { cap: 500 } })
    const before = await read()
    const result = await fakeGoogle.vendor.setQuantity(before, 12, 'change-1', deadline())
    const seats = { purchased: 12, maximum: 500, assigned: 4 }
    expect(result).toEqual({ kind: 'applied', observed: { ...before, seats } })
    expect(await read()).toEqual({ ...before, seats })
  })

  test('changes a cap in both directions, and a trial’s up to ten', async () => {
    add({ plan: 'FLEXIBLE' })
    expect(await set(5)).toMatchObject({ kind: 'applied' })
    fakeGoogle.fake.change(REF.subscriptionId, { plan: 'TRIAL' })
    expect(await set(10)).toMatchObject({ kind: 'applied' })
    expect(await set(11)).toMatchObject({ kind: 'rejected', code: 'vendor_rejected' })
  })

  test('continues with the new id if it has changed since the read', async () => {
    add()
    const before = await read()
    fakeGoogle.fake.change(REF.subscriptionId, { id: 'new-id' })
    const result = await fakeGoogle.vendor.setQuantity(before, 12, 'change-1', deadline())
    expect(result).toMatchObject({
      kind: 'applied',
      observed: { subscriptionId: 'new-id', status: 'ACTIVE' },
    })
    expect(fakeGoogle.fake.writes).toMatchObject([{ subscriptionId: 'new-id', from: 10, to: 12 }])
  })

  test('adopts the id in the answer', async () => {
    add({ vendorFields: { moves: true } })
    const result = await set(12)
    const subscriptionId = fakeGoogle.fake.subscriptions()[0]?.id
    expect(subscriptionId).not.toBe(REF.subscriptionId)
    expect(result).toMatchObject({ kind: 'applied', observed: { subscriptionId, seats: { purchased: 12 } } })
  })

  test('sends nothing when more than the id has changed, because the decision is outdated', async () => {
    add({ plan: 'FLEXIBLE' })
    const before = await read()
    fakeGoogle.fake.change(REF.subscriptionId, { id: 'new-id' })
    fakeGoogle.fake.setByVendor('new-id', 20)
    const result = await fakeGoogle.vendor.setQuantity(before, 12, 'change-1', deadline())
    expect(result).toMatchObject({ kind: 'not_sent', code: 'change_in_progress' })
    fakeGoogle.fake.change('new-id', { skuId: 'another' })
    const missing = await fakeGoogle.vendor.setQuantity(before, 12, 'change-1', deadline())
    expect(missing).toMatchObject({ kind: 'rejected', code: 'vendor_rejected' })
    expect(fakeGoogle.fake.writes.filter(({ by }) => by === 'client')).toEqual([])
  })

  test('searches for a changed id only once', async () => {
    add()
    const before = await read()
    for (const _ of [1, 2]) fakeGoogle.fake.failNext('write', 'not-found')
    const result = await fakeGoogle.vendor.setQuantity(before, 12, 'change-1', deadline())
    expect(result).toMatchObject({ kind: 'not_sent', code: 'vendor_unavailable' })
    expect([calls('changeSeats').length, calls('list').length]).toEqual([2, 1])
  })
})

test('a list reads all customers to the end, a hundred at a time', async () => {
  for (let n = 0; n < 250; n += 1) {
    fakeGoogle.fake.add({ id: `s-${n}`, customerId: `C${n % 7}`, status: n % 5 ? 'ACTIVE' : 'SUSPENDED' })
  }
  const ids: string[] = []
  const sizes: number[] = []
  let cursor: string | undefined
  do {
    const page = await fakeGoogle.vendor.list(cursor, deadline())
    if (page.kind !== 'page') throw new Error(page.reason)
    ids.push(...page.items.map((item) => item.subscriptionId))
    sizes.push(page.items.length)
    cursor = page.next
  } while (cursor !== undefined)
  expect(sizes).toEqual([100, 100, 50])
  expect(ids).toEqual(fakeGoogle.fake.subscriptions().map(({ id }) => id))
})

test('a list’s cursor that Google refuses is stale, and one that can’t be requested is not', async () => {
  expect(await fakeGoogle.vendor.list('no-such-page', deadline())).toMatchObject({ kind: 'stale' })
  fakeGoogle.fake.failNext('read', 'throttle')
  expect(await fakeGoogle.vendor.list('no-such-page', deadline())).toMatchObject({
    kind: 'unavailable',
    why: 'throttled',
  })
})

test('an empty list is a page, and an invalid subscription does not prevent others from being read', async () => {
  expect(await fakeGoogle.vendor.list(undefined, deadline())).toEqual({
    kind: 'page',
    items: [],
    failed: [],
    next: undefined,
    unread: 0,
  })
  add()
  fakeGoogle.fake.add({ id: 'senseless', skuId: 'odd', total: -1 })
  const page = await fakeGoogle.vendor.list(undefined, deadline())
  expect(page).toMatchObject({ kind: 'page', unread: 1, items: [{ subscriptionId: REF.subscriptionId }] })
  const vendorRead = await fakeGoogle.vendor.read(
    { ...REF, subscriptionId: 'gone', skuId: 'odd' },
    deadline(),
  )
  expect(vendorRead).toMatchObject({ kind: 'unavailable' })
})

test('a vendor can be called when configured, and predicts the refusals that Google publishes', async () => {
  const { vendor } = fakeGoogle
  expect(vendor).toMatchObject({ name: 'google-workspace', label: 'Google Workspace', settleMs: 1000 })
  add({ plan: 'TRIAL' })
  const trialSubscription = await read()
  expect(vendor.predictOutcome(trialSubscription, 10)).toMatchObject({ kind: 'applied' })
  expect(vendor.predictOutcome(trialSubscription, 11)).toMatchObject({
    kind: 'rejected',
    code: 'vendor_rejected',
  })
  expect(vendor.predictOutcome(trialSubscription, 3)).toMatchObject({
    reason: expect.stringContaining('Remove 1 user there'),
  })
  const seats = { purchased: 10, maximum: 500, assigned: undefined }
  expect(vendor.predictOutcome({ ...trialSubscription, planName: 'FLEXIBLE', seats }, 1)).toEqual({
    kind: 'applied',
    seats: { purchased: 1, maximum: 500, assigned: undefined },
  })
})

test('a list leaves the budget’s reserve to people, and a read and a change may use it', async () => {
  const acquired: boolean[] = []
  const calls = connect(fakeGoogle.config, () => ({
    ...uncounted('', 0),
    acquire: async (isBackground) => {
      acquired.push(isBackground)
      return { kind: 'granted' }
    },
  }))
  add()
  const observed = await read()
  const uses = async (call: Promise<{ kind: string }>) => [(await call).kind, acquired.splice(0)]
  expect(await uses(calls.read(REF, deadline()))).toEqual(['read', [false]])
  expect(await uses(calls.setQuantity(observed, 12, 'change-1', deadline()))).toEqual(['applied', [false]])
  expect(await uses(calls.list(undefined, deadline()))).toEqual(['page', [true]])
})
