import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findSessionCaller, sessionSecret } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import * as operations from './operations.ts'
import { endSessionById } from './store.ts'

let database: TestDatabase
const people = { ana: '', ben: '', admin: '', outsider: '' }
let made = 0

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
let [testCustomer, other] = ['', '']
beforeEach(async () => {
  made += 1
  ;[testCustomer, other] = [`own-${made}`, `other-${made}`]
  await addCustomer(testCustomer)
  await addCustomer(other)
  people.ana = await addMember(testCustomer, { roles: ['it-manager'], name: 'Ana Ruiz' })
  people.ben = await addMember(testCustomer, { roles: ['finance-user'], name: 'Ben' })
  people.admin = await addMember(testCustomer, { roles: ['admin'], name: 'Ad Min' })
  people.outsider = await addMember(other, { roles: ['admin'] })
})

type Headers = Record<string, string>
const keyOf = async (customer: string, role: 'admin' | 'it-manager') => ({
  authorization: `Bearer ${await addKey(customer, [role])}`,
})
const cookieOf = async (sid: string) => ({
  cookie: `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`,
})
const isAlive = async (sid: string) => (await findSessionCaller(digestOf(sid))) !== undefined

async function list(headers: Headers, search = '') {
  const path = `http://console.example/billing/v1/sessions?${search}`
  const response = await route(operations.listSessions).GET(new Request(path, { headers }))
  const cacheControl = response.headers.get('cache-control')
  return { status: response.status, json: await response.json(), kept: cacheControl }
}

async function end(headers: Headers, id: string, more: Headers = { 'sec-fetch-site': 'same-origin' }) {
  const path = `http://console.example/billing/v1/sessions/${encodeURIComponent(id)}`
  const request = new Request(path, { method: 'DELETE', headers: { ...headers, ...more } })
  const response = await route(operations.endSession).DELETE(request)
  return { status: response.status, json: await response.json() }
}

describe('listing sessions', () => {
  it('returns a member’s own sessions with address, device, start time, and the current one', async () => {
    const sid = await addSession(testCustomer, people.ana)
    const iPhone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
    await addSession(testCustomer, people.ana, { userAgent: iPhone, address: '2001:db8::7' })
    await addSession(testCustomer, people.ana, { userAgent: null, address: null })
    await addSession(testCustomer, people.ben)
    await addSession(other, people.outsider)
    const { status, json, kept } = await list(await cookieOf(sid))
    expect(status).toBe(200)
    expect(kept).toBe('no-store')
    expect((await list(await keyOf(testCustomer, 'it-manager'))).kept).toBe('private, no-cache')
    expect(json).toMatchObject({
      rowCount: 3,
      sessions: [
        { device: 'Unknown device', isCurrent: false },
        { device: 'Safari on iPhone', address: '2001:db8::7', isCurrent: false },
        {
          device: 'Firefox on Windows',
          address: '192.0.2.17',
          isCurrent: true,
          member: { id: people.ana, name: 'Ana Ruiz' },
        },
      ],
    })
    expect(json.sessions[0]).not.toHaveProperty('address')
    expect(JSON.stringify(json)).not.toContain(sid)
  })

  it('omits expired sessions', async () => {
    const sid = await addSession(testCustomer, people.ana)
    await addSession(testCustomer, people.ana, { lastSeenAt: new Date(Date.now() - 31 * 60_000) })
    await addSession(testCustomer, people.ana, { createdAt: new Date(Date.now() - 8.1 * 3_600_000) })
    expect((await list(await cookieOf(sid))).json.rowCount).toBe(1)
  })

  it('is allowed for sessions of others to Admins and their keys; a key has no sessions', async () => {
    const sid = await addSession(testCustomer, people.ana)
    const admin = await addSession(testCustomer, people.admin)
    await addSession(other, people.outsider)
    expect((await list(await cookieOf(sid), 'whose=all')).status).toBe(403)
    expect((await list(await keyOf(testCustomer, 'it-manager'), 'whose=all')).status).toBe(403)
    expect((await list(await keyOf(testCustomer, 'it-manager'))).json).toEqual({ sessions: [], rowCount: 0 })
    for (const headers of [await cookieOf(admin), await keyOf(testCustomer, 'admin')]) {
      const { json } = await list(headers, 'whose=all')
      expect(json.sessions.map(({ member }: { member: { id: string } }) => member.id)).toEqual([
        people.admin,
        people.ana,
      ])
    }
    expect((await list({})).status).toBe(401)
    expect((await list(await cookieOf(admin), 'whose=mine')).status).toBe(400)
  })

  it('goes page by page, and a token is bound to its caller', async () => {
    const sid = await addSession(testCustomer, people.ana)
    for (let n = 0; n < 4; n++) await addSession(testCustomer, people.ana)
    const headers = await cookieOf(sid)
    const seen: string[] = []
    let search = 'maxResults=2'
    for (;;) {
      const { json } = await list(headers, search)
      seen.push(...json.sessions.map(({ id }: { id: string }) => id))
      if (!json.pageToken) break
      search = `maxResults=2&pageToken=${json.pageToken}`
    }
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
    const ben = await addSession(testCustomer, people.ben)
    expect((await list(await cookieOf(ben), search)).json.code).toBe('page_token_invalid')
  })
})

