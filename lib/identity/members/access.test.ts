import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import * as read from './store.ts'
import * as write from './store.ts'
import { callApi, type Headers, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let testCustomer = ''
let ben = ''
let cleo = ''
let dan = ''
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  testCustomer = await addNewCustomer()
  for (const profile of ['emea', 'us']) await addProfile(testCustomer, profile)
  ben = await addMember(testCustomer, { roles: ['it-manager'] })
  cleo = await addMember(testCustomer, {
    roles: ['finance-user'],
    billingProfiles: ['emea'],
    invitedAt: new Date(),
  })
  dan = await addMember(testCustomer, { roles: ['it-manager'], disabledAt: new Date() })
})

/** Operations with a request each; changes both grant and revoke access. */
const OPERATIONS = {
  listMembers: () => ['GET', ''],
  readMember: () => ['GET', `/${ben}`],
  inviteMember: () => [
    'POST',
    '',
    { email: `${crypto.randomUUID()}@a.example`, name: 'New', roles: ['admin'] },
  ],
  changeMember: () => ['PATCH', `/${ben}`, { roles: ['finance-user'] }],
  letIn: () => ['PATCH', `/${dan}`, { disabled: false }],
  narrowProfiles: () => ['PATCH', `/${ben}`, { billingProfiles: ['us'] }],
  shutOut: () => ['PATCH', `/${ben}`, { disabled: true }],
  rename: () => ['PATCH', `/${ben}`, { name: 'New', disabled: false }],
  makeMemberLink: () => ['POST', `/${ben}/link`, {}],
  withdrawInvitation: () => ['DELETE', `/${cleo}/invitation`],
} as const satisfies Record<string, () => readonly [string, string, object?]>
type Name = keyof typeof OPERATIONS
const NAMES = Object.keys(OPERATIONS) as Name[]
/** Operations that grant access or remove it, and so require a signed-in member. */
const PEOPLES: Name[] = [
  'inviteMember',
  'changeMember',
  'letIn',
  'narrowProfiles',
  'shutOut',
  'makeMemberLink',
]

function call(name: Name, headers: Headers) {
  const [method, rest, body] = OPERATIONS[name]() as readonly ['GET', string, object?]
  return callApi(headers, method, rest, body)
}

const ROLE_SETS: Role[][] = [[], ['it-manager'], ['finance-user'], ['it-manager', 'finance-user'], ['admin']]
const CELLS = NAMES.flatMap((name) => ROLE_SETS.map((roles) => [name, roles] as const))

/** Expects the error to name the missing permission, or the need of a signed-in member. */
function checkDenied(json: { code: string }, roles: readonly Role[]) {
  const message = { detail: expect.stringContaining('requires a signed-in member') }
  const lacks = { permission: 'Members Manager' }
  expect(json).toMatchObject({ code: 'permission_denied', ...(roles.includes('admin') ? message : lacks) })
}

describe('each operation', () => {
  it.each(CELLS)('%s is allowed or rejected for %j', async (name, roles) => {
    // The key was issued by an Admin, so it has its full access.
    const issuedBy = await addMember(testCustomer, { roles: ['admin'] })
    const callers = [
      () => withKey(testCustomer, [...roles], { issuedBy }),
      async () => signedIn(testCustomer, await addMember(testCustomer, { roles: [...roles] })),
    ]
    for (const [at, headers] of callers.entries()) {
      const isKey = at === 0
      const status = roles.includes('admin') && !(isKey && PEOPLES.includes(name)) ? 200 : 403
      if (!isKey) cleo = await addMember(testCustomer, { roles: ['it-manager'], invitedAt: new Date() })
      const answer = await call(name, await headers())
      expect(answer.status).toBe(status)
      if (status === 403) checkDenied(answer.json, roles)
    }
  })

  it.each(NAMES)(
    '%s is rejected without credentials, with an unknown key, and with one whose issuer is not an Admin any more',
    async (name) => {
      const former = await withKey(testCustomer, ['admin'], { issuedBy: ben })
      const disabled = await addMember(testCustomer, { roles: ['admin'], disabledAt: new Date() })
      expect((await call(name, {})).status).toBe(401)
      expect((await call(name, { authorization: `Bearer lic_${'a'.repeat(36)}` })).status).toBe(401)
      expect((await call(name, await withKey(testCustomer, ['admin'], { issuedBy: disabled }))).status).toBe(
        401,
      )
      expect(
        (await call(name, await withKey(testCustomer, ['admin'], { revokedAt: new Date() }))).status,
      ).toBe(401)
      expect((await call(name, former)).status).toBe(403)
    },
  )

  it.each(NAMES.filter((name) => OPERATIONS[name]()[0] !== 'GET'))(
    '%s is rejected from another site',
    async (name) => {
      const session = await signedIn(testCustomer, await addMember(testCustomer, { roles: ['admin'] }))
      const { status, json } = await call(name, { ...session, 'sec-fetch-site': 'cross-site' })
      expect([status, json.code]).toEqual([403, 'cross_origin'])
    },
  )
})

