import { afterEach, describe, expect, test } from 'vitest'
import {
  type FakeMicrosoft,
  type MicrosoftOptions,
  startMicrosoft,
} from '../../../test/fakes/microsoft/fake.ts'
import type { Call } from '../../../test/fakes/vendors/routes.ts'
import { uncounted } from '../test-budget.ts'
import type { RemoteVendor } from '../vendor.ts'
import { remoteVendor } from '../vendors.ts'
import { microsoft as declared } from './declaration.ts'

const deadline = () => AbortSignal.timeout(20_000)
let fake: FakeMicrosoft
afterEach(() => fake.close())

/** @param each subscriptions of each customer, each of another offer */
async function vendor(customers: number, each = 1, options: MicrosoftOptions = {}): Promise<RemoteVendor> {
  fake = await startMicrosoft({ retryAfter: 7, ...options })
  for (let n = 0; n < customers; n++) {
    for (let index = 0; index < each; index++) {
      const skuId = `CFQ7TTC0LH18:000${index}`
      fake.add({ id: `s-${n}-${index}`, customerId: `c-${n}`, skuId, assigned: index + 1 })
    }
  }
  return another()
}
/** Another process, without memory. */
const another = () => remoteVendor(declared, fake.config, uncounted)
const failing = (isIt: (customer: string) => boolean, fault: string) => ({
  choose: (call: Call) =>
    call.name === 'subscriptions' && isIt(call.params.customer ?? '') ? fault : undefined,
})
const times = (name: string) => fake.exchanges.filter(({ call }) => call.name === name).length

type Pass = { customers: string[]; failed: string[]; pages: number; assigned: (number | undefined)[] }

/** Reads all pages, each by the process that `by` returns. */
async function pass(by: () => RemoteVendor): Promise<Pass> {
  const totals: Pass = { customers: [], failed: [], pages: 0, assigned: [] }
  let cursor: string | undefined
  do {
    const page = await by().list(cursor, deadline())
    if (page.kind !== 'page') return expect.fail(page.reason)
    totals.customers.push(...page.items.map(({ customerId }) => customerId))
    totals.failed.push(...page.failed)
    totals.assigned.push(...page.items.map(({ seats }) => seats.assigned))
    totals.pages += 1
    cursor = page.next
  } while (cursor !== undefined)
  return totals
}
const names = (count: number) => Array.from({ length: count }, (_, n) => `c-${n}`)

describe('a customer that fails', () => {
  test.each(['error-before', 'drop-before', 'proxy-404'])(
    'is reported after %s, and the list continues',
    async (fault) => {
      const broken = ['c-3', 'c-44']
      const isBroken = (customer: string) => broken.includes(customer)
      const microsoft = await vendor(45, 1, failing(isBroken, fault))
      const result = await pass(() => microsoft)
      expect(result).toMatchObject({ failed: broken, pages: 3 })
      expect(result.customers).toEqual(names(45).filter((name) => !isBroken(name)))
    },
  )

  test('delays the list no longer than its own timeout by never answering', { timeout: 30_000 }, async () => {
    const microsoft = await vendor(
      3,
      1,
      failing((customer) => customer === 'c-0', 'hang-before'),
    )
    expect(await pass(() => microsoft)).toMatchObject({ failed: ['c-0'], customers: ['c-1', 'c-2'] })
  })

  test('does not count if all customers fail: the page is requested again', async () => {
    const microsoft = await vendor(
      30,
      1,
      failing(() => true, 'error-before'),
    )
    expect(await microsoft.list(undefined, deadline())).toMatchObject({ kind: 'unavailable' })
  })
})

describe('a list that loses access', () => {
  test('ends its page there, and the next page begins with the first unread customer', async () => {
    let isBusy = true
    const microsoft = await vendor(
      60,
      1,
      failing((customer) => isBusy && customer === 'c-30', 'throttle'),
    )
    const first = await microsoft.list(undefined, deadline())
    const next = first.kind === 'page' ? first.next : undefined
    const second = await microsoft.list(next, deadline())
    expect(second).toMatchObject({ kind: 'page', failed: [] })
    const items = second.kind === 'page' ? second.items.length : 0
    expect(items).toBeLessThanOrEqual(10)
    isBusy = false
    // By another process, which has read no customers itself.
    expect(second.kind === 'page' && (await another().list(second.next, deadline()))).toMatchObject({
      items: names(60)
        .slice(20 + items, 40 + items)
        .map((customerId) => ({ customerId })),
    })
  })

  test('makes the page unavailable at the first customer, with the time to wait', async () => {
    const microsoft = await vendor(
      5,
      1,
      failing((customer) => customer === 'c-0', 'throttle'),
    )
    expect(await microsoft.list(undefined, deadline())).toMatchObject({
      ...{ kind: 'unavailable', retryAfter: 7, why: 'throttled' },
    })
  })
})

test('another process continues the list at each page', async () => {
  await vendor(45)
  expect((await pass(another)).customers).toEqual(names(45))
})

test('a customer who has left does not prevent the others from being read', async () => {
  const microsoft = await vendor(45)
  const first = await microsoft.list(undefined, deadline())
  fake.change('s-19-0', { customerId: 'z' } as never)
  const next = first.kind === 'page' ? first.next : undefined
  const second = await another().list(next, deadline())
  expect(second.kind === 'page' && second.items.length).toBe(20)
})

test('a pass costs two calls per customer; the first pass two more per offer', async () => {
  const microsoft = await vendor(600, 5)
  const first = await pass(() => microsoft)
  expect([times('customers'), times('subscriptions'), times('subscribedSkus')]).toEqual([2, 600, 600])
  // Two subscriptions of each of the five offers, and those of customers read in parallel.
  expect(times('provisioningStatus')).toBeGreaterThanOrEqual(10)
  expect(times('provisioningStatus')).toBeLessThanOrEqual(40)
  expect(first.assigned.filter((assigned) => assigned === undefined)).toEqual([])
  const before = fake.exchanges.length
  await pass(() => microsoft)
  expect(fake.exchanges.length - before).toBe(2 + 600 + 600)
})