describe('ending a session', () => {
  const idOf = digestOf

  it('signs the browser out from its next request on, and removes it from the known ones', async () => {
    const [here, there] = [
      await addSession(testCustomer, people.ana),
      await addSession(testCustomer, people.ana, { browser: 'mark' }),
    ]
    await database.sql(testCustomer, 'INSERT INTO known_browsers VALUES ($1, $2, $3), ($1, $2, $4)', [
      testCustomer,
      people.ana,
      'mark',
      'another mark',
    ])
    expect((await end(await cookieOf(here), idOf(there))).json).toEqual({ ended: true })
    expect([await isAlive(here), await isAlive(there)]).toEqual([true, false])
    expect(await database.sql(testCustomer, 'SELECT digest FROM known_browsers')).toEqual([
      { digest: 'another mark' },
    ])
    expect(
      await database.sql(
        testCustomer,
        "SELECT subject, actor_name FROM audit_events WHERE action = 'session.ended'",
      ),
    ).toEqual([{ subject: people.ana, actor_name: 'Ana Ruiz' }])
  })

  it('is allowed to Admins for members of the same customer, and results in 404 otherwise', async () => {
    const ana = await addSession(testCustomer, people.ana)
    const id = idOf(ana)
    const ben = await addSession(testCustomer, people.ben)
    const outsider = await addSession(other, people.outsider)
    const admin = await addSession(testCustomer, people.admin)
    const calls = [
      await cookieOf(ben),
      await cookieOf(outsider),
      await keyOf(testCustomer, 'it-manager'),
      await keyOf(other, 'admin'),
    ]
    const unknown = await end(calls[0] ?? {}, 'none')
    for (const headers of calls) {
      const { status, json } = await end(headers, id)
      expect([status, { ...json, instance: '' }]).toEqual([404, { ...unknown.json, instance: '' }])
    }
    expect(await isAlive(ana)).toBe(true)
    expect((await end(await cookieOf(admin), id)).status).toBe(200)
    expect((await end(await keyOf(testCustomer, 'admin'), idOf(ben), {})).status).toBe(200)
    expect([await isAlive(ana), await isAlive(ben), await isAlive(outsider)]).toEqual([false, false, true])
  })

  it('ends it once for two concurrent requests, and results in 404 afterwards', async () => {
    const [here, there] = [
      await addSession(testCustomer, people.ana),
      await addSession(testCustomer, people.ana),
    ]
    const [headers, id] = [await cookieOf(here), idOf(there)]
    const answers = await Promise.all(Array.from({ length: 6 }, () => end(headers, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404])
    expect((await end(headers, id)).status).toBe(404)
    const ended = "SELECT FROM audit_events WHERE action = 'session.ended'"
    expect(await database.sql(testCustomer, ended)).toHaveLength(1)
  })

  it('is restricted to the console’s own origin, and to valid ids', async () => {
    const [here, there] = [
      await addSession(testCustomer, people.ana),
      await addSession(testCustomer, people.ana),
    ]
    const [headers, id] = [await cookieOf(here), idOf(there)]
    expect((await end(headers, id, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    for (const odd of ['\0', 'x'.repeat(101), "' OR ''='", '%'])
      expect((await end(headers, odd)).status).toBe(404)
    expect(await isAlive(there)).toBe(true)
  })

  it('is prevented at another customer by row-level security and by each statement independently', async () => {
    const outsider = await addSession(other, people.outsider)
    const id = idOf(outsider)
    // The statement names the customer, while row-level security is disabled.
    await run(database.url, 'ALTER TABLE sessions DISABLE ROW LEVEL SECURITY')
    const within = (customerId: string) =>
      scope({ customerId: customerId as CustomerId }, (tx) =>
        endSessionById(tx, testCustomer as CustomerId, 'all', id),
      )
    expect(await within(testCustomer)).toBeUndefined()
    await run(database.url, 'ALTER TABLE sessions ENABLE ROW LEVEL SECURITY')
    // Row-level security hides other customers' rows from a statement that names another customer.
    const asOther = scope({ customerId: testCustomer as CustomerId }, (tx) =>
      endSessionById(tx, other as CustomerId, 'all', id),
    )
    expect(await asOther).toBeUndefined()
    expect(await isAlive(outsider)).toBe(true)
  })
})