describe('an Admin’s key', () => {
  const readState = () =>
    database.sql(testCustomer, 'SELECT id, roles, billing_profiles, disabled_at FROM members ORDER BY id')

  it.each([
    ['a role', { roles: ['it-manager', 'finance-user'] }, '/roles'],
    ['the role Admin', { roles: ['admin'] }, '/roles'],
    ['a billing profile', { billingProfiles: ['emea', 'us'] }, '/billingProfiles/1'],
    ['all billing profiles', { billingProfiles: null }, '/billingProfiles'],
  ])('can’t grant %s, and changes nothing', async (_, body, pointer) => {
    const by = await withKey(testCustomer, ['admin'])
    await database.sql(testCustomer, "UPDATE members SET billing_profiles = '{emea}' WHERE id = $1", [ben])
    const before = await readState()
    const { status, json } = await callApi(by, 'PATCH', `/${ben}`, body)
    expect([status, json.code, json.errors[0].pointer]).toEqual([403, 'permission_denied', pointer])
    expect(json.detail).toContain('requires a signed-in member')
    expect(await readState()).toEqual(before)
  })

  it('can’t enable a member, not even one without access', async () => {
    await database.sql(
      testCustomer,
      "UPDATE members SET roles = '{}', billing_profiles = '{}' WHERE id = $1",
      [dan],
    )
    const by = await withKey(testCustomer, ['admin'])
    expect((await callApi(by, 'PATCH', `/${dan}`, { disabled: false })).json.code).toBe('permission_denied')
    expect((await callApi(by, 'GET', `/${dan}`)).json.state).toBe('disabled')
  })
})

describe('an Admin with limited billing profiles', () => {
  let by: Headers
  beforeEach(async () => {
    by = await signedIn(
      testCustomer,
      await addMember(testCustomer, { roles: ['admin'], billingProfiles: ['emea'] }),
    )
  })

  it('grants those profiles and no others', async () => {
    const invite = (billingProfiles?: unknown) =>
      callApi(by, 'POST', '', {
        email: `${crypto.randomUUID()}@${testCustomer}.example`,
        name: 'New',
        roles: ['finance-user'],
        ...(billingProfiles === undefined ? {} : { billingProfiles }),
      })
    expect((await invite(['emea'])).status).toBe(200)
    for (const [profiles, pointer] of [
      [undefined, '/billingProfiles'],
      [null, '/billingProfiles'],
      [['emea', 'us'], '/billingProfiles/1'],
    ] as const) {
      const { status, json } = await invite(profiles)
      expect([status, json.code, json.errors[0].pointer]).toEqual([403, 'permission_denied', pointer])
    }
    expect((await callApi(by, 'PATCH', `/${cleo}`, { billingProfiles: null })).status).toBe(403)
    expect((await callApi(by, 'PATCH', `/${cleo}`, { billingProfiles: ['us'] })).status).toBe(403)
    // Removing access grants nothing.
    expect((await callApi(by, 'PATCH', `/${ben}`, { billingProfiles: ['us'] })).status).toBe(200)
  })

  it('can’t open the account of a member who sees more', async () => {
    const { status, json } = await callApi(by, 'POST', `/${ben}/link`, {})
    expect([status, json.code]).toEqual([403, 'permission_denied'])
    expect(await database.sql(testCustomer, 'SELECT 1 FROM account_links')).toEqual([])
    expect((await callApi(by, 'POST', `/${cleo}/link`, {})).status).toBe(200)
  })

  it('can’t enable a member who sees more, unless the member sees less afterwards', async () => {
    const { status, json } = await callApi(by, 'PATCH', `/${dan}`, { disabled: false })
    expect([status, json.code, json.errors[0].pointer]).toEqual([403, 'permission_denied', '/disabled'])
    expect((await callApi(by, 'GET', `/${dan}`)).json.state).toBe('disabled')
    const less = { disabled: false, billingProfiles: ['emea'] }
    expect((await callApi(by, 'PATCH', `/${dan}`, less)).json.state).toBe('active')
  })

  it('can’t grant profiles added later when limited to all present ones', async () => {
    const all = await addMember(testCustomer, {
      roles: ['admin'],
      billingProfiles: ['default', 'emea', 'us'],
    })
    const by = await signedIn(testCustomer, all)
    expect((await callApi(by, 'PATCH', `/${cleo}`, { billingProfiles: null })).status).toBe(403)
    expect((await callApi(by, 'PATCH', `/${cleo}`, { billingProfiles: ['emea', 'us'] })).status).toBe(200)
  })
})

