import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { readAsset } from '#lib/licenses/assets/operations.ts'
import { readAsset as lockAsset } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { setQuantity } from './operations.ts'

// A PATCH of a local record: the change is one transaction.

const origin = { requestId: 'test-request' }
const until = new Date('2027-03-01T00:00:00Z')
let database: TestDatabase
let ana: Caller
let made = 0

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  ana = await callerOf('northwind', 'it-manager')
})
afterAll(() => database.close())

async function newAsset(subscription: Parameters<typeof addAsset>[2]): Promise<string> {
  const id = `workspace-suite-${++made}`
  await addAsset('northwind', id, subscription)
  return id
}

async function set(id: string, quantity: number, caller = ana): Promise<number | string> {
  try {
    const { body } = await setQuantity(
      caller,
      { params: { asset_id: id }, query: {}, body: { quantity } },
      origin,
    )
    return body.properties.subscription?.Seats.NumberOfSeats ?? 'no seats'
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

const changesOf = (id: string) =>
  database.sql(
    'northwind',
    'SELECT from_quantity, to_quantity, state FROM license_changes WHERE asset_id = $1 ORDER BY created_at, from_quantity',
    [id],
  )
const auditOf = (id: string) =>
  database.sql(
    'northwind',
    "SELECT action, details FROM audit_events WHERE details ->> 'assetId' = $1 ORDER BY id",
    [id],
  )

describe('setQuantity (spec 4.2)', () => {
  it('sets the total, with one change row and one audit row', async () => {
    const id = await newAsset({ purchased: 240, assigned: 182 })
    expect(await set(id, 195)).toBe(195)
    expect(await changesOf(id)).toEqual([{ from_quantity: 240, to_quantity: 195, state: 'APPLIED' }])
    const [event, ...more] = await auditOf(id)
    expect(event).toEqual({ action: 'license-change.applied', details: { assetId: id, from: 240, to: 195 } })
    expect(more).toEqual([])
    const { body, version } = await readAsset(
      ana,
      { params: { asset_id: id }, query: {}, body: undefined },
      origin,
    )
    expect(version).toBe('2')
    expect(body.properties.subscription?.Seats).toEqual({
      NumberOfSeats: 195,
      MaximumNumberOfSeats: 195,
      LicensedNumberOfSeats: 182,
    })
  })

  it('keeps an unchanged total without vendor call, change row or new version', async () => {
    const id = await newAsset({ purchased: 10, isCommitmentPlan: true })
    expect(await set(id, 10)).toBe(10)
    expect([await changesOf(id), await auditOf(id)]).toEqual([[], []])
  })

  it('increases a commitment plan and never lowers it; the refusal names the limit and its end', async () => {
    const id = await newAsset({ purchased: 60, isCommitmentPlan: true, commitmentEnd: until })
    expect(await set(id, 75)).toBe(75)
    const denied = setQuantity(ana, { params: { asset_id: id }, query: {}, body: { quantity: 74 } }, origin)
    await expect(denied).rejects.toMatchObject({
      code: 'decrease_not_allowed',
      status: 409,
      more: { members: { current: 75, minimum: 75, commitmentEndTime: until.getTime() } },
    })
    expect(await changesOf(id)).toHaveLength(1)
  })

  it('decides by IsCommitmentPlan, never by the name of the plan', async () => {
    await addAsset('northwind', 'office-suite-odd', { purchased: 5 }, { planName: 'ANNUAL_MONTHLY_PAY' })
    expect(await set('office-suite-odd', 4)).toBe(4)
  })

  it.each(['SUSPENDED', 'PENDING', 'CANCELLED', 'SOMETHING_NEW'])(
    'refuses while %s, up, down and same',
    async (status) => {
      const id = await newAsset({ purchased: 10, status })
      for (const quantity of [9, 10, 11]) expect(await set(id, quantity)).toBe('subscription_not_active')
    },
  )

  it('refuses types without licenses, and unknown ids', async () => {
    await addAsset('northwind', 'cloud-platform-1', null)
    expect(await set('cloud-platform-1', 5)).toBe('quantity_not_supported')
    expect(await set('workspace-suite-none', 5)).toBe('not_found')
  })

  it('records the vendor’s refusal of a total below the assigned users', async () => {
    const id = await newAsset({ purchased: 45, assigned: 41 })
    const denied = setQuantity(ana, { params: { asset_id: id }, query: {}, body: { quantity: 38 } }, origin)
    await expect(denied).rejects.toMatchObject({
      code: 'vendor_rejected',
      message: '41 users are assigned. Unassign 3 first, or choose 41 or more.',
    })
    expect(await changesOf(id)).toEqual([{ from_quantity: 45, to_quantity: 38, state: 'REJECTED' }])
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['license-change.rejected'])
    expect(await set(id, 41)).toBe(41)
  })

  it.each([0, 1_000_000])('takes the bound %i', async (quantity) => {
    expect(await set(await newAsset({ purchased: 3 }), quantity)).toBe(quantity)
  })
})

describe('parallel requests', () => {
  it('lose no change: each row starts where the previous one ended', async () => {
    const id = await newAsset({ purchased: 0 })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => set(id, index + 1)))
    const rows = (await changesOf(id)) as { from_quantity: number; to_quantity: number }[]
    expect(answers.filter((answer) => typeof answer === 'number')).toHaveLength(rows.length)
    const chain = new Map(rows.map(({ from_quantity, to_quantity }) => [from_quantity, to_quantity]))
    let at = 0
    for (let steps = 0; steps < rows.length; steps++) at = chain.get(at) ?? Number.NaN
    const { body } = await readAsset(ana, { params: { asset_id: id }, query: {}, body: undefined }, origin)
    expect(body.properties.subscription?.Seats.NumberOfSeats).toBe(at)
  })

  it('a commitment plan never falls, however raises and lowers race', async () => {
    const id = await newAsset({ purchased: 50, isCommitmentPlan: true })
    const totals = Array.from({ length: 30 }, (_, index) => 50 + ((index * 37) % 30))
    await Promise.all(totals.map((quantity) => set(id, quantity)))
    const rows = (await changesOf(id)) as { from_quantity: number; to_quantity: number }[]
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every((row) => row.to_quantity > row.from_quantity)).toBe(true)
    expect(await auditOf(id)).toHaveLength(rows.length)
  })

  it('are answered with change_in_progress at the lock timeout, without an effect', async () => {
    const id = await newAsset({ purchased: 5 })
    const free = Promise.withResolvers<void>()
    const blocker = Promise.withResolvers<void>()
    const holder = scope(ana, async (tx) => {
      await lockAsset(tx, ana.customerId, id, { lock: true })
      blocker.resolve()
      await free.promise
    })
    await blocker.promise
    expect(await set(id, 6)).toBe('change_in_progress')
    free.resolve()
    await holder
    expect(await set(id, 6)).toBe(6)
    expect(await changesOf(id)).toHaveLength(1)
  })
})

test('the tenant wall: without row-level security a foreign asset is still not there', async () => {
  const id = await newAsset({ purchased: 7 })
  const eve = await callerOf('southwind', 'admin')
  await run(database.url, 'ALTER TABLE assets DISABLE ROW LEVEL SECURITY')
  try {
    expect(await set(id, 8, eve)).toBe('not_found')
    expect(await set(id, 8)).toBe(8)
  } finally {
    await run(database.url, 'ALTER TABLE assets ENABLE ROW LEVEL SECURITY')
  }
})
