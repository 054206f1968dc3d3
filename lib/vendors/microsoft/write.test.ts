import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type FakeMicrosoft,
  type MicrosoftOptions,
  startMicrosoft,
} from '../../../test/fakes/microsoft/fake.ts'
import { uncounted } from '../test-budget.ts'
import type { Observed, RemoteVendor, SubscriptionRef, WriteAnswer } from '../vendor.ts'
import { remoteVendor } from '../vendors.ts'
import { microsoft as declared } from './declaration.ts'

const ref: SubscriptionRef = { customerId: 'tenant-1', subscriptionId: 'sub-1', skuId: 'CFQ7TTC0LH18:0001' }
const deadline = (ms = 5000) => AbortSignal.timeout(ms)
const DELAY_MS = 60

let fake: FakeMicrosoft
let microsoft: RemoteVendor
afterEach(() => fake.close())

async function start(options: MicrosoftOptions = {}) {
  fake = await startMicrosoft({ delayMs: DELAY_MS, ...options })
  fake.add({ id: 'sub-1', customerId: ref.customerId, total: 25, assigned: 7, plan: 'P1M monthly' })
  microsoft = remoteVendor(declared, fake.config, uncounted)
}

async function readNow(): Promise<Observed> {
  const vendorRead = await microsoft.read(ref, deadline())
  return vendorRead.kind === 'read' ? vendorRead.observed : expect.fail(JSON.stringify(vendorRead))
}

/** Reads, and then sets a total; runs `before` in between. */
async function set(total: number, { before = () => {}, changeId = randomUUID(), signal = deadline() } = {}) {
  const observed = await readNow()
  before()
  return microsoft.setQuantity(observed, total, changeId, signal)
}

const total = () => fake.subscription('sub-1')?.total
const fields = () => fake.subscription('sub-1')?.vendorFields.fields
const patches = () => fake.exchanges.map(({ call }) => call).filter(({ name }) => name === 'patch')

describe('a write', () => {
  test('sends the whole object with another quantity, its ETag and the id of the change', async () => {
    await start()
    const unknown = { promotionId: 'P-1', nested: { list: [1, { deep: null }] }, 'x-new': 'Ω' }
    fake.change('sub-1', {}, { fields: { friendlyName: 'Ours', autoRenewEnabled: true, ...unknown } })
    const changeId = randomUUID()
    const answer = await set(30, { changeId })
    const seats = { purchased: 30, maximum: 30, assigned: 7 }
    const observed = { ...ref, planName: 'FLEXIBLE', status: 'ACTIVE', seats }
    expect(answer).toMatchObject({ kind: 'applied', observed, vendorRequestId: expect.any(String) })
    expect(fields()).toEqual({ friendlyName: 'Ours', autoRenewEnabled: true, ...unknown })
    const [patch] = patches()
    expect(patch?.headers['if-match']).toMatch(/^".+"$/)
    expect(patch?.headers['ms-requestid']).toBe(changeId)
    const before = { offerId: expect.any(String), attributes: { objectType: 'Subscription' } }
    expect(JSON.parse(patch?.text ?? '')).toMatchObject({ ...before, ...unknown, quantity: 30 })
  })

  test('returns the data for the next write', async () => {
    await start()
    const first = await set(30)
    const observed = first.kind === 'applied' ? first.observed : expect.fail()
    const second = await microsoft.setQuantity(observed, 31, randomUUID(), deadline())
    expect(second).toMatchObject({ kind: 'applied', observed: { seats: { purchased: 31 } } })
    expect(patches()).toHaveLength(2)
  })

  test('is not sent without the vendor’s ETag', async () => {
    await start()
    const read = await readNow()
    const withoutEtag = { ...(read.own as object), etag: undefined }
    const answers = await Promise.all(
      [withoutEtag, undefined].map((raw) =>
        microsoft.setQuantity({ ...read, own: raw }, 26, randomUUID(), deadline()),
      ),
    )
    expect(answers).toMatchObject(Array(2).fill({ kind: 'not_sent', code: 'vendor_unavailable' }))
    expect(patches()).toEqual([])
  })

  test('has one effect when it is repeated with the same id after a lost answer', async () => {
    await start()
    const changeId = randomUUID()
    const observed = await readNow()
    fake.failNext('write', 'reset-after')
    expect(await microsoft.setQuantity(observed, 30, changeId, deadline())).toMatchObject({ kind: 'unknown' })
    fake.setByVendor('sub-1', 28)
    const again = await microsoft.setQuantity(observed, 30, changeId, deadline())
    expect(again).toMatchObject({ kind: 'applied', observed: { seats: { purchased: 30 } } })
    expect([total(), fake.writes.filter(({ by }) => by === 'client').length]).toEqual([28, 1])
  })

  test('deletes the scheduled change, and reports so', async () => {
    await start()
    const scheduledNextTermInstructions = { quantity: 20, product: { termDuration: 'P1Y' } }
    fake.change('sub-1', {}, { fields: { autoRenewEnabled: true, scheduledNextTermInstructions } })
    expect((await readNow()).scheduled).toMatchObject({ total: 20 })
    const answer = await set(30)
    expect(answer.kind === 'applied' && answer.observed.scheduled).toBeUndefined()
    expect(fields()).toEqual({ friendlyName: expect.anything(), autoRenewEnabled: true })
  })
})

