import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callApi as askKeys, opens } from '#lib/identity/keys/test-calls.ts'
import { setDisabled, setRemoved } from '#lib/identity/members/store.ts'
import { callApi as askMembers, signedIn } from '#lib/identity/members/test-calls.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { callApi, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

let testCustomer = ''
let token = ''
let admin = ''
beforeEach(async () => {
  testCustomer = await addNewCustomer()
  token = await tokenOf(testCustomer)
  admin = await addMember(testCustomer, {
    roles: ['admin'],
    email: `ana@${testCustomer}.example`,
    name: 'Ana',
  })
})

/** Returns a user as Microsoft Entra ID adds one, by its documentation. */
const entraUser = (name = 'cleo') => ({
  schemas: [USER_SCHEMA, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef-${name}`,
  userName: `${name}@${testCustomer}.example`,
  active: true,
  emails: [{ primary: true, type: 'work', value: `${name}@${testCustomer}.example` }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Cleo Marsh', familyName: 'Marsh', givenName: 'Cleo' },
  roles: [],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'IT' },
})
const add = async (name?: string) => (await callApi(token, 'POST', '/Users', { body: entraUser(name) })).json
const history = () =>
  database.sql(
    testCustomer,
    "SELECT action, actor_kind AS kind, actor_name AS name FROM audit_events WHERE action LIKE 'member.%' ORDER BY id",
  )

describe('requests of Microsoft Entra ID', () => {
  it('check whether a user exists, add, find and read them', async () => {
    const filter = (text: string) => `/Users?filter=${encodeURIComponent(text)}`
    const byName = filter(`userName eq "CLEO@${testCustomer}.example"`)
    expect(await callApi(token, 'GET', byName)).toMatchObject({
      status: 200,
      json: { totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
    })
    const made = await callApi(token, 'POST', '/Users', { body: entraUser() })
    const { id } = made.json
    expect(made).toMatchObject({
      status: 201,
      json: {
        schemas: [USER_SCHEMA],
        externalId: entraUser().externalId,
        userName: `cleo@${testCustomer}.example`,
        displayName: 'Cleo Marsh',
        name: { givenName: 'Cleo', familyName: 'Marsh', formatted: 'Cleo Marsh' },
        active: true,
        groups: [],
        meta: { resourceType: 'User', location: expect.stringMatching(new RegExp(`/scim/v2/Users/${id}$`)) },
      },
    })
    expect(made.headers.get('location')).toBe(made.json.meta.location)
    expect(made.headers.get('content-type')).toBe('application/scim+json')
    expect(made.headers.get('etag')).toBe(made.json.meta.version)
    expect(made.headers.get('ratelimit')).toContain('"requests"')
    for (const text of [
      `userName eq "CLEO@${testCustomer}.example"`,
      `externalId eq "${entraUser().externalId}"`,
      `id eq "${id}"`,
      `emails[type eq "work"].value eq "cleo@${testCustomer}.example"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName EQ "cleo@${testCustomer}.example"`,
    ])
      expect([text, (await callApi(token, 'GET', filter(text))).json.Resources]).toEqual([text, [made.json]])
    expect((await callApi(token, 'GET', `/Users/${id}`)).json).toEqual(made.json)
    const [row] = await database.sql(
      testCustomer,
      'SELECT roles, billing_profiles AS profiles, invited_at IS NOT NULL AS invited, added_by FROM members WHERE id = $1',
      [id],
    )
    expect(row).toEqual({
      roles: [],
      profiles: [],
      invited: true,
      added_by: expect.stringMatching(/^SCIM token /),
    })
    expect(await history()).toEqual([
      { action: 'member.added', kind: 'scim', name: expect.stringMatching(/^SCIM token Directory/) },
    ])
  })

  it.each([
    [{ op: 'Replace', path: 'active', value: 'False' }],
    [{ op: 'Replace', path: 'active', value: false }],
    [{ op: 'Replace', value: { active: false } }],
    [{ op: 'replace', value: { active: 'false', id: 'x', 'name.givenName': 'Cleopatra' } }],
  ])('disable a user by %j', async (operation) => {
    const { id } = await add()
    const changed = await callApi(token, 'PATCH', `/Users/${id}`, { body: patch(operation) })
    expect(changed).toMatchObject({ status: 200, json: { id, active: false } })
    expect((await history()).at(-1)).toMatchObject({ action: 'member.disabled', kind: 'scim' })
    const back = patch({ op: 'Replace', path: 'active', value: 'True' })
    expect((await callApi(token, 'PATCH', `/Users/${id}`, { body: back })).json.active).toBe(true)
  })

  it('set several attributes in one request, including ones that are not stored', async () => {
    const { id } = await add()
    const changed = await callApi(token, 'PATCH', `/Users/${id}`, {
      body: patch(
        { op: 'Add', path: 'nickName', value: 'C' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: `cleo@${testCustomer}.example` },
        { op: 'Replace', path: 'name.familyName', value: 'Marshall' },
        { op: 'Replace', path: 'externalId', value: 'other' },
        {
          op: 'Add',
          value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'Sales' },
        },
      ),
    })
    expect(changed.json).toMatchObject({ displayName: 'Cleo Marshall', externalId: 'other' })
    const response = await callApi(token, 'PATCH', `/Users/${id}`, {
      body: patch({ op: 'remove', path: 'externalId' }),
    })
    expect(response.json).not.toHaveProperty('externalId')
  })
})

describe('requests of Okta', () => {
  it('page through users, replace one, and disable by PUT', async () => {
    const { id } = await add()
    const page = (await callApi(token, 'GET', '/Users?startIndex=2&count=1')).json
    expect(page).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1, Resources: [{ id }] })
    const user = { schemas: [USER_SCHEMA], userName: `cleo@${testCustomer}.example`, password: 'not-kept-1' }
    const name = { givenName: 'Cleopatra', familyName: 'Marsh', middleName: '' }
    const replaced = await callApi(token, 'PUT', `/Users/${id}`, { body: { ...user, name, active: false } })
    expect(replaced).toMatchObject({ status: 200, json: { displayName: 'Cleopatra Marsh', active: false } })
    expect(
      (
        await callApi(token, 'PUT', `/Users/${id}`, {
          body: { ...user, active: true },
          headers: { 'content-type': 'application/json' },
        })
      ).json,
    ).toMatchObject({ active: true, displayName: 'Cleopatra Marsh' })
  })
})

describe('a user', () => {
  it('is rejected where the address is a member here, ignoring case', async () => {
    await addNewCustomer()
    const conflict = await callApi(token, 'POST', '/Users', {
      body: {
        ...entraUser(),
        userName: `ANA@${testCustomer}.example`,
      },
    })
    expect(conflict).toMatchObject({
      status: 409,
      json: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'uniqueness',
        detail: expect.stringContaining('already'),
      },
    })
    expect(conflict.headers.get('content-type')).toBe('application/scim+json')
  })

  it('is unlisted for good after removal, with their keys, and returns as a new member', async () => {
    const { id } = await add()
    const key = await addKey(testCustomer, ['it-manager'], { issuedBy: id })
    await database.sql(testCustomer, "UPDATE members SET roles = '{it-manager}' WHERE id = $1", [id])
    expect(await opens(key)).toBe(200)
    expect(await callApi(token, 'DELETE', `/Users/${id}`)).toMatchObject({ status: 204, json: undefined })
    expect(await opens(key)).toBe(401)
    for (const method of ['GET', 'DELETE'] as const)
      expect((await callApi(token, method, `/Users/${id}`)).status).toBe(404)
    expect((await callApi(token, 'GET', '/Users')).json.totalResults).toBe(1)
    expect((await history()).map(({ action }) => action)).toEqual([
      'member.added',
      'member.disabled',
      'member.removed',
    ])
    const again = await callApi(token, 'POST', '/Users', { body: entraUser() })
    expect(again).toMatchObject({ status: 201, json: { active: true } })
    expect(await opens(key)).toBe(401)
    expect(
      (await database.sql(testCustomer, 'SELECT roles FROM members WHERE id = $1', [again.json.id]))[0],
    ).toEqual({
      roles: [],
    })
  })

  it('is in no group after any kind of removal, and has never signed in when added again', async () => {
    const { id } = await add()
    const group = { schemas: [GROUP_SCHEMA], displayName: 'Team', members: [{ value: id }] }
    expect((await callApi(token, 'POST', '/Groups', { body: group })).status).toBe(201)
    await database.sql(
      testCustomer,
      'UPDATE members SET last_sign_in_at = now(), last_seen_at = now() WHERE id = $1',
      [id],
    )
    const customerId = newCustomerId(testCustomer)
    await scope({ customerId }, async (tx) => {
      await setDisabled(tx, customerId, id, true)
      await setRemoved(tx, customerId, id)
    })
    const left = 'SELECT 1 FROM scim_group_members UNION ALL SELECT 1 FROM scim_users'
    expect(await database.sql(testCustomer, left)).toEqual([])
    expect((await add()).id).toBe(id)
    const [row] = await database.sql(
      testCustomer,
      'SELECT last_sign_in_at, last_seen_at FROM members WHERE id = $1',
      [id],
    )
    expect(row).toEqual({ last_sign_in_at: null, last_seen_at: null })
  })

  it.each([
    ['PATCH', patch({ op: 'Replace', path: 'active', value: 'False' })],
    ['DELETE', undefined],
  ] as const)(
    'is locked out from the next request on, with sessions, links and keys, after leaving by %s',
    async (method, body) => {
      const id = await addMember(testCustomer, { roles: ['it-manager'], invitedAt: null })
      const session = await signedIn(testCustomer, id)
      const key = await addKey(testCustomer, ['it-manager'], { issuedBy: id })
      expect([(await askKeys(session, 'GET')).status, await opens(key)]).toEqual([200, 200])
      expect((await callApi(token, method, `/Users/${id}`, { body })).status).toBeLessThan(300)
      expect([(await askKeys(session, 'GET')).status, await opens(key)]).toEqual([401, 401])
      expect(await database.sql(testCustomer, 'SELECT 1 FROM sessions WHERE member_id = $1', [id])).toEqual(
        [],
      )
    },
  )

  it('is deleted with the directory’s attributes when their invitation is withdrawn', async () => {
    const { id } = await add()
    const ana = await signedIn(testCustomer, admin)
    expect((await askMembers(ana, 'DELETE', `/${id}/invitation`)).status).toBe(200)
    expect((await callApi(token, 'GET', `/Users/${id}`)).status).toBe(404)
    expect(await database.sql(testCustomer, 'SELECT 1 FROM scim_users')).toEqual([])
  })

  it('is unlisted when removed, added again and withdrawn, even though a key refers to them', async () => {
    const { id } = await add()
    await addKey(testCustomer, ['it-manager'], { issuedBy: id })
    await callApi(token, 'DELETE', `/Users/${id}`)
    expect((await add()).id).toBe(id)
    const ana = await signedIn(testCustomer, admin)
    expect((await askMembers(ana, 'DELETE', `/${id}/invitation`)).status).toBe(200)
    expect((await askMembers(ana, 'GET', '')).json.rowCount).toBe(1)
    expect((await callApi(token, 'GET', `/Users/${id}`)).status).toBe(404)
    expect((await add()).active).toBe(true)
  })

  it('is not shown on the members page after removal, and can’t be enabled', async () => {
    const { id } = await add()
    await callApi(token, 'DELETE', `/Users/${id}`)
    const ana = await signedIn(testCustomer, admin)
    expect((await askMembers(ana, 'GET', '')).json.rowCount).toBe(1)
    expect((await askMembers(ana, 'PATCH', `/${id}`, { disabled: false })).status).toBe(404)
    const again = { email: `CLEO@${testCustomer}.example`, name: 'Cleo', roles: ['it-manager'] }
    expect((await askMembers(ana, 'POST', '', again)).json.member).toMatchObject({ state: 'invited' })
  })

  it('can’t be removed as the last Admin, not even by PUT and DELETE', async () => {
    const disable = patch({ op: 'replace', path: 'active', value: false })
    expect((await callApi(token, 'PATCH', `/Users/${admin}`, { body: disable })).status).toBe(409)
    expect((await callApi(token, 'DELETE', `/Users/${admin}`)).status).toBe(409)
    await addMember(testCustomer, { roles: ['admin'] })
    expect((await callApi(token, 'PATCH', `/Users/${admin}`, { body: disable })).status).toBe(200)
    // A token can't restore access that it may not grant.
    const enable = patch({ op: 'replace', path: 'active', value: true })
    expect((await callApi(token, 'PATCH', `/Users/${admin}`, { body: enable })).status).toBe(403)
    expect(
      (await callApi(await tokenOf(testCustomer, ['admin']), 'PATCH', `/Users/${admin}`, { body: enable }))
        .status,
    ).toBe(200)
  })

  it('keeps the address', async () => {
    const { id } = await add()
    const renamed = patch({ op: 'replace', path: 'userName', value: `eve@${testCustomer}.example` })
    expect(await callApi(token, 'PATCH', `/Users/${id}`, { body: renamed })).toMatchObject({
      status: 400,
      json: { scimType: 'mutability' },
    })
    const same = patch({ op: 'replace', path: 'userName', value: `CLEO@${testCustomer}.example` })
    expect((await callApi(token, 'PATCH', `/Users/${id}`, { body: same })).status).toBe(200)
  })

  it('has a version, by which a write is rejected and a read skipped', async () => {
    const { id, meta } = await add()
    const change = patch({ op: 'replace', path: 'displayName', value: 'C' })
    expect(
      (await callApi(token, 'GET', `/Users/${id}`, { headers: { 'if-none-match': meta.version } })).status,
    ).toBe(304)
    const changed = await callApi(token, 'PATCH', `/Users/${id}`, {
      body: change,
      headers: { 'if-match': meta.version },
    })
    expect(changed.status).toBe(200)
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? change : undefined
      expect(
        (await callApi(token, method, `/Users/${id}`, { body, headers: { 'if-match': meta.version } }))
          .status,
      ).toBe(412)
    }
    expect((await callApi(token, 'DELETE', `/Users/${id}`, { headers: { 'if-match': '*' } })).status).toBe(
      204,
    )
  })

  it('is returned with the requested attributes', async () => {
    const { id } = await add()
    const keys = async (query: string) =>
      Object.keys((await callApi(token, 'GET', `/Users/${id}?${query}`)).json)
    expect(await keys('attributes=userName,name.givenName')).toEqual(['schemas', 'id', 'userName', 'name'])
    expect(await keys('excludedAttributes=groups,meta,emails,id')).toEqual([
      'schemas',
      'id',
      'externalId',
      'userName',
      'displayName',
      'name',
      'active',
    ])
  })

  it('is changed by two concurrent requests one after the other', async () => {
    const { id } = await add()
    const results = await Promise.all(
      [
        patch({ op: 'replace', path: 'name.givenName', value: 'Anna' }),
        patch({ op: 'replace', path: 'name.familyName', value: 'Berg' }),
        patch({ op: 'replace', path: 'active', value: false }),
      ].map((body) => callApi(token, 'PATCH', `/Users/${id}`, { body })),
    )
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await callApi(token, 'GET', `/Users/${id}`)).json).toMatchObject({
      active: false,
      displayName: 'Anna Berg',
      name: { givenName: 'Anna', familyName: 'Berg' },
    })
  })
})
