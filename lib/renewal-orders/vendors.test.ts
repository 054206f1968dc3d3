import { afterEach, describe, expect, test, vi } from 'vitest'
import { callerOf } from '#lib/db/test-rows.ts'
import { readOne } from '#lib/license-changes/reading/read-now.ts'
import { type TestVendor, testVendor } from '#lib/license-changes/test-vendor.ts'
import { google, microsoft } from '../../fuzz/sceneries.ts'
import { CUSTOMER } from '../../fuzz/stage.ts'
import type { Renewal } from './contract.ts'
import { seeToOrders } from './jobs.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from './operations.ts'

// Orders for the next term at a vendor, against its stand-in.

const origin = { requestId: 'test-request' }
const NEVER = new AbortController().signal
let vendor: TestVendor
let caller: Awaited<ReturnType<typeof callerOf>>
afterEach(() => vendor.close())

async function at(scenery: typeof google) {
  vendor = await testVendor(scenery)
  caller = await callerOf(CUSTOMER, 'it-manager')
  await readOne(caller.customerId, vendor.assetId(vendor.annual), 'test')
}
const input = () => ({ params: { asset_id: vendor.assetId(vendor.annual) }, query: {}, headers: {} })
const order = async (body: object): Promise<Renewal> =>
  (await orderRenewal(caller, { ...input(), body }, origin)).body
const withdraw = async (): Promise<Renewal> =>
  (await withdrawRenewal(caller, { ...input(), body: {} }, origin)).body
const read = async (): Promise<Renewal> =>
  (await readRenewal(caller, { ...input(), body: undefined }, origin)).body
/** What the vendor has in its books of the next term, and of this one. */
function books() {
  const own = vendor.fake.subscription(vendor.annual.id)?.own as {
    fields?: Record<string, unknown>
    renewalType?: string
  }
  const instructions = own.fields?.scheduledNextTermInstructions as { quantity?: number } | undefined | null
  return { total: vendor.total(vendor.annual), next: instructions?.quantity, renewalType: own.renewalType }
}
const rows = (statement: string) => vendor.database.sql(CUSTOMER, statement)
/** Its next look is now. */
const look = async () => {
  await rows("UPDATE renewal_orders SET next_look_at = now() WHERE state = 'STANDING'")
  await seeToOrders('job', NEVER)
}

describe('Microsoft', () => {
  test('takes a total for the next term, another one, and takes it back', async () => {
    await at(microsoft)
    expect(await read()).toMatchObject({ takes: 'quantity', quantity: 20 })
    expect((await order({ quantity: 12 })).order).toMatchObject({ quantity: 12, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, next: 12 })
    expect((await order({ quantity: 15 })).order).toMatchObject({ quantity: 15, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, next: 15 })
    const gone = await withdraw()
    expect([gone.order, gone.lastOrder?.state]).toEqual([undefined, 'WITHDRAWN'])
    expect(books()).toMatchObject({ total: 20, next: undefined })
  })

  test('is told it again after a change of the licenses, which deletes it there', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    expect((await vendor.patch(vendor.annual, 25)).status).toBe(200)
    expect(books()).toMatchObject({ total: 25, next: undefined })
    await seeToOrders('job', NEVER)
    expect(books()).toMatchObject({ total: 25, next: 12 })
    expect((await read()).order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: true })
  })

  test.each(['drop-before', 'reset-after', 'error-after', 'late', 'throttle'])(
    'is told later where its answer is lost (%s)',
    async (fault) => {
      await at(microsoft)
      vendor.fake.failNext('write', fault)
      const asked = await order({ quantity: 12 })
      expect(asked.order).toMatchObject({ quantity: 12, state: 'STANDING', isPlaced: false })
      await vi.waitFor(
        async () => {
          await look()
          expect((await read()).order).toMatchObject({ isPlaced: true })
        },
        { timeout: 10_000, interval: 100 },
      )
      expect(books()).toMatchObject({ total: 20, next: 12 })
    },
  )

  test('where somebody replaced it there, that holds, and the order is lost', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    const own = vendor.fake.subscription(vendor.annual.id)?.own as { fields: object }
    vendor.fake.change(
      vendor.annual.id,
      {},
      { fields: { ...own.fields, scheduledNextTermInstructions: { quantity: 7 } } },
    )
    await vi.waitFor(
      async () => {
        await look()
        expect((await read()).lastOrder).toMatchObject({ state: 'LOST' })
      },
      { timeout: 10_000, interval: 100 },
    )
    expect(books()).toMatchObject({ next: 7 })
  })

  test('began the next term as ordered, or not', async () => {
    await at(microsoft)
    await order({ quantity: 12 })
    const past = new Date(Date.now() - 1000)
    await rows(`UPDATE renewal_orders SET term_end = '${past.toISOString()}'`)
    vendor.fake.setByVendor(vendor.annual.id, 12)
    vendor.fake.change(vendor.annual.id, {}, { endsAt: '2028-02-28T23:59:59Z' } as object)
    await look()
    expect((await read()).lastOrder).toMatchObject({ state: 'APPLIED', quantity: 12 })
    expect(await vendor.states(vendor.annual)).toEqual(['DRIFT'])
  })
})

describe('Google', () => {
  const IN_USE = 'RENEW_CURRENT_USERS_MONTHLY_PAY'
  const SAME = 'AUTO_RENEW_MONTHLY_PAY'
  test('takes no total, and says so; one of its ways is told, and taken back', async () => {
    await at(google)
    expect(await read()).toMatchObject({
      takes: 'renewalType',
      renewalTypes: [SAME, IN_USE],
      renewalType: IN_USE,
    })
    await expect(order({ quantity: 12 })).rejects.toMatchObject({ code: 'renewal_not_supported' })
    expect((await order({ renewalType: SAME })).order).toMatchObject({ renewalType: SAME, isPlaced: true })
    expect(books()).toMatchObject({ total: 20, renewalType: SAME })
    expect((await withdraw()).lastOrder).toMatchObject({ state: 'WITHDRAWN' })
    expect(books()).toMatchObject({ renewalType: IN_USE })
  })

  test('that can not be asked is told later', async () => {
    await at(google)
    vendor.fake.failNext('read', 'drop-before')
    expect((await order({ renewalType: SAME })).order).toMatchObject({ state: 'STANDING', isPlaced: false })
    await vi.waitFor(
      async () => {
        await look()
        expect(books()).toMatchObject({ renewalType: SAME })
      },
      { timeout: 10_000, interval: 100 },
    )
  })
})
