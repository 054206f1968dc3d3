import { afterEach, describe, expect, test } from 'vitest'
import {
  type FakeMicrosoft,
  type MicrosoftOptions,
  startMicrosoft,
} from '../../../test/fakes/microsoft/fake.ts'
import { uncounted } from '../test-budget.ts'
import type { Observed, SubscriptionRef } from '../vendor.ts'
import { remoteVendor } from '../vendors.ts'
import { microsoft as declared } from './declaration.ts'

const ref: SubscriptionRef = { customerId: 'tenant-1', subscriptionId: 'sub-1', skuId: 'CFQ7TTC0LH18:0001' }
const { customerId } = ref
const deadline = (ms = 5000) => AbortSignal.timeout(ms)

let fake: FakeMicrosoft
afterEach(() => fake.close())

async function vendor(options: MicrosoftOptions = {}) {
  fake = await startMicrosoft({ delayMs: 60, ...options })
  fake.add({ id: 'sub-1', customerId, total: 25, assigned: 7 })
  return remoteVendor(declared, fake.config, uncounted)
}

/** Returns the number of calls by route. */
const callsByName = () => Object.groupBy(fake.exchanges, ({ call }) => call.name)
const times = (name: string) => callsByName()[name]?.length ?? 0

describe('a subscription', () => {
  test('is read in the vendor interface’s terms', async () => {
    const microsoft = await vendor()
    expect(await microsoft.read(ref, deadline())).toEqual({
      kind: 'read',
      observed: {
        ...ref,
        skuName: 'Office for business',
        status: 'ACTIVE',
        planName: 'ANNUAL_MONTHLY_PAY',
        isCommitmentPlan: true,
        commitmentStart: new Date('2026-03-01T00:00:00Z'),
        commitmentEnd: new Date('2027-02-28T23:59:59Z'),
        renewalType: 'AUTO_RENEW_MONTHLY_PAY',
        seats: { purchased: 25, maximum: 25, assigned: 7 },
        scheduled: undefined,
        version: expect.any(String),
        own: expect.anything(),
      },
    })
    const [call] = fake.exchanges.map((exchange) => exchange.call).filter(({ name }) => name === 'get')
    const guid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const headers = { 'ms-requestid': guid, 'ms-correlationid': guid, 'ms-contract-version': 'v1' }
    expect(call?.headers).toMatchObject({ ...headers, authorization: expect.stringMatching(/^Bearer ./) })
  })

  test.each([
    [
      'P1M monthly',
      { planName: 'FLEXIBLE', isCommitmentPlan: false, commitmentEnd: null, renewalType: null },
    ],
    ['P1Y annual', { planName: 'ANNUAL_YEARLY_PAY', renewalType: 'AUTO_RENEW_YEARLY_PAY' }],
    ['P3Y annual', { planName: 'P3Y annual', isCommitmentPlan: true }],
    ['P5Y none', { planName: 'P5Y none', isCommitmentPlan: true, renewalType: 'AUTO_RENEW' }],
  ])('is read with the plan %s', async (plan, expected) => {
    const microsoft = await vendor()
    fake.change('sub-1', { plan })
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: expected })
  })

  test.each([
    ['suspended', 'SUSPENDED'],
    ['deleted', 'CANCELLED'],
    ['pending', 'PENDING'],
    ['Active', 'ACTIVE'],
    ['inTransfer', 'inTransfer'],
  ])('is read with the status %s', async (status, expected) => {
    const microsoft = await vendor()
    fake.change('sub-1', { status })
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: { status: expected } })
  })

  test('is read without renewal, as a trial, or without an end', async () => {
    const microsoft = await vendor()
    fake.change('sub-1', {}, { fields: { autoRenewEnabled: false }, endsAt: '9999-12-31T00:00:00Z' })
    const ends = { renewalType: 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED', commitmentEnd: null }
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: ends })
    fake.change('sub-1', {}, { fields: { isTrial: true } })
    const trialPlan = { planName: 'TRIAL', isCommitmentPlan: false }
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: trialPlan })
  })

  const termEnd = (actionType: unknown) => [{ scheduleType: 'TermEnd', actionType }]
  test.each<[boolean | undefined, unknown, string | null]>([
    [true, undefined, 'AUTO_RENEW_MONTHLY_PAY'],
    [true, termEnd('RenewToNewTerm'), 'AUTO_RENEW_MONTHLY_PAY'],
    [true, termEnd('Cancel'), 'AUTO_RENEW_MONTHLY_PAY'],
    [false, termEnd('Cancel'), 'CANCEL'],
    [false, termEnd('RenewToExtendedServiceTerm'), 'EXTENDED_SERVICE_TERM'],
    [false, undefined, 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED'],
    [false, termEnd(7), 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED'],
    [false, 'soon', 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED'],
    [undefined, termEnd('Cancel'), 'CANCEL'],
    [undefined, undefined, null],
  ])(
    'has a renewal type for autoRenewEnabled %j and scheduledActions %j',
    async (autoRenewEnabled, scheduledActions, renewalType) => {
      const microsoft = await vendor()
      fake.change('sub-1', {}, { fields: { autoRenewEnabled, scheduledActions } })
      expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: { renewalType } })
    },
  )

  test('is never left with a Cancel beside a renewal', async () => {
    const microsoft = await vendor()
    const scheduledActions = [...termEnd('Cancel'), { scheduleType: 'Immediate' }]
    fake.change('sub-1', {}, { fields: { autoRenewEnabled: true, scheduledActions } })
    const reading = await microsoft.read(ref, deadline())
    const observed = reading.kind === 'read' ? reading.observed : undefined
    expect(
      observed && (await microsoft.setNextTerm?.(observed, { total: 12 }, 'r1', deadline())),
    ).toMatchObject({
      kind: 'applied',
    })
    const { fields } = fake.subscription('sub-1')?.vendorFields ?? {}
    expect(fields).toMatchObject({
      autoRenewEnabled: true,
      scheduledActions: [{ scheduleType: 'Immediate' }],
      scheduledNextTermInstructions: { quantity: 12 },
    })
  })

  test('is read with the changes scheduled for its next term', async () => {
    const microsoft = await vendor()
    fake.change('sub-1', {}, { fields: { scheduledNextTermInstructions: { quantity: 20 } } })
    const scheduled = { total: 20, at: new Date('2027-02-28T23:59:59Z') }
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: { scheduled } })
  })

  test('is discarded as a whole when it is invalid', async () => {
    const microsoft = await vendor()
    fake.change('sub-1', {}, { fields: { quantity: 'many' } })
    expect(await microsoft.read(ref, deadline())).toMatchObject({ kind: 'unavailable' })
  })

  test.each(['another-subscription', 'another-customer'])(
    'is not accepted from an answer about %s',
    async (fault) => {
      const microsoft = await vendor({ choose: ({ name }) => (name === 'get' ? fault : undefined) })
      expect(await microsoft.read(ref, deadline())).toEqual({
        kind: 'unavailable',
        reason: expect.stringMatching(/another|not be understood/),
        others: 'answer',
      })
    },
  )

  test('is of another SKU only where two answers in a row say so', async () => {
    const microsoft = await vendor()
    fake.failNext('read', 'another-sku')
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: { skuId: 'CFQ7TTC0LH18:0001' } })
    fake.change('sub-1', { skuId: 'CFQ7TTC0LCHC:0002' })
    expect(await microsoft.read(ref, deadline())).toMatchObject({ observed: { skuId: 'CFQ7TTC0LCHC:0002' } })
  })

  test('may be named in another case, by product and SKU or by the whole offer', async () => {
    const microsoft = await vendor()
    fake.change('sub-1', {}, { fields: { id: 'SUB-1', links: { self: { uri: '/Customers/TENANT-1/x' } } } })
    for (const skuId of ['CFQ7TTC0LH18', 'cfq7ttc0lh18:0001', 'CFQ7TTC0LH18:0001:CFQ7TTC0OLD1']) {
      expect(await microsoft.read({ ...ref, skuId }, deadline())).toMatchObject({ kind: 'read' })
    }
  })

  test('is not reported as missing after a proxy’s 404', async () => {
    const microsoft = await vendor({ choose: ({ kind }) => (kind === 'read' ? 'proxy-404' : undefined) })
    expect(await microsoft.read(ref, deadline())).toMatchObject({ kind: 'unavailable' })
    expect(await microsoft.list(undefined, deadline())).toMatchObject({ kind: 'unavailable' })
  })

  test.each([
    ['a space / and ümlaut', /a%20space%20%2F%20and%20%C3%BCmlaut$/],
    ['..', /\/subscriptions\/-$/],
    ['', /\/subscriptions\/-$/],
    ['\ud800', /\/subscriptions\/%EF%BF%BD$/],
  ])('keeps the id %j inside its path segment', async (subscriptionId, expected) => {
    const microsoft = await vendor()
    const vendorRead = await microsoft.read({ ...ref, subscriptionId, skuId: 'another' }, deadline())
    expect(vendorRead).toMatchObject({ kind: 'missing' })
    expect(fake.exchanges.map(({ call }) => call.target)).toContainEqual(expect.stringMatching(expected))
  })
})

