import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CustomerId, Role } from '#lib/access/rules.ts'
import { scope } from '#lib/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addMember, addNewCustomer, addProfile } from '#lib/db/test-rows.ts'
import { run } from '#lib/db/test-server.ts'
import * as read from './store/read.ts'
import * as write from './store/write.ts'
import { ask, type Headers, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let own = ''
let ben = ''
let cleo = ''
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  own = await addNewCustomer()
  for (const profile of ['emea', 'us']) await addProfile(own, profile)
  ben = await addMember(own, { roles: ['it-manager'] })
  cleo = await addMember(own, { roles: ['finance-user'], billingProfiles: ['emea'], invitedAt: new Date() })
})

/** Each operation, with what it asks for. */
const OPERATIONS = {
  listMembers: () => ['GET', ''],
  readMember: () => ['GET', `/${ben}`],
  inviteMember: () => [
    'POST',
    '',
    { email: `${crypto.randomUUID()}@a.example`, name: 'New', roles: ['admin'] },
  ],
  changeMember: () => ['PATCH', `/${ben}`, { roles: ['finance-user'] }],
  makeMemberLink: () => ['POST', `/${ben}/link`, {}],
  withdrawInvitation: () => ['DELETE', `/${cleo}/invitation`],
} as const satisfies Record<string, () => readonly [string, string, object?]>
type Name = keyof typeof OPERATIONS
const NAMES = Object.keys(OPERATIONS) as Name[]

function call(name: Name, headers: Headers) {
  const [method, rest, body] = OPERATIONS[name]() as readonly ['GET', string, object?]
  return ask(headers, method, rest, body)
}

const ROLE_SETS: Role[][] = [[], ['it-manager'], ['finance-user'], ['it-manager', 'finance-user'], ['admin']]
const CELLS = NAMES.flatMap((name) => ROLE_SETS.map((roles) => [name, roles] as const))

describe('each role and each operation', () => {
  it.each(CELLS)('%s by %j', async (name, roles) => {
    const status = roles.includes('admin') ? 200 : 403
    // An Admin who made the key, so that it holds what it says.
    const issuedBy = await addMember(own, { roles: ['admin'] })
    const callers = [
      () => withKey(own, [...roles], { issuedBy }),
      async () => signedIn(own, await addMember(own, { roles: [...roles] })),
    ]
    for (const [at, headers] of callers.entries()) {
      if (at > 0) cleo = await addMember(own, { roles: ['it-manager'], invitedAt: new Date() })
      const answer = await call(name, await headers())
      expect(answer.status).toBe(status)
      if (status === 403)
        expect(answer.json).toMatchObject({ code: 'permission_denied', permission: 'Members Manager' })
    }
  })

  it.each(NAMES)(
    '%s by nobody, by an unknown key, and by one whose issuer is no Admin any more',
    async (name) => {
      const former = await withKey(own, ['admin'], { issuedBy: ben })
      const disabled = await addMember(own, { roles: ['admin'], disabledAt: new Date() })
      expect((await call(name, {})).status).toBe(401)
      expect((await call(name, { authorization: `Bearer lic_${'a'.repeat(36)}` })).status).toBe(401)
      expect((await call(name, await withKey(own, ['admin'], { issuedBy: disabled }))).status).toBe(401)
      expect((await call(name, await withKey(own, ['admin'], { revokedAt: new Date() }))).status).toBe(401)
      expect((await call(name, former)).status).toBe(403)
    },
  )

  it.each(NAMES.filter((name) => OPERATIONS[name]()[0] !== 'GET'))('%s from another site', async (name) => {
    const session = await signedIn(own, await addMember(own, { roles: ['admin'] }))
    const { status, json } = await call(name, { ...session, 'sec-fetch-site': 'cross-site' })
    expect([status, json.code]).toEqual([403, 'cross_origin'])
  })
})