const rejected = (code: string, message = '') => ({
  kind: 'rejected',
  code,
  reason: expect.stringContaining(message),
})
const notSent = (code: string) => ({ kind: 'not_sent', code })
const ANSWERS: [number, object][] = [
  [800090, rejected('vendor_rejected', 'decreased. (800090)')],
  [2002, rejected('vendor_rejected', '(2002)')],
  [800067, rejected('vendor_rejected', '(800067)')],
  [800088, rejected('vendor_rejected', '(800088)')],
  [900311, rejected('vendor_rejected', 'too many times')],
  [2000, rejected('vendor_rejected', '(2000)')],
  [20002, rejected('vendor_rejected', 'not found')],
  [2001, rejected('subscription_not_active', 'suspended')],
  [2011, rejected('subscription_not_active', '(2011)')],
  [800091, rejected('subscription_not_active', '(800091)')],
  [900278, notSent('change_in_progress')],
  [2055, notSent('change_in_progress')],
  [900308, notSent('vendor_unavailable')],
  [900329, notSent('vendor_unavailable')],
  [800094, { kind: 'unknown' }],
]
test.each(ANSWERS)('the code %i has the expected result', async (code, expected) => {
  await start()
  fake.setFault('sub-1', { write: `code-${code}` })
  expect(await set(26)).toMatchObject(expected)
  expect(total()).toBe(25)
})

describe('the vendor’s own rules', () => {
  test.each([
    ['outside of its limits', 400, 'active', rejected('vendor_rejected', '(2002)')],
    ['a suspended subscription', 26, 'suspended', rejected('subscription_not_active', '(2001)')],
    ['a deleted subscription', 26, 'deleted', rejected('subscription_not_active', '(800091)')],
    ['a decrease too late', 24, 'active', rejected('vendor_rejected', '(800090)')],
  ])('refuse %s', async (_what, to, status, expected) => {
    await start()
    fake.change('sub-1', { status })
    expect(await set(to)).toMatchObject(expected)
    expect(total()).toBe(25)
  })

  test('accept returns of returnable licenses', async () => {
    await start()
    expect(await set(30)).toMatchObject({ kind: 'applied' })
    expect(await set(26)).toMatchObject({ kind: 'applied' })
    expect(await set(24)).toMatchObject(rejected('vendor_rejected', '(800090)'))
    expect(total()).toBe(26)
  })
})

// Faults with the result of the write, and the final total.
const FAULTS: [string, object, number][] = [
  ['drop-before', { kind: 'unknown' }, 25],
  ['hang-before', { kind: 'unknown' }, 25],
  ['error-before', { kind: 'unknown' }, 25],
  ['throttle', { kind: 'not_sent', code: 'vendor_unavailable', retryAfter: 7 }, 25],
  ['reset-after', { kind: 'unknown' }, 30],
  ['hang-after', { kind: 'unknown' }, 30],
  ['error-after', { kind: 'unknown' }, 30],
  ['late', { kind: 'unknown' }, 30],
  ['late-hang', { kind: 'unknown' }, 30],
  ['redirect', { kind: 'unknown' }, 25],
  ['proxy-404', { kind: 'unknown' }, 25],
  ['another-subscription', { kind: 'unknown' }, 30],
  ['another-sku', { kind: 'unknown' }, 30],
  ['another-customer', { kind: 'unknown' }, 30],
  ['empty-after', { kind: 'unknown', reason: expect.stringContaining('shows the new total') }, 30],
  ['down', { kind: 'unknown' }, 25],
]
test.each(FAULTS)('the fault %s has the expected result', async (fault, expected, end) => {
  await start({ retryAfter: 7 })
  const signal = deadline(fault.includes('hang') ? 600 : 5000)
  const answer = await set(30, { before: () => fake.failNext('write', fault), signal })
  expect(answer).toMatchObject(expected)
  expect(patches()).toHaveLength(1)
  await fake.whenIdle()
  expect([total(), (await readNow()).seats.purchased]).toEqual([end, end])
})

