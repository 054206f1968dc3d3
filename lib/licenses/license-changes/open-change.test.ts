import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listAssets, readAsset, readAssetItem } from '#lib/licenses/assets/operations.ts'
import { readLicenseChange, setQuantity } from '#lib/licenses/license-changes/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'

const origin = { requestId: 'test' }
const AT_GOOGLE = { vendor: 'google-workspace', observedAt: new Date('2026-11-20T13:07:00Z') }
let db: TestDatabase
let ana: Caller
let eve: Caller
let count = 0

beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  ana = await callerOf('northwind', 'it-manager')
  eve = await callerOf('southwind', 'it-manager')
})
afterAll(() => db.close())

async function newAsset(location: Parameters<typeof addAsset>[3] = AT_GOOGLE, isCommitmentPlan = false) {
  count += 1
  const id = `workspace-suite-${count}`
  await addAsset('northwind', id, { purchased: 240, assigned: 182, isCommitmentPlan }, location)
  return id
}

/** Adds a change from 240 to 250 that moved and was polled the given number of seconds ago. */
async function open(assetId: string, state: string, movedAgo: number, checkedAgo: number | null = null) {
  const id = `change-of-${assetId}`
  await db.sql(
    'northwind',
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, checked_at)
     VALUES ('northwind', $1, $2, 240, 250, $3, 'key', 'K1', 'joiners-sync', 'r', '2026-11-20T13:08:00Z',
       now() - $4 * interval '1 second', now() - $5::int * interval '1 second')`,
    [id, assetId, state, movedAgo, checkedAgo],
  )
  return id
}

const input = <Params>(params: Params) => ({ params, query: {}, body: undefined })
const full = async (search: string) => {
  const query = { view: 'full' as const, search, maxResults: 250 }
  const { assets } = (await listAssets(ana, { params: {}, query, body: undefined }, origin)).body
  return assets.find(({ id }) => id === search)
}
const read = (asset_id: string) => readAsset(ana, input({ asset_id }), origin)
const change = async (change_id: string, caller = ana) =>
  (await readLicenseChange(caller, input({ change_id }), origin)).body
const stored = async (id: string) =>
  (await db.sql('northwind', 'SELECT state, checked_at FROM license_changes WHERE id = $1', [id]))[0]

describe('a full item', () => {
  test('shows the open change until it is settled, under the same ETag', async () => {
    const id = await newAsset()
    const before = await readAssetItem(ana, id, origin)
    expect(before).not.toHaveProperty('openChange')
    const changeId = await open(id, 'SENT', 1)
    const item = await readAssetItem(ana, id, origin)
    const actor = { kind: 'key', id: 'K1', name: 'joiners-sync' }
    const createTime = Date.parse('2026-11-20T13:08:00Z')
    expect(item).toEqual({
      ...before,
      openChange: { id: changeId, to: 250, state: 'SENT', actor, createTime, knownBy: expect.any(Number) },
    })
    expect(await full(id)).toEqual(item)
    const [basic] = (await listAssets(ana, { params: {}, query: { search: id }, body: undefined }, origin))
      .body.assets
    expect(basic).not.toHaveProperty('openChange')
    await db.sql(
      'northwind',
      "UPDATE license_changes SET state = 'FAILED', settled_at = now() WHERE id = $1",
      [changeId],
    )
    const lastChange = {
      id: changeId,
      from: 240,
      to: 250,
      state: 'FAILED',
      actor,
      settleTime: expect.any(Number),
    }
    expect(await readAssetItem(ana, id, origin)).toEqual({ ...before, lastChange })
    expect(await full(id)).toEqual({ ...before, lastChange })
  })

  test('shows the newest change for seven days, and an unclear one for as long as it is the newest', async () => {
    const id = await newAsset()
    const resolve = (state: string, daysAgo: number) =>
      db.sql(
        'northwind',
        `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind,
           actor_id, actor_name, request_id, created_at, settled_at)
         VALUES ('northwind', $1 || $2, $1, 240, 250, $4, 'vendor', 'google-workspace', 'Google Workspace', 'r',
           now() - $3 * interval '1 day', now() - $3 * interval '1 day')`,
        [id, `${state}-${daysAgo}`, daysAgo, state],
      )
    const lastState = async () => (await full(id))?.lastChange?.state
    await resolve('DRIFT', 8)
    expect(await lastState()).toBeUndefined()
    await resolve('UNCLEAR', 7.5)
    expect(await lastState()).toBe('UNCLEAR')
    // The other total that the vendor shows makes the change unclear.
    await resolve('DRIFT', 7.4)
    expect(await lastState()).toBe('UNCLEAR')
    await resolve('REJECTED', 7.2)
    expect(await lastState()).toBeUndefined()
    await resolve('APPLIED', 6.9)
    expect(await lastState()).toBe('APPLIED')
  })

  test('shows the time until which its vendor rejects other changes, while that time is ahead', async () => {
    const id = await newAsset()
    const changeId = await open(id, 'SENT', 1)
    const until = (seconds: number) =>
      db.sql(
        'northwind',
        `UPDATE license_changes SET state = 'FAILED', settled_at = now(),
           not_before = now() + $2 * interval '1 second' WHERE id = $1`,
        [changeId, seconds],
      )
    await until(3600)
    const { waitUntil = 0 } = (await full(id)) ?? {}
    expect(Math.abs(waitUntil - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect((await readAssetItem(ana, id, origin)).waitUntil).toBe(waitUntil)
  })

  test('shows the vendor’s capabilities, the time of its last report, and its scheduled total', async () => {
    const capabilities = {
      quantityIsCap: false,
      takesLicenses: false,
      locksIncreases: false,
      ordersTotals: false,
    }
    const google = { ...capabilities, name: 'google-workspace', label: 'Google Workspace' }
    expect(await readAssetItem(ana, await newAsset(), origin)).toMatchObject({
      vendor: { ...google, quantityIsCap: true },
      observedTime: AT_GOOGLE.observedAt.getTime(),
    })
    expect(await readAssetItem(ana, await newAsset(AT_GOOGLE, true), origin)).toMatchObject({
      vendor: google,
    })
    const scheduledAt = new Date('2027-03-01')
    const atMicrosoft = await newAsset({
      vendor: 'microsoft-partner-center',
      scheduledTotal: 20,
      scheduledAt,
    })
    expect(await readAssetItem(ana, atMicrosoft, origin)).toMatchObject({
      vendor: {
        name: 'microsoft-partner-center',
        label: 'Microsoft',
        takesLicenses: true,
        locksIncreases: true,
      },
      scheduled: { quantity: 20, time: scheduledAt.getTime() },
    })
    const ours = await readAssetItem(ana, await newAsset({}), origin)
    expect(ours.vendor).toEqual({ ...capabilities, name: 'built-in', label: 'The vendor' })
    expect(ours).not.toHaveProperty('observedTime')
    expect(ours).not.toHaveProperty('scheduled')
    await addAsset('northwind', 'cloud-platform-1', null)
    expect(await readAssetItem(ana, 'cloud-platform-1', origin)).not.toHaveProperty('vendor')
  })

  test('shows changes of its own customer only, even without row-level security', async () => {
    const id = await newAsset()
    await open(id, 'SENT', 1)
    await addAsset('southwind', id, { purchased: 9 }, AT_GOOGLE)
    await run(db.url, 'ALTER TABLE license_changes DISABLE ROW LEVEL SECURITY')
    try {
      expect(await readAssetItem(eve, id, origin)).not.toHaveProperty('openChange')
      await expect(change(`change-of-${id}`, eve)).rejects.toMatchObject({ code: 'not_found' })
    } finally {
      await run(db.url, 'ALTER TABLE license_changes ENABLE ROW LEVEL SECURITY')
    }
  })
})

describe('a read of an asset reconciles a due change', () => {
  const READS: [string, (assetId: string, changeId: string) => Promise<unknown>][] = [
    ['one asset', (assetId) => read(assetId)],
    ['the page of one', (assetId) => readAssetItem(ana, assetId, origin)],
    ['a full list', (assetId) => full(assetId)],
    ['the change itself', (_, changeId) => change(changeId)],
  ]
  test.each(READS)('%s', async (_name, readAssets) => {
    const [dead, overdue, young, polled] = [
      await newAsset(),
      await newAsset(),
      await newAsset(),
      await newAsset(),
    ]
    const claimed = await open(dead, 'CLAIMED', 31)
    const unknown = await open(overdue, 'UNKNOWN', 6)
    const claimedNow = await open(young, 'CLAIMED', 29)
    const polledNow = await open(polled, 'UNKNOWN', 600, 4)
    const polledAt = await stored(polledNow)
    for (const id of [young, polled, dead, overdue]) await readAssets(id, `change-of-${id}`)
    await vi.waitFor(async () => {
      expect(await stored(claimed)).toMatchObject({ state: 'FAILED' })
      // The vendor is unreachable: the poll happened, and the outcome stays unknown.
      expect(await stored(unknown)).toMatchObject({ state: 'UNKNOWN', checked_at: expect.any(Date) })
    })
    expect(await stored(claimedNow)).toEqual({ state: 'CLAIMED', checked_at: null })
    expect(await stored(polledNow)).toEqual(polledAt)
  })

  test('A failed reconciliation does not fail the read', async () => {
    const id = await newAsset()
    await open(id, 'CLAIMED', 60)
    await run(db.url, "ALTER TABLE license_changes ADD CONSTRAINT never CHECK (state <> 'FAILED') NOT VALID")
    try {
      expect((await read(id)).body.id).toBe(id)
      expect(await change(`change-of-${id}`)).toMatchObject({ state: 'CLAIMED' })
    } finally {
      await vi.waitFor(() => run(db.url, 'ALTER TABLE license_changes DROP CONSTRAINT never'))
    }
    await vi.waitFor(async () => {
      await read(id)
      expect(await stored(`change-of-${id}`)).toMatchObject({ state: 'FAILED' })
    })
  })
})

describe('readLicenseChange', () => {
  test('returns a change as the list does, to Licenses Managers of the customer only', async () => {
    const id = await newAsset({})
    await setQuantity(ana, { params: { asset_id: id }, query: {}, body: { quantity: 250 } }, origin)
    const [row] = await db.sql('northwind', 'SELECT id FROM license_changes WHERE asset_id = $1', [id])
    const changeId = String(row?.id)
    expect(await change(changeId)).toMatchObject({
      id: changeId,
      assetId: id,
      from: 240,
      to: 250,
      state: 'APPLIED',
    })
    await expect(change(changeId, eve)).rejects.toMatchObject({ code: 'not_found' })
    await expect(change('nothing')).rejects.toMatchObject({ code: 'not_found' })
    const clerk = await callerOf('northwind', 'finance-user')
    await expect(change(changeId, clerk)).rejects.toMatchObject({ code: 'permission_denied' })
  })
})

test('A request for another total during an open change is answered with the open change’s actor', async () => {
  const id = await newAsset()
  const changeId = await open(id, 'UNKNOWN', 1, 1)
  for (const query of [{}, { dryRun: 'true' as const }]) {
    const pendingAnswer = setQuantity(
      ana,
      { params: { asset_id: id }, query, body: { quantity: 260 } },
      origin,
    )
    await expect(pendingAnswer).rejects.toMatchObject({
      code: 'change_in_progress',
      message: 'API key joiners-sync asked for 250 licenses, and the vendor has not confirmed it yet.',
      more: {
        members: { changeId, to: 250, changedBy: 'API key joiners-sync', changedAt: expect.any(Number) },
      },
    })
  }
})