describe('who sees some billing profiles only', () => {
  const callers: [string, () => Promise<Headers>][] = [
    [
      'a member',
      async () => signedIn(own, await addMember(own, { roles: ['admin'], billingProfiles: ['emea'] })),
    ],
    ['a key', () => withKey(own, ['admin'], { billingProfiles: ['emea'] })],
    [
      'a key of a member who does',
      async () =>
        withKey(own, ['admin'], {
          issuedBy: await addMember(own, { roles: ['admin'], billingProfiles: ['emea'] }),
        }),
    ],
  ]
  it.each(callers)('%s gives those and no others', async (_, headers) => {
    const by = await headers()
    const invite = (billingProfiles?: unknown) =>
      ask(by, 'POST', '', {
        email: `${crypto.randomUUID()}@${own}.example`,
        name: 'New',
        roles: ['finance-user'],
        ...(billingProfiles === undefined ? {} : { billingProfiles }),
      })
    expect((await invite(['emea'])).status).toBe(200)
    for (const [given, pointer] of [
      [undefined, '/billingProfiles'],
      [null, '/billingProfiles'],
      [['emea', 'us'], '/billingProfiles/1'],
    ] as const) {
      const { status, json } = await invite(given)
      expect([status, json.code, json.errors[0].pointer]).toEqual([403, 'permission_denied', pointer])
    }
    expect((await ask(by, 'PATCH', `/${cleo}`, { billingProfiles: null })).status).toBe(403)
    expect((await ask(by, 'PATCH', `/${cleo}`, { billingProfiles: ['us'] })).status).toBe(403)
    // To take away is not to give.
    expect((await ask(by, 'PATCH', `/${ben}`, { billingProfiles: ['us'] })).status).toBe(200)
  })

  it.each(callers)('%s opens the account of nobody who sees more', async (_, headers) => {
    const by = await headers()
    const { status, json } = await ask(by, 'POST', `/${ben}/link`, {})
    expect([status, json.code]).toEqual([403, 'permission_denied'])
    expect(await database.sql(own, 'SELECT 1 FROM account_links')).toEqual([])
    expect((await ask(by, 'POST', `/${cleo}/link`, {})).status).toBe(200)
  })

  it('who is limited to all that there are today, gives none of those to come', async () => {
    const all = await addMember(own, { roles: ['admin'], billingProfiles: ['default', 'emea', 'us'] })
    const by = await signedIn(own, all)
    expect((await ask(by, 'PATCH', `/${cleo}`, { billingProfiles: null })).status).toBe(403)
    expect((await ask(by, 'PATCH', `/${cleo}`, { billingProfiles: ['emea', 'us'] })).status).toBe(200)
  })
})

describe('a member of another customer', () => {
  let stranger: Headers
  beforeEach(async () => {
    const other = await addNewCustomer()
    stranger = await signedIn(other, await addMember(other, { roles: ['admin'] }))
  })

  it('is not there, in the words of one that does not exist', async () => {
    expect((await ask(stranger, 'GET', '')).json.rowCount).toBe(1)
    for (const name of NAMES.filter((one) => one !== 'listMembers' && one !== 'inviteMember')) {
      const [method, rest, body] = OPERATIONS[name]() as readonly ['GET', string, object?]
      const theirs = await ask(stranger, method, rest, body)
      const nobodys = await ask(stranger, method, rest.replace(/^\/[^/]+/, '/nobody'), body)
      expect([theirs.status, { ...theirs.json, instance: '' }]).toEqual([
        404,
        { ...nobodys.json, instance: '' },
      ])
    }
    expect(await database.sql(own, 'SELECT 1 FROM members')).toHaveLength(2)
  })

  it('is stopped by each wall alone', async () => {
    const other = (await addNewCustomer()) as CustomerId
    const mine = own as CustomerId
    const attempts = (customerId: CustomerId, named: CustomerId) =>
      scope({ customerId }, async (tx) => {
        const listed = await read.listMembers(tx, named, {}, 10)
        await write.setMember(tx, named, ben, { name: 'taken' })
        await write.removeInvited(tx, named, cleo)
        return [
          listed.length,
          await read.readMember(tx, named, ben),
          await read.lockMember(tx, named, ben),
          await read.memberWith(tx, named, `${ben}@${own}.example`),
        ]
      })
    const nothing = [0, undefined, undefined, undefined]
    // The rows of others are not to be seen, where the statement names their customer.
    expect(await attempts(other, mine)).toEqual(nothing)
    // The statement names the customer, where the rows of all are to be seen.
    const wall = (what: 'ENABLE' | 'DISABLE') =>
      run(
        database.url,
        `ALTER TABLE members ${what} ROW LEVEL SECURITY; ALTER TABLE account_links ${what} ROW LEVEL SECURITY`,
      )
    await wall('DISABLE')
    try {
      expect(await attempts(other, other)).toEqual(nothing)
      const seen = await scope({ customerId: other }, (tx) => read.listMembers(tx, mine, {}, 10))
      expect(seen).toHaveLength(2)
    } finally {
      await wall('ENABLE')
    }
    const names = await database.sql(own, 'SELECT name FROM members ORDER BY invited_at NULLS FIRST')
    expect(names).toEqual([{ name: ben }, { name: cleo }])
  })
})