describe('a subscription whose id has changed', () => {
  const elsewhere = { ...ref, subscriptionId: 'old-id' }

  test('is found by its SKU', async () => {
    const microsoft = await vendor()
    fake.add({ id: 'cancelled', customerId, status: 'deleted' })
    fake.add({ id: 'other-sku', customerId, skuId: 'CFQ7TTC0LCH4:0002' })
    const observed = { subscriptionId: 'sub-1', seats: { purchased: 25, maximum: 25, assigned: 7 } }
    expect(await microsoft.read(elsewhere, deadline())).toMatchObject({ kind: 'read', observed })
    const skuId = 'CFQ7TTC0LH18:0001:CFQ7TTC0OLD1'
    expect(await microsoft.read({ ...elsewhere, skuId }, deadline())).toMatchObject({ observed })
  })

  test('is missing when its SKU matches none, or several', async () => {
    const microsoft = await vendor()
    const skuId = 'nothing'
    expect(await microsoft.read({ ...elsewhere, skuId }, deadline())).toMatchObject({ kind: 'missing' })
    expect(await microsoft.read({ ...elsewhere, customerId: 'nobody' }, deadline())).toMatchObject({
      kind: 'missing',
    })
    fake.add({ id: 'twin', customerId })
    const reason = expect.stringContaining('2 subscriptions')
    expect(await microsoft.read(elsewhere, deadline())).toEqual({ kind: 'missing', reason })
  })
})