describe('a write that is accepted only (202)', () => {
  test('is polled until the subscription shows it, and stays unknown for the caller to decide', async () => {
    await start()
    const answer = await set(30, { before: () => fake.failNext('write', 'accepted') })
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('shows the new total') })
  })

  test('is polled as well after a success (200) that still shows the old total', async () => {
    await start()
    const answer = await set(30, { before: () => fake.failNext('write', 'old-answer') })
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('shows the new total') })
    expect(patches()).toHaveLength(1)
  })

  test('is unknown after a timeout, blocks further changes, and is settled by a later read', async () => {
    await start({ delayMs: 1500 })
    const answer = await set(30, {
      before: () => fake.failNext('write', 'accepted'),
      signal: deadline(400),
    })
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('202') })
    expect(await set(31)).toMatchObject({ kind: 'not_sent', code: 'change_in_progress' })
    await fake.whenIdle()
    expect((await readNow()).seats.purchased).toBe(30)
  })

  test('is unknown when it is never executed', async () => {
    await start()
    const before = () => fake.failNext('write', 'accepted-never-done')
    expect(await set(30, { before, signal: deadline(900) })).toMatchObject({ kind: 'unknown' })
    expect((await readNow()).seats.purchased).toBe(25)
  })

  test('is unknown when the poll fails', async () => {
    await start()
    const before = () => {
      fake.failNext('write', 'accepted')
      fake.failNext('read', 'error-before')
    }
    expect(await set(30, { before })).toMatchObject({ kind: 'unknown' })
  })
})

describe('a subscription that has changed since it was read', () => {
  const rename = () => fake.change('sub-1', {}, { fields: { friendlyName: 'New name', x: 1 } })

  test('is read again and written once more if its total is unchanged', async () => {
    await start()
    const changeId = randomUUID()
    expect(await set(30, { before: rename, changeId })).toMatchObject({ kind: 'applied' })
    expect(total()).toBe(30)
    expect(fields()).toMatchObject({ friendlyName: 'New name', x: 1 })
    const [first, second] = patches().map(({ headers }) => headers['ms-requestid'])
    expect(first).toBe(changeId)
    expect(second).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('is not written if its total has changed', async () => {
    await start()
    const answer = await set(30, { before: () => fake.setByVendor('sub-1', 40) })
    expect(answer).toEqual({ kind: 'not_sent', code: 'change_in_progress', reason: expect.any(String) })
    expect([total(), patches().length]).toEqual([40, 1])
  })

  test.each([{ status: 'suspended' }, { plan: 'P1Y monthly' }])('is not written with %j', async (patch) => {
    await start()
    const before = () => {
      fake.change('sub-1', patch)
      rename()
    }
    expect(await set(30, { before })).toMatchObject(notSent('change_in_progress'))
    expect([total(), patches().length]).toEqual([25, 1])
  })

  test('is not written if it has the requested total already: by another actor, or by the same call, duplicated', async () => {
    await start()
    const answer = await set(30, { before: () => fake.setByVendor('sub-1', 30) })
    expect(answer).toMatchObject({ kind: 'unknown' })
    expect(patches()).toHaveLength(1)
  })

  test('is not written if it can’t be read again', async () => {
    await start()
    const before = () => {
      rename()
      fake.failNext('read', 'error-before')
    }
    expect(await set(30, { before })).toMatchObject(notSent('vendor_unavailable'))
    expect([total(), patches().length]).toEqual([25, 1])
  })
})

test('a refused connection means that nothing was sent', async () => {
  await start()
  const nowhere = remoteVendor(declared, { ...fake.config, url: 'http://127.0.0.1:2' }, uncounted)
  const answer = await nowhere.setQuantity(await readNow(), 30, randomUUID(), deadline())
  expect(answer).toMatchObject({ ...notSent('vendor_unavailable'), reason: expect.any(String) })
})

describe('a timeout', () => {
  test('leaves everything unchanged before sending', async () => {
    await start()
    const answer = await set(30, { signal: AbortSignal.abort() })
    expect(answer).toMatchObject(notSent('vendor_unavailable'))
    expect(patches()).toEqual([])
  })

  test('makes the outcome unknown after sending, with an id for the vendor’s support', async () => {
    const end = new AbortController()
    await start({ onStep: (step) => (step === 'write-applied' ? end.abort() : undefined) })
    const answer: WriteAnswer = await set(30, { signal: end.signal })
    expect(answer).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('in time') })
    const [patch] = patches()
    expect(answer).toMatchObject({ vendorRequestId: patch?.headers['ms-correlationid'] })
    expect(total()).toBe(30)
  })
})
