import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import * as feeds from '#lib/costs/renewal-feeds/operations.ts'
import { issueDirectoryToken, revokeDirectoryToken } from '#lib/identity/directories/operations.ts'
import * as keys from '#lib/identity/keys/operations.ts'
import * as members from '#lib/identity/members/operations.ts'
import { cookieOf, type Headers } from '#lib/identity/members/test-calls.ts'
import * as scim from '#lib/identity/scim/operations.ts'
import { addToken, revokeLeakedTokens } from '#lib/identity/scim/tokens.ts'
import * as secondFactors from '#lib/identity/second-factors/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { digestOf, newScimToken } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'

// The caller is authenticated before the body arrives, and may lose access in the meantime (TOCTOU race).

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

let testCustomer = ''
const id = { ana: '', ben: '', cleo: '', key: '', session: '', token: '' }
let by: { session: Headers; key: Headers }
beforeEach(async () => {
  testCustomer = await addNewCustomer()
  id.ana = await addMember(testCustomer, { roles: ['admin'] })
  await addMember(testCustomer, { roles: ['admin'] })
  id.ben = await addMember(testCustomer, { roles: ['it-manager'] })
  id.cleo = await addMember(testCustomer, { roles: ['it-manager'], invitedAt: new Date() })
  id.session = await addSession(testCustomer, id.ana)
  id.key = `admin-key-${testCustomer}`
  const key = await addKey(testCustomer, ['admin'], { id: id.key, issuedBy: id.ana })
  await addKey(testCustomer, ['it-manager'], { id: `${testCustomer}-ben`, issuedBy: id.ben })
  await addKey(testCustomer, ['it-manager'], { id: `${testCustomer}-ana`, issuedBy: id.ana })
  const newToken = { name: 'Directory', roles: ['it-manager'] as const, days: null }
  id.token = await scope({ customerId: testCustomer as CustomerId }, (tx) =>
    addToken(tx, testCustomer as CustomerId, newScimToken(), newToken),
  )
  by = { session: await cookieOf(id.session), key: { authorization: `Bearer ${key}` } }
})

type Call = readonly [AnyOperation, string, 'POST' | 'PATCH' | 'DELETE' | 'PUT', object]
const INVITATION = { email: 'new@a.example', name: 'New', roles: ['admin'] }
const CALLS: Record<string, () => Call> = {
  inviteMember: () => [members.inviteMember, '/billing/v1/members', 'POST', INVITATION],
  changeMember: () => [members.changeMember, `/billing/v1/members/${id.ben}`, 'PATCH', { name: 'New' }],
  makeMemberLink: () => [members.makeMemberLink, `/billing/v1/members/${id.ben}/link`, 'POST', {}],
  withdrawInvitation: () => [
    members.withdrawInvitation,
    `/billing/v1/members/${id.cleo}/invitation`,
    'DELETE',
    {},
  ],
  issueKey: () => [keys.issueKey, '/billing/v1/keys', 'POST', { name: 'New', roles: ['it-manager'] }],
  renameKey: () => [keys.renameKey, `/billing/v1/keys/${testCustomer}-ben`, 'PATCH', { name: 'New' }],
  rotateKey: () => [keys.rotateKey, `/billing/v1/keys/${testCustomer}-ana/rotation`, 'POST', {}],
  revokeKey: () => [keys.revokeKey, `/billing/v1/keys/${testCustomer}-ben`, 'DELETE', {}],
  demandFactor: () => [
    secondFactors.demandFactor,
    '/auth/v1/second-factor-demand',
    'PUT',
    { isDemanded: true },
  ],
  issueDirectoryToken: () => [
    issueDirectoryToken,
    '/billing/v1/directory/tokens',
    'POST',
    { name: 'New', roles: ['it-manager'], validDays: null },
  ],
  revokeDirectoryToken: () => [
    revokeDirectoryToken,
    `/billing/v1/directory/tokens/${id.token}`,
    'DELETE',
    {},
  ],
  makeRenewalFeed: () => [feeds.makeRenewalFeed, '/billing/v1/renewal-feed', 'POST', {}],
  revokeRenewalFeed: () => [feeds.revokeRenewalFeed, '/billing/v1/renewal-feed', 'DELETE', {}],
  resetFactors: () => [secondFactors.resetFactors, `/auth/v1/members/${id.ben}/second-factors`, 'DELETE', {}],
}
const KEY_CALLS: Record<string, () => Call> = {
  changeMember: CALLS.changeMember as () => Call,
  withdrawInvitation: CALLS.withdrawInvitation as () => Call,
  renameKey: CALLS.renameKey as () => Call,
  rotateKey: () => [keys.rotateKey, `/billing/v1/keys/${id.key}/rotation`, 'POST', {}],
  revokeKey: CALLS.revokeKey as () => Call,
}