describe('assigned licenses', () => {
  const assignedOf = (vendorRead: object) => (vendorRead as { observed?: Observed }).observed?.seats.assigned

  test('are unknown without access for the application, which does not ask again', async () => {
    const microsoft = await vendor({ showsAssigned: false })
    for (let round = 0; round < 3; round++) {
      const vendorRead = await microsoft.read(ref, deadline())
      expect(vendorRead).toMatchObject({ kind: 'read', observed: { seats: { purchased: 25 } } })
      expect(assignedOf(vendorRead)).toBeUndefined()
    }
    expect([times('get'), times('subscribedSkus')]).toEqual([3, 1])
  })

  test('do not delay a read', async () => {
    const microsoft = await vendor({
      choose: ({ name }) => (name === 'subscribedSkus' ? 'hang-before' : undefined),
    })
    const vendorRead = await microsoft.read(ref, deadline(1000))
    expect(vendorRead).toMatchObject({ kind: 'read', observed: { seats: { purchased: 25 } } })
    expect(assignedOf(vendorRead)).toBeUndefined()
  })

  test('belong to the SKU, whose id is queried once', async () => {
    const microsoft = await vendor()
    fake.add({ id: 'twin', customerId, assigned: 5 })
    fake.change('sub-1', { assigned: 0 })
    expect(assignedOf(await microsoft.read(ref, deadline()))).toBe(5)
    fake.change('twin', { assigned: 0 })
    expect(assignedOf(await microsoft.read(ref, deadline()))).toBe(0)
    expect(times('provisioningStatus')).toBe(1)
  })
})

