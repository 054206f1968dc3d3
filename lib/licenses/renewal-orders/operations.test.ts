import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import type { Renewal } from './contract.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from './operations.ts'
import { reconcileOrders } from './reconcile.ts'

// Orders for the next term where the books are our own.

const origin = { requestId: 'test-request' }
const NEVER = new AbortController().signal
const START = new Date('2025-12-03T00:00:00Z')
const END = new Date('2099-12-03T00:00:00Z')
let database: TestDatabase
let ana: Caller
let sam: Caller
let other: Caller
let finance: Caller

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  ana = await callerOf('northwind', 'it-manager')
  sam = await callerOf('northwind', 'admin')
  other = await callerOf('southwind', 'admin')
  finance = await callerOf('northwind', 'finance-user')
})
afterAll(() => database.close())

type AssetOptions = Partial<Parameters<typeof addAsset>[2] & object> & Parameters<typeof addAsset>[3]
async function plan({
  renewalType,
  commitmentStart = START,
  ...options
}: AssetOptions = {}): Promise<string> {
  const id = `workspace-suite-${randomUUID().slice(0, 8)}`
  const bought = { purchased: 120, assigned: 90, isCommitmentPlan: true, commitmentEnd: END, ...options }
  await addAsset('northwind', id, bought, { commitmentStart, ...(renewalType ? { renewalType } : {}) })
  return id
}

const input = (id: string, headers = {}) => ({ params: { asset_id: id }, query: {}, headers })
const order = (id: string, body: object, caller = ana, headers = {}) =>
  orderRenewal(caller, { ...input(id, headers), body }, origin)
const withdraw = (id: string, caller = ana) => withdrawRenewal(caller, { ...input(id), body: {} }, origin)
const read = async (id: string): Promise<Renewal> =>
  (await readRenewal(ana, { ...input(id), body: undefined }, origin)).body
const codeOf = (asking: Promise<unknown>) =>
  asking.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  )
const rowOf = async (id: string) =>
  (
    await database.sql(
      'northwind',
      `SELECT seats_purchased AS total, scheduled_total AS scheduled, commitment_end::date::text AS ends FROM assets WHERE id = $1`,
      [id],
    )
  )[0]
const statesOf = async (id: string) =>
  (
    await database.sql(
      'northwind',
      'SELECT state FROM renewal_orders WHERE asset_id = $1 ORDER BY created_at',
      [id],
    )
  ).map(({ state }) => state)
const eventsOf = async (id: string) =>
  (
    await database.sql(
      'northwind',
      "SELECT action FROM audit_events WHERE details ->> 'assetId' = $1 ORDER BY id",
      [id],
    )
  ).map(({ action }) => action)
/** The term ends now, and the job comes by. */
async function end(id: string, assigned?: number) {
  await database.sql(
    'northwind',
    'UPDATE assets SET commitment_end = now(), seats_assigned = coalesce($2, seats_assigned) WHERE id = $1',
    [id, assigned ?? null],
  )
  await database.sql(
    'northwind',
    `UPDATE renewal_orders o SET term_end = a.commitment_end, next_look_at = now() FROM assets a
     WHERE o.customer_id = 'northwind' AND a.customer_id = 'northwind' AND a.id = $1 AND o.asset_id = $1
       AND o.state = 'STANDING'`,
    [id],
  )
  await reconcileOrders('job', NEVER)
}