/** Sends the request, and delivers its body after `change` has finished. */
async function sendDuring(headers: Headers, [operation, path, method, body]: Call, change: () => unknown) {
  const stream = new ReadableStream(
    {
      async pull(controller) {
        await change()
        controller.enqueue(Buffer.from(JSON.stringify(body)))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const init = { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: stream }
  const request = new Request(`http://console.example${path}`, { ...init, duplex: 'half' } as RequestInit)
  const response = await route(operation)[method](request)
  return { status: response.status, json: await response.json() }
}

const sql = (text: string, ...values: unknown[]) => database.sql(testCustomer, text, values)
const listState = () =>
  Promise.all([
    sql('SELECT id, name, roles FROM members ORDER BY id'),
    sql('SELECT id, name, revoked_at, replaced_by FROM api_keys ORDER BY id'),
    sql('SELECT 1 FROM account_links'),
    sql('SELECT demands_factor FROM customers'),
    sql('SELECT id, revoked_at FROM scim_tokens ORDER BY id'),
    sql('SELECT member_id, last_four FROM calendar_feeds'),
    sql("SELECT action FROM audit_events WHERE action NOT LIKE 'access.%'"),
  ])

const endSession = () =>
  run(
    database.url,
    `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
     DELETE FROM sessions WHERE digest = '${digestOf(id.session)}';
     ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
  )
const SHUT_OUT = {
  'whose member was disabled': () => sql('UPDATE members SET disabled_at = now() WHERE id = $1', id.ana),
  'whose member was taken away': () =>
    sql('UPDATE members SET disabled_at = now(), removed_at = now() WHERE id = $1', id.ana),
}

describe('a request whose body arrives late', () => {
  it.each(Object.keys(CALLS))('%s is carried out, where the caller keeps access', async (name) => {
    const { status } = await sendDuring(by.session, (CALLS[name] as () => Call)(), () => {})
    // Ben has no factor that could be taken away.
    expect(status).toBe(name === 'resetFactors' ? 404 : 200)
  })

  const sessions = Object.entries({ ...SHUT_OUT, 'which was ended': endSession })
  it.each(sessions.flatMap(([how, what]) => Object.keys(CALLS).map((name) => [name, how, what] as const)))(
    '%s of a session %s is unauthenticated and changes nothing',
    async (name, _, change) => {
      let before: unknown
      const { status, json } = await sendDuring(by.session, (CALLS[name] as () => Call)(), async () => {
        await change()
        before = await listState()
      })
      expect([status, json.code]).toEqual([401, 'unauthenticated'])
      expect(await listState()).toEqual(before)
    },
  )

  const revoked = () => sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', id.key)
  const byKey = Object.entries({ ...SHUT_OUT, 'which was revoked': revoked })
  it.each(byKey.flatMap(([how, what]) => Object.keys(KEY_CALLS).map((name) => [name, how, what] as const)))(
    '%s of a key %s is unauthenticated and changes nothing',
    async (name, _, change) => {
      let before: unknown
      const { status, json } = await sendDuring(by.key, (KEY_CALLS[name] as () => Call)(), async () => {
        await change()
        before = await listState()
      })
      expect([status, json.code]).toEqual([401, 'unauthenticated'])
      expect(await listState()).toEqual(before)
    },
  )

  it.each(Object.keys(CALLS))('%s is decided by the current roles', async (name) => {
    const isKeyOperation = ['issueKey', 'rotateKey', 'revokeRenewalFeed'].includes(name)
    const { status } = await sendDuring(by.session, (CALLS[name] as () => Call)(), () =>
      sql("UPDATE members SET roles = '{finance-user}' WHERE id = $1", id.ana),
    )
    // A member can still rotate their own key; keys of others are not found.
    const expectedStatus = /^(rename|revoke)Key$/.test(name) ? 404 : 403
    expect(status).toBe(isKeyOperation && name !== 'issueKey' ? 200 : expectedStatus)
  })

  it('grants no billing profile that its member can no longer see', async () => {
    const body = { ...INVITATION, billingProfiles: null }
    const call: Call = [members.inviteMember, '/billing/v1/members', 'POST', body]
    const { json } = await sendDuring(by.session, call, () =>
      sql("UPDATE members SET billing_profiles = '{default}' WHERE id = $1", id.ana),
    )
    expect([json.code, json.errors?.[0].pointer]).toEqual(['permission_denied', '/billingProfiles'])
  })
})

describe('a change of seats, which usually authenticates its caller once,', () => {
  afterEach(() => void vi.restoreAllMocks())
  const change = (headers: Headers, during: () => unknown) =>
    sendDuring(headers, [setQuantity, '/billing/v1/assets/none', 'PATCH', { quantity: 1 }], during)

  it.each(['session', 'key'] as const)('checks the %s again, where the body took a second', async (via) => {
    const { now } = performance
    const slowly = async () => {
      await sql('UPDATE members SET disabled_at = now() WHERE id = $1', id.ana)
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 1001)
    }
    const { status, json } = await change(by[via], slowly)
    expect([status, json.code]).toEqual([401, 'unauthenticated'])
  })

  it('proceeds for a caller who still has access, where the body took a second', async () => {
    const { now } = performance
    const { json } = await change(by.key, () => {
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 1001)
    })
    expect(json.code).toBe('not_found')
  })
})

/** Waits until a connection is blocked by another one's lock. */
async function untilSomebodyWaits() {
  const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await expect.poll(async () => (await database.opened.app.query(waits)).rowCount).toBeGreaterThan(0)
}

describe('a directory whose token is revoked while its request arrives', () => {
  const SCIM = '/scim/v2'
  const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0'
  const user = () => ({ schemas: [`${SCHEMA}:User`], userName: `new@${testCustomer}.example` })
  const WRITES: Record<string, () => Call> = {
    createScimUser: () => [scim.createScimUser, `${SCIM}/Users`, 'POST', user()],
    replaceScimUser: () => [scim.replaceScimUser, `${SCIM}/Users/${id.ben}`, 'PUT', user()],
    createScimGroup: () => [
      scim.createScimGroup,
      `${SCIM}/Groups`,
      'POST',
      { schemas: [`${SCHEMA}:Group`], displayName: 'Team' },
    ],
  }
  it.each(Object.keys(WRITES))('changes nothing by %s', async (name) => {
    const token = newScimToken()
    const newToken = { name: 'Directory', roles: ['it-manager'] as const, days: null }
    const customerId = testCustomer as CustomerId
    await scope({ customerId }, (tx) => addToken(tx, customerId, token, newToken))
    let before: unknown
    const { status } = await sendDuring(
      { authorization: `Bearer ${token}` },
      (WRITES[name] as () => Call)(),
      async () => {
        await sql('UPDATE scim_tokens SET revoked_at = now()')
        before = await listState()
      },
    )
    expect(status).toBe(401)
    expect(await listState()).toEqual(before)
  })

  it('is rejected at the end of a write that waits for a lock, and the revocation does not wait for the write', async () => {
    const [token, customerId] = [newScimToken(), testCustomer as CustomerId]
    const newToken = { name: 'Directory', roles: ['it-manager'] as const, days: null }
    await scope({ customerId }, (tx) => addToken(tx, customerId, token, newToken))
    const gate = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const locking = scope({ customerId }, async (tx) => {
      await tx.execute(`SELECT FROM members WHERE id = '${id.ben}' FOR UPDATE`)
      isLocked.resolve()
      await gate.promise
    })
    await isLocked.promise
    const patch = { Operations: [{ op: 'replace', path: 'active', value: false }] }
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
    const response = sendDuring(
      { authorization: `Bearer ${token}` },
      [scim.patchScimUser, `${SCIM}/Users/${id.ben}`, 'PATCH', { schemas, ...patch }],
      () => {},
    )
    let revoked: unknown
    try {
      await untilSomebodyWaits()
      await revokeLeakedTokens([token], 'test-request')
      revoked = await sql('SELECT revoked_at IS NOT NULL AS is FROM scim_tokens ORDER BY created_at')
    } finally {
      gate.resolve()
      await locking
    }
    expect(revoked).toEqual([{ is: false }, { is: true }])
    expect((await response).status).toBe(401)
    expect(await sql('SELECT FROM members WHERE id = $1 AND disabled_at IS NULL', id.ben)).toHaveLength(1)
  })
})

describe('a caller who is losing access', () => {
  const disable = "UPDATE members SET disabled_at = now() WHERE id = '"
  it.each([
    ...Object.keys(CALLS).map((name) => [name, 'session', CALLS[name]] as const),
    ...Object.keys(KEY_CALLS).map((name) => [name, 'key', KEY_CALLS[name]] as const),
  ])('waits with %s by %s until the status of the caller is committed', async (_, via, call) => {
    const gate = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const shutting = scope({ customerId: testCustomer as CustomerId }, async (tx) => {
      await tx.execute(`${disable}${id.ana}'`)
      isLocked.resolve()
      await gate.promise
    })
    await isLocked.promise
    const response = sendDuring(by[via], (call as () => Call)(), () => {})
    try {
      await untilSomebodyWaits()
    } finally {
      gate.resolve()
      await shutting
    }
    const { status, json } = await response
    expect([status, json.code]).toEqual([401, 'unauthenticated'])
  })

  it('does not deadlock with another key that revokes it concurrently: one succeeds, the other is unauthenticated', async () => {
    for (let round = 0; round < 10; round++) {
      const made = await Promise.all(
        [0, 1].map(async (n) => ({
          id: `${testCustomer}-${round}-${n}`,
          key: await addKey(testCustomer, ['admin'], { id: `${testCustomer}-${round}-${n}` }),
        })),
      )
      const answers = await Promise.all(
        made.map(({ key }, at) =>
          sendDuring(
            { authorization: `Bearer ${key}` },
            [keys.revokeKey, `/billing/v1/keys/${made[1 - at]?.id}`, 'DELETE', {}],
            () => {},
          ),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    }
  })
})