describe('the list', () => {
  async function all(microsoft: Awaited<ReturnType<typeof vendor>>) {
    const subscriptions: Observed[] = []
    const failed: string[] = []
    let pages = 0
    for (let cursor: string | undefined, isOver = false; !isOver; pages++) {
      const page = await microsoft.list(cursor, deadline())
      if (page.kind !== 'page') return page
      subscriptions.push(...page.items)
      failed.push(...page.failed)
      cursor = page.next
      isOver = cursor === undefined
    }
    return { pages, found: subscriptions, failed }
  }

  test('contains each subscription once, page by page', async () => {
    const microsoft = await vendor()
    for (let at = 0; at < 24; at++) fake.add({ id: `more-${at}`, customerId: `c-${at}`, assigned: at })
    fake.add({ id: 'sub-2', customerId, skuId: 'CFQ7TTC0LCH4:0002', assigned: 3 })
    fake.add({ id: 'by-use', customerId, vendorFields: { fields: { billingType: 'usage' } } })
    fake.add({ id: 'nonsense', customerId, vendorFields: { fields: { quantity: null } } })
    const list = await all(microsoft)
    expect(list).toMatchObject({ pages: 2 })
    const subscriptions = 'found' in list ? list.found : []
    expect(subscriptions.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(
      fake
        .subscriptions()
        .map(({ id }) => id)
        .filter((id) => id !== 'by-use' && id !== 'nonsense')
        .sort(),
    )
    const seatsOf = (id: string) => subscriptions.find(({ subscriptionId }) => subscriptionId === id)?.seats
    expect(seatsOf('sub-2')).toEqual({ purchased: 25, maximum: 25, assigned: 3 })
    expect(seatsOf('more-23')).toMatchObject({ assigned: 23 })
  })

  test.each([
    ['throttle', { kind: 'unavailable', retryAfter: 7 }],
    ['error-before', { pages: 1, failed: ['c-2'], found: [{ subscriptionId: 'sub-1' }] }],
    ['drop-before', { pages: 1, failed: ['c-2'], found: [{ subscriptionId: 'sub-1' }] }],
    ['proxy-404', { pages: 1, failed: ['c-2'], found: [{ subscriptionId: 'sub-1' }] }],
    ['code-60003', { pages: 1, failed: [], found: [{ subscriptionId: 'sub-1' }] }],
    ['code-900308', { pages: 1, found: [{ subscriptionId: 'sub-1' }] }],
  ])('continues or stops when one customer answers %s', async (fault, expected) => {
    const microsoft = await vendor({
      retryAfter: 7,
      choose: ({ name, params }) =>
        name === 'subscriptions' && params.customer === 'c-2' ? fault : undefined,
    })
    fake.add({ id: 'sub-2', customerId: 'c-2' })
    expect(await all(microsoft)).toMatchObject(expected)
  })

  test('leaves out another customer’s subscriptions', async () => {
    const microsoft = await vendor({
      choose: ({ name }) => (name === 'subscriptions' ? 'another-customer' : undefined),
    })
    expect(await microsoft.list(undefined, deadline())).toMatchObject({ kind: 'page', items: [] })
    const staleRef = { ...ref, subscriptionId: 'old-id' }
    expect(await microsoft.read(staleRef, deadline())).toMatchObject({ kind: 'unavailable' })
  })

  test('does not restart for a cursor that has expired', async () => {
    const microsoft = await vendor()
    for (const cursor of ['nonsense', '["bm9uc2Vuc2U=",null]']) {
      expect(await microsoft.list(cursor, deadline())).toMatchObject({ kind: 'stale' })
    }
  })
})