describe('an order', () => {
  test('changes nothing before the term ends, and is shown with the asset', async () => {
    const id = await plan()
    const decideBy = Date.parse('2099-12-02')
    const now = { time: END.getTime(), decideBy, quantity: 120, assigned: 90 }
    expect(await read(id)).toEqual({ ...now, takes: 'quantity' })
    const { body } = await order(id, { quantity: 96 })
    expect(body).toMatchObject({
      quantity: 120,
      order: { quantity: 96, time: END.getTime(), state: 'STANDING', isPlaced: true },
    })
    expect(await rowOf(id)).toEqual({ total: 120, scheduled: 96, ends: '2099-12-03' })
    await reconcileOrders('job', NEVER)
    expect(await rowOf(id)).toMatchObject({ total: 120, scheduled: 96 })
    expect(await eventsOf(id)).toEqual(['renewal.ordered'])
  })

  test('repeated changes nothing; another total replaces it; it is taken back', async () => {
    const id = await plan()
    const [first, again] = [await order(id, { quantity: 96 }), await order(id, { quantity: 96 }, sam)]
    expect(again.body.order?.id).toBe(first.body.order?.id)
    await order(id, { quantity: 100 }, sam)
    expect(await statesOf(id)).toEqual(['REPLACED', 'STANDING'])
    const gone = await withdraw(id)
    expect(gone.body.order).toBeUndefined()
    expect(gone.body.lastOrder).toMatchObject({ quantity: 100, state: 'WITHDRAWN' })
    expect(await rowOf(id)).toMatchObject({ total: 120, scheduled: null })
    expect((await withdraw(id)).body).toEqual(gone.body)
    expect(await eventsOf(id)).toEqual(['renewal.ordered', 'renewal.ordered', 'renewal.withdrawn'])
  })

  test('stays where licenses are added before, and begins the next term as ordered', async () => {
    const id = await plan()
    await order(id, { quantity: 96 })
    await setQuantity(ana, { params: { asset_id: id }, query: {}, body: { quantity: 130 } }, origin)
    expect(await rowOf(id)).toMatchObject({ total: 130, scheduled: 96 })
    await end(id)
    const after = await read(id)
    expect(after).toMatchObject({ quantity: 96, lastOrder: { state: 'APPLIED' } })
    expect(after.order).toBeUndefined()
    expect(after.time).toBeGreaterThan(Date.now())
    const changes = await database.sql(
      'northwind',
      `SELECT from_quantity AS from, to_quantity AS to, state, actor_name AS by FROM license_changes
       WHERE asset_id = $1 ORDER BY created_at DESC LIMIT 1`,
      [id],
    )
    expect(changes).toEqual([{ from: 130, to: 96, state: 'APPLIED', by: ana.name }])
    await reconcileOrders('job', NEVER)
    expect(await read(id)).toEqual(after)
  })

  test('rejected at the end leaves the licenses, and the next term begins', async () => {
    const id = await plan()
    await order(id, { quantity: 96 })
    await end(id, 110)
    const after = await read(id)
    expect(after).toMatchObject({ quantity: 120, lastOrder: { state: 'REJECTED' } })
    expect(after.lastOrder?.reason).toContain('110 users are assigned')
    expect(after.time).toBeGreaterThan(Date.now())
    expect(await rowOf(id)).toMatchObject({ total: 120, scheduled: null })
  })

  test('is lost where the next term was recorded otherwise, and follows an end that moved', async () => {
    const id = await plan()
    await order(id, { quantity: 96 })
    const later = '2100-01-15T00:00:00Z'
    await database.sql('northwind', 'UPDATE assets SET commitment_end = $2 WHERE id = $1', [id, later])
    await database.sql('northwind', 'UPDATE renewal_orders SET next_look_at = now() WHERE asset_id = $1', [
      id,
    ])
    await reconcileOrders('job', NEVER)
    expect((await read(id)).order).toMatchObject({ state: 'STANDING', time: Date.parse(later) })
    await database.sql(
      'northwind',
      "UPDATE renewal_orders SET term_end = now() - interval '1 second', next_look_at = now() WHERE asset_id = $1",
      [id],
    )
    await reconcileOrders('job', NEVER)
    expect((await read(id)).lastOrder).toMatchObject({ state: 'LOST' })
    expect(await rowOf(id)).toMatchObject({ total: 120, scheduled: null })
  })

  test('is lost where its term was recorded as renewed before, or ends by itself, or licenses were bought since', async () => {
    const renewed = await plan({
      commitmentEnd: new Date(Date.now() + 2 * 86_400_000),
      commitmentStart: new Date(Date.now() - 363 * 86_400_000),
    })
    await order(renewed, { quantity: 96 })
    await database.sql(
      'northwind',
      `UPDATE assets SET commitment_start = commitment_end,
         commitment_end = (commitment_end AT TIME ZONE 'UTC' + interval '1 year') AT TIME ZONE 'UTC' WHERE id = $1`,
      [renewed],
    )
    await database.sql('northwind', 'UPDATE renewal_orders SET next_look_at = now() WHERE asset_id = $1', [
      renewed,
    ])
    await reconcileOrders('job', NEVER)
    expect((await read(renewed)).lastOrder).toMatchObject({ state: 'LOST' })

    const ending = await plan()
    await order(ending, { quantity: 96 })
    await database.sql('northwind', "UPDATE assets SET renewal_type = 'CANCEL' WHERE id = $1", [ending])
    await end(ending)
    expect(await read(ending)).toMatchObject({ quantity: 120, lastOrder: { state: 'LOST' } })

    const bought = await plan()
    await order(bought, { quantity: 96 })
    await database.sql(
      'northwind',
      "UPDATE assets SET commitment_end = now() - interval '1 minute' WHERE id = $1",
      [bought],
    )
    await database.sql(
      'northwind',
      "UPDATE renewal_orders SET term_end = now() - interval '1 minute', next_look_at = now() + interval '1 hour' WHERE asset_id = $1",
      [bought],
    )
    await database.sql(
      'northwind',
      `UPDATE renewal_orders o SET term_end = a.commitment_end FROM assets a
       WHERE o.customer_id = 'northwind' AND a.customer_id = 'northwind' AND a.id = $1 AND o.asset_id = $1`,
      [bought],
    )
    await setQuantity(ana, { params: { asset_id: bought }, query: {}, body: { quantity: 150 } }, origin)
    await database.sql('northwind', 'UPDATE renewal_orders SET next_look_at = now() WHERE asset_id = $1', [
      bought,
    ])
    await reconcileOrders('job', NEVER)
    expect(await read(bought)).toMatchObject({ quantity: 150, lastOrder: { state: 'LOST' } })
  })

  test('placed twice concurrently leaves one active', async () => {
    const id = await plan()
    await Promise.all([96, 97, 98, 99].map((quantity) => order(id, { quantity })))
    const states = await statesOf(id)
    expect(states.filter((state) => state === 'STANDING')).toHaveLength(1)
    expect(states).toHaveLength(4)
  })
})