describe('a member of another customer', () => {
  let otherHeaders: Headers
  beforeEach(async () => {
    const other = await addNewCustomer()
    otherHeaders = await signedIn(other, await addMember(other, { roles: ['admin'] }))
  })

  it('is not found, with the same response as an unknown one', async () => {
    expect((await callApi(otherHeaders, 'GET', '')).json.rowCount).toBe(1)
    for (const name of NAMES.filter((one) => one !== 'listMembers' && one !== 'inviteMember')) {
      const [method, rest, body] = OPERATIONS[name]() as readonly ['GET', string, object?]
      const theirs = await callApi(otherHeaders, method, rest, body)
      const nobodys = await callApi(otherHeaders, method, rest.replace(/^\/[^/]+/, '/nobody'), body)
      expect([theirs.status, { ...theirs.json, instance: '' }]).toEqual([
        404,
        { ...nobodys.json, instance: '' },
      ])
    }
    expect(await database.sql(testCustomer, 'SELECT 1 FROM members')).toHaveLength(3)
  })

  it('is isolated by row-level security and by each statement independently', async () => {
    const other = (await addNewCustomer()) as CustomerId
    const mine = testCustomer as CustomerId
    const attempts = (customerId: CustomerId, named: CustomerId) =>
      scope({ customerId }, async (tx) => {
        const listed = await read.listMembers(tx, named, {}, { limit: 10 })
        await write.setMember(tx, named, ben, { name: 'taken' })
        await write.removeInvited(tx, named, cleo)
        return [
          listed.length,
          await read.readMember(tx, named, ben),
          await read.lockMember(tx, named, ben),
          await read.memberWith(tx, named, `${ben}@${testCustomer}.example`),
        ]
      })
    const nothing = [0, undefined, undefined, undefined]
    // Row-level security hides other customers' rows from a statement that names their customer.
    expect(await attempts(other, mine)).toEqual(nothing)
    // The statement names the customer, while row-level security is disabled.
    const setRowSecurity = (what: 'ENABLE' | 'DISABLE') =>
      run(
        database.url,
        `ALTER TABLE members ${what} ROW LEVEL SECURITY; ALTER TABLE account_links ${what} ROW LEVEL SECURITY`,
      )
    await setRowSecurity('DISABLE')
    try {
      expect(await attempts(other, other)).toEqual(nothing)
      const seen = await scope({ customerId: other }, (tx) => read.listMembers(tx, mine, {}, { limit: 10 }))
      expect(seen).toHaveLength(3)
    } finally {
      await setRowSecurity('ENABLE')
    }
    const names = await database.sql(testCustomer, 'SELECT name FROM members ORDER BY invited_at NULLS FIRST')
    expect(names).toContainEqual({ name: cleo })
    expect(names).toHaveLength(3)
    expect(names).not.toContainEqual({ name: 'taken' })
  })
})
