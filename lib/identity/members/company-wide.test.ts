import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setPriceVisibility } from '#lib/costs/license-prices/operations.ts'
import { callApi as callKeys } from '#lib/identity/keys/test-calls.ts'
import { demandFactor } from '#lib/identity/second-factors/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { callApi, type Headers, signedIn, withKey } from './test-calls.ts'

// Only Admins who see all billing profiles change company-wide settings, and members with more access than limited ones.

let database: TestDatabase
let testCustomer = ''
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  testCustomer = await addNewCustomer()
  await addProfile(testCustomer, 'emea')
})

const demand = route(demandFactor)
const prices = route(setPriceVisibility)

async function put(mounted: typeof demand, headers: Headers, body: object) {
  const request = new Request('http://console.example/billing/v1/setting', {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { status } = await mounted.PUT(request)
  return { status }
}

const companyKey = async () => {
  const id = crypto.randomUUID()
  await addKey(testCustomer, ['it-manager'], { id, belongsToCustomer: true, billingProfiles: ['emea'] })
  return id
}
const invited = async () => {
  const overrides = { roles: ['finance-user' as const], invitedAt: new Date() }
  return addMember(testCustomer, overrides)
}
const manager = () => addMember(testCustomer, { roles: ['it-manager'] })

/** Changes with the status for a limited Admin; each is 200 for an Admin who sees all billing profiles. */
const CHANGES: Record<string, (headers: Headers) => Promise<{ status: number }>> = {
  'required second factors': (headers) => put(demand, headers, { isDemanded: true }),
  'visible prices': (headers) => put(prices, headers, { areHidden: true }),
  'a new key of the company': (headers) =>
    callKeys(headers, 'POST', '', {
      body: { name: 'new', roles: ['it-manager'], owner: 'CUSTOMER', billingProfiles: ['emea'] },
    }),
  'the name of a key of the company': async (headers) =>
    callKeys(headers, 'PATCH', `/${await companyKey()}`, { body: { name: 'new' } }),
  'the successor of a key of the company': async (headers) =>
    callKeys(headers, 'POST', `/${await companyKey()}/rotation`, { body: {} }),
  'the end of a key of the company': async (headers) => callKeys(headers, 'DELETE', `/${await companyKey()}`),
  'the name of a member who sees more': async (headers) =>
    callApi(headers, 'PATCH', `/${await manager()}`, { name: 'New' }),
  'the access of a member who sees more': async (headers) =>
    callApi(headers, 'PATCH', `/${await manager()}`, { disabled: true }),
  'the invitation of a member who will see more': async (headers) =>
    callApi(headers, 'DELETE', `/${await invited()}/invitation`),
}

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  const limitedAdmin = async () =>
    signedIn(testCustomer, await addMember(testCustomer, { roles: ['admin'], billingProfiles: ['emea'] }))

  it('is changed by an Admin who sees all billing profiles, and not by a limited one', async () => {
    const limited = await limitedAdmin()
    const full = await signedIn(testCustomer, await addMember(testCustomer, { roles: ['admin'] }))
    expect((await change(limited)).status).toBe(403)
    expect((await change(full)).status).toBe(200)
  })

  it('is changed by limited Admins, as before, where no Admin sees all billing profiles', async () => {
    await addMember(testCustomer, { roles: ['admin'], invitedAt: new Date() })
    await addMember(testCustomer, { roles: ['admin'], disabledAt: new Date() })
    expect((await change(await limitedAdmin())).status).toBe(200)
  })
})

describe('an Admin’s API key', () => {
  it.each([
    ['disable', { disabled: true }],
    ['demote', { roles: ['finance-user'] }],
    ['limit', { billingProfiles: ['emea'] }],
  ])('can’t %s a person', async (_, body) => {
    await addMember(testCustomer, { roles: ['admin'] })
    const id = await manager()
    const key = await withKey(testCustomer, ['admin'])
    const { status, json } = await callApi(key, 'PATCH', `/${id}`, body)
    expect([status, json.code]).toEqual([403, 'permission_denied'])
    expect(json.detail).toContain('requires a signed-in member')
    expect((await callApi(key, 'PATCH', `/${id}`, { name: 'Renamed' })).status).toBe(200)
  })

  it('that sees some billing profiles renames only members who see no others', async () => {
    await addMember(testCustomer, { roles: ['admin'] })
    const id = await manager()
    const below = await addMember(testCustomer, { roles: ['it-manager'], billingProfiles: ['emea'] })
    const key = await withKey(testCustomer, ['admin'], { billingProfiles: ['emea'] })
    expect((await callApi(key, 'PATCH', `/${id}`, { name: 'Renamed' })).status).toBe(403)
    expect((await callApi(key, 'PATCH', `/${below}`, { name: 'Renamed' })).status).toBe(200)
  })
})
