import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signedIn } from '#lib/identity/members/test-calls.ts'
import { GROUP_SCHEMA, callApi as scim, USER_SCHEMA } from '#lib/identity/scim/test-calls.ts'
import { callApi } from '#lib/identity/single-sign-on/test-calls.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import * as operations from './operations.ts'

let database: TestDatabase
let customerId = ''
let headers: Record<string, string> = {}
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customerId = await addNewCustomer()
  headers = await signedIn(customerId, await addMember(customerId, { roles: ['admin'] }))
})

const read = async () => (await callApi(operations.readDirectory, { headers })).json
const issue = (body: object = { name: 'Entra ID' }) =>
  callApi(operations.issueDirectoryToken, { headers, body })
const map = (body: object) => callApi(operations.mapDirectoryGroup, { headers, body })

describe('a token', () => {
  it('is returned once, and opens SCIM of this customer until it is revoked', async () => {
    const { status, json, headers: sent } = await issue()
    expect([status, sent.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')])
    expect(json.secret).toMatch(/^scim_[0-9A-Za-z]{36}$/)
    expect(json.token).toMatchObject({
      name: 'Entra ID',
      status: 'ACTIVE',
      roles: ['it-manager', 'finance-user'],
    })
    expect(json.token.expireTime - json.token.createTime).toBeCloseTo(365 * 86_400_000, -4)
    expect((await scim(json.secret, 'GET', '/Users')).status).toBe(200)
    const all = await read()
    expect(all.tokens).toMatchObject([{ id: json.token.id, lastUseTime: expect.any(Number) }])
    expect(all.address).toBe('http://localhost:3000/scim/v2')
    const auditRows = await database.sql(customerId, "SELECT * FROM audit_events WHERE action LIKE 'scim-%'")
    expect(JSON.stringify([all, auditRows])).not.toContain(json.secret.slice(5, 25))
    const revoke = () =>
      callApi(operations.revokeDirectoryToken, { headers, params: { token_id: json.token.id } })
    expect((await revoke()).json).toEqual({ revoked: true })
    expect((await scim(json.secret, 'GET', '/Users')).status).toBe(401)
    expect((await read()).tokens[0].status).toBe('REVOKED')
    expect((await revoke()).status).toBe(404)
  })

  it.each([
    { name: '' },
    { name: 'x', roles: [] },
    { name: 'x', roles: ['root'] },
    { name: 'x', validDays: 0 },
    {},
  ])('is rejected with %j', async (body) => {
    expect((await issue(body)).status).toBe(400)
  })

  it('lists no expiry where it has none', async () => {
    expect((await issue({ name: 'Okta', validDays: null })).json.token.expireTime).toBeUndefined()
  })
})

describe('a group', () => {
  const memberOf = async (group: object) => {
    const { secret } = (await issue({ name: 'Entra ID', roles: ['it-manager', 'finance-user'] })).json
    const user = { schemas: [USER_SCHEMA], userName: `ida@${customerId}.example`, displayName: 'Ida' }
    const { id } = (await scim(secret, 'POST', '/Users', { body: user })).json
    await scim(secret, 'POST', '/Groups', {
      body: { schemas: [GROUP_SCHEMA], members: [{ value: id }], ...group },
    })
    return id as string
  }
  const rolesOf = async (id: string) =>
    (await database.sql(customerId, 'SELECT roles, billing_profiles FROM members WHERE id = $1', [id]))[0]

  it('grants its mapped roles immediately, and nothing once the mapping is removed', async () => {
    const id = await memberOf({ displayName: 'Staff' })
    expect((await read()).groups).toMatchObject([{ name: 'Staff', members: 1, isMapped: false, roles: [] }])
    const mapping = { name: 'staff', roles: ['finance-user'], billingProfiles: ['default'] }
    const { json } = await map(mapping)
    expect(json).toMatchObject({ name: 'Staff', members: 1, isMapped: true, billingProfiles: ['default'] })
    expect(await rolesOf(id)).toEqual({ roles: ['finance-user'], billing_profiles: ['default'] })
    const unmapped = await callApi(operations.unmapDirectoryGroup, { headers, params: { group_id: json.id } })
    expect(unmapped.json).toMatchObject({ isMapped: false, roles: [], billingProfiles: null })
    expect(await rolesOf(id)).toMatchObject({ roles: [] })
    const auditRows = await database.sql(
      customerId,
      "SELECT details FROM audit_events WHERE action = 'scim-group.mapped' ORDER BY id",
    )
    expect(auditRows).toMatchObject([
      { details: { roles: ['finance-user'] } },
      { details: { roles: 'none' } },
    ])
  })

  it('can be mapped before it exists, and two concurrent mappings create one group', async () => {
    const both = await Promise.all([1, 2].map(() => map({ name: 'Later', roles: ['it-manager'] })))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await read()).groups).toHaveLength(1)
  })

  it.each([
    { name: 'x', roles: [] },
    { name: 'x', roles: ['it-manager'], billingProfiles: ['nowhere'] },
    { name: ' ', roles: ['it-manager'] },
  ])('is rejected with %j', async (body) => {
    expect((await map(body)).status).toBe(400)
    expect((await read()).groups).toEqual([])
  })

  it('does not remove the last Admin’s role', async () => {
    const { secret } = (await issue({ name: 'Entra ID', roles: ['admin'] })).json
    const users = (await scim(secret, 'GET', '/Users')).json.Resources
    const members = [{ value: users[0].id }]
    await scim(secret, 'POST', '/Groups', { body: { schemas: [GROUP_SCHEMA], displayName: 'All', members } })
    const response = await map({ name: 'All', roles: ['it-manager'] })
    expect([response.status, response.json.code]).toEqual([409, 'last_admin'])
  })
})
