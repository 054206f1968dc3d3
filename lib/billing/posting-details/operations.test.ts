import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addKey, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import * as assetRoute from '../../../app/billing/v1/assets/[asset_id]/posting-details/route.ts'
import * as profileRoute from '../../../app/billing/v1/billing-profiles/[billing_profile_id]/route.ts'
import * as profilesRoute from '../../../app/billing/v1/billing-profiles/route.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  await addAsset(customer, 'workspace-suite-1', { purchased: 3 })
})

type Handler = (request: Request) => Promise<Response>
const ROUTES: [RegExp, { GET: Handler; PATCH: Handler }][] = [
  [/posting-details$/, assetRoute],
  [/profiles\/.+/, profileRoute],
  [/profiles$/, profilesRoute],
]
type RequestOptions = { roles?: Role[]; body?: unknown; profiles?: string[]; customerId?: string }

async function send(
  path: string,
  { roles = ['admin'], body, profiles, customerId = customer }: RequestOptions = {},
) {
  const key = await addKey(customerId, roles, profiles ? { billingProfiles: profiles } : {})
  const route = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
  const method = body === undefined ? 'GET' : 'PATCH'
  const request = new Request(`http://console.example/billing/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = (await route?.[method](request)) as Response
  return { status: response.status, body: await response.json() }
}
const ASSET = 'assets/workspace-suite-1/posting-details'
const PROFILE = 'billing-profiles/default'
const events = () =>
  db.sql(
    customer,
    `SELECT action, subject, details -> 'changes' AS changes FROM audit_events
     WHERE action LIKE '%posting-set' ORDER BY id`,
  )

describe('The billing profiles', () => {
  test('are listed as far as visible to the caller, with their details', async () => {
    await send(PROFILE, { body: { purchaseOrder: ' PO-1 ', buyerReference: 'B', costCenter: '' } })
    expect(await send('billing-profiles')).toEqual({
      status: 200,
      body: {
        billingProfiles: [
          { id: 'default', name: customer, purchaseOrder: 'PO-1', buyerReference: 'B' },
          { id: 'emea', name: 'emea' },
        ],
        rowCount: 2,
      },
    })
    const some = await send('billing-profiles', { roles: ['finance-user'], profiles: ['emea'] })
    expect(some.body).toEqual({ billingProfiles: [{ id: 'emea', name: 'emea' }], rowCount: 1 })
  })

  test('are changed by Finance Users and Admins, each change with an audit row', async () => {
    const body = { purchaseOrder: 'PO-1', costCenter: '4711' }
    expect((await send(PROFILE, { roles: ['finance-user'], body })).status).toBe(200)
    expect(await send(PROFILE, { body: { costCenter: null } })).toEqual({
      status: 200,
      body: { id: 'default', name: customer, purchaseOrder: 'PO-1' },
    })
    expect((await send(PROFILE, { body: { purchaseOrder: 'PO-1' } })).status).toBe(200)
    const event = { action: 'billing-profile.posting-set', subject: 'default' }
    expect(await events()).toEqual([
      { ...event, changes: ['purchase order: none → PO-1', 'cost center: none → 4711'] },
      { ...event, changes: ['cost center: 4711 → none'] },
    ])
  })

  test.each<[RequestOptions, number]>([
    [{ roles: ['it-manager'] }, 403],
    [{ roles: ['it-manager'], body: { costCenter: '1' } }, 403],
    [{ roles: ['finance-user'], profiles: ['emea'] }, 404],
    [{ roles: ['finance-user'], profiles: ['emea'], body: { costCenter: '1' } }, 404],
    [{ body: { costCenter: 'x'.repeat(101) } }, 400],
    [{ body: { costCenter: 'a\nb' } }, 400],
    [{ body: { costCenter: 7 } }, 400],
    [{ body: { name: 'Another' } }, 400],
    [{ body: [] }, 400],
  ])('answer %j with %i', async (options, status) => {
    expect((await send(PROFILE, options)).status).toBe(status)
    expect(await events()).toEqual([])
  })

  test('are not found when they belong to another customer', async () => {
    const other = await addNewCustomer()
    await addProfile(other, 'theirs')
    const nobodys = await send('billing-profiles/nobodys', { body: { costCenter: '1' } })
    const theirs = await send('billing-profiles/theirs', { body: { costCenter: '1' } })
    expect([theirs.status, nobodys.status]).toEqual([404, 404])
  })

  test('store both of two parallel changes', async () => {
    const both = await Promise.all([
      send(PROFILE, { body: { purchaseOrder: 'PO-1' } }),
      send(PROFILE, { body: { costCenter: '4711' } }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await send(PROFILE)).body).toMatchObject({ purchaseOrder: 'PO-1', costCenter: '4711' })
    expect(await events()).toHaveLength(2)
  })
})

describe('The posting details of an asset', () => {
  test('are readable with access to the asset, and writable with the posting permission as well', async () => {
    const body = { costCenter: '6120' }
    expect(await send(ASSET, { body })).toEqual({ status: 200, body })
    expect(
      await send(ASSET, { roles: ['it-manager', 'finance-user'], body: { purchaseOrder: 'PO-2' } }),
    ).toEqual({
      status: 200,
      body: { ...body, purchaseOrder: 'PO-2' },
    })
    expect((await send(ASSET, { roles: ['it-manager'] })).body).toEqual({ ...body, purchaseOrder: 'PO-2' })
    expect((await events()).map(({ action, subject }) => [action, subject])).toEqual([
      ['asset.posting-set', 'workspace-suite-1'],
      ['asset.posting-set', 'workspace-suite-1'],
    ])
  })

  test.each<[string, RequestOptions, number]>([
    [ASSET, { roles: ['it-manager'], body: { costCenter: '1' } }, 403],
    [ASSET, { roles: ['finance-user'], body: { costCenter: '1' } }, 403],
    [ASSET, { roles: ['finance-user'] }, 403],
    ['assets/workspace-suite-9/posting-details', {}, 404],
    ['assets/workspace-suite-9/posting-details', { body: { costCenter: '1' } }, 404],
    [ASSET, { body: { buyerReference: 'B' } }, 400],
    [ASSET, { body: { costCenter: '\u0000' } }, 400],
  ])('%s answers %j with %i', async (path, options, status) => {
    expect((await send(path, options)).status).toBe(status)
  })

  test('leave the asset, its version and its list as they are', async () => {
    const version = 'SELECT seat_version, name, purchase_order_id FROM assets'
    const before = await db.sql(customer, version)
    await send(ASSET, { body: { purchaseOrder: 'PO-2' } })
    expect(await db.sql(customer, version)).toEqual(before)
  })
})