describe('rejections', () => {
  test('by its version, with the name of the concurrent orderer', async () => {
    const id = await plan()
    const { version = '' } = await readRenewal(ana, { ...input(id), body: undefined }, origin)
    await order(id, { quantity: 96 }, sam)
    const stale = order(id, { quantity: 50 }, ana, { 'if-match': `"${version}.x"` })
    expect(await codeOf(stale)).toBe('version_mismatch')
    const now = await order(id, { quantity: 96 })
    const fresh = order(id, { quantity: 50 }, ana, { 'if-match': `"${now.version}.x"` })
    expect(await codeOf(fresh)).toBe('done')
  })

  test.each<[string, AssetOptions, string]>([
    ['a flexible plan', { isCommitmentPlan: false }, 'renewal_not_supported'],
    ['a plan that ends', { renewalType: 'CANCEL' }, 'renewal_not_supported'],
    ['a suspended one', { status: 'SUSPENDED' }, 'subscription_not_active'],
    ['a term that has ended', { commitmentEnd: new Date('2026-01-01T00:00:00Z') }, 'renewal_not_supported'],
  ])('%s', async (_, options, code) => {
    const id = await plan(options)
    expect(await codeOf(order(id, { quantity: 96 }))).toBe(code)
    expect(await statesOf(id)).toEqual([])
    expect((await read(id)).takes).toBe('nothing')
  })

  test('a way to renew, where a total is taken; and an asset without licenses', async () => {
    const id = await plan()
    expect(await codeOf(order(id, { renewalType: 'CANCEL' }))).toBe('renewal_not_supported')
    await addAsset('northwind', 'cloud-platform-1', null)
    expect(await codeOf(order('cloud-platform-1', { quantity: 1 }))).toBe('quantity_not_supported')
    expect(await codeOf(order('nothing', { quantity: 1 }))).toBe('not_found')
  })

  test('finance, and another customer', async () => {
    const id = await plan()
    expect(await codeOf(order(id, { quantity: 96 }, finance))).toBe('permission_denied')
    expect(await codeOf(withdraw(id, finance))).toBe('permission_denied')
    expect(await codeOf(order(id, { quantity: 96 }, other))).toBe('not_found')
    await order(id, { quantity: 96 })
    expect(await codeOf(withdraw(id, other))).toBe('not_found')
    const seen = await scope({ customerId: other.customerId }, (tx) =>
      tx.execute('SELECT * FROM renewal_orders'),
    )
    expect(seen.rows).toEqual([])
  })
})
