import { encode } from 'next-auth/jwt'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { credentialOf, forget, prove } from '#lib/platform/caller/limits/counted-caller.ts'
import type { LimitConfig } from '#lib/platform/caller/limits/settings.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import type { HttpHandlerOptions } from '../http-handler.ts'
import { openTestServer } from '../test-server.ts'
import { admission, throttledPagesAuditor } from './admission.ts'

describe('admission', () => {
  const PLENTY = 1_000_000
  const LIMITS: LimitConfig = {
    ...{ requests: PLENTY, changes: PLENTY, exports: PLENTY, together: 1 },
    ...{ strangers: 9, signIns: 6, connections: PLENTY },
  }

  let close = async () => {}
  afterEach(() => close())

  /** Opens a server that admits three requests at once per unknown client; `get` returns the response to a request. */
  async function opened(options: Partial<HttpHandlerOptions> = {}, limits: Partial<LimitConfig> = {}) {
    const trustProxy = options.trustProxy ?? false
    const testServer = await openTestServer({
      ...options,
      admission: admission({ ...LIMITS, ...limits }, trustProxy),
    })
    close = testServer.close
    const get = async (line: string, ...headers: string[]) => {
      const { answers } = await testServer.request(line.includes(' ') ? line : `GET ${line}`, [
        'Host: console.example',
        ...headers,
      ])
      return answers[0] ?? { status: 0, headers: {}, body: '' }
    }
    const statuses = async (times: number, line: string, ...headers: string[]) => {
      const results = []
      for (let n = 0; n < times; n++) results.push((await get(line, ...headers)).status)
      return results
    }
    return { testServer, get, statuses }
  }

  const over = (admitted: number, rejected: number) => [
    ...Array(admitted).fill(200),
    ...Array(rejected).fill(429),
  ]

  describe('an unknown client', () => {
    test('is rejected when its bucket is empty, with the time to retry, before the request reaches the application', async () => {
      const { testServer, get, statuses } = await opened()
      expect(await statuses(5, '/billing/v1/nowhere')).toEqual(over(3, 2))
      expect(testServer.seen).toHaveLength(3)
      const rejected = await get('/billing/v1/assets')
      expect(rejected).toMatchObject({ status: 429, headers: { connection: 'close' } })
      // Seven seconds after the first request: fewer are left on a busy machine.
      expect(rejected.headers['retry-after']).toMatch(/^[1-7]$/)
      expect(JSON.parse(rejected.body)).toMatchObject({
        code: 'rate_limited',
        instance: rejected.headers['request-id'],
      })
      const page = await get('/nowhere')
      expect(page.body).toMatch(/^429 Too many requests come from this address\.\nRequest id: /)
    })

    test('is rejected at a calendar even with a key, because calendars check no key', async () => {
      const { statuses } = await opened()
      const authorization = `Bearer lic_${'a'.repeat(36)}`
      const credential = credentialOf({ get: (name) => (name === 'authorization' ? authorization : null) })
      prove(credential ?? '')
      expect(await statuses(4, '/billing/v1/assets', `Authorization: ${authorization}`)).toEqual(over(4, 0))
      expect(await statuses(4, '/calendar/x', `Authorization: ${authorization}`)).toEqual(over(3, 1))
      forget(credential ?? '')
    })

    test('gets the state of its address’s limit, on accepted and on rejected requests', async () => {
      const { get } = await opened()
      const policy = { 'ratelimit-policy': '"strangers";q=9;w=60' }
      const limitHeaders = async (line: string) => (await get(line)).headers
      expect(await limitHeaders('/billing/v1/nowhere')).toMatchObject({
        ...policy,
        ratelimit: '"strangers";r=2;t=7',
      })
      expect((await limitHeaders('/billing/v1/nowhere')).ratelimit).toMatch(/^"strangers";r=1;t=1[34]$/)
      expect((await limitHeaders('/billing/v1/nowhere')).ratelimit).toMatch(/^"strangers";r=0;t=(19|20)$/)
      expect(await limitHeaders('/billing/v1/assets')).toMatchObject({
        ...policy,
        ratelimit: expect.stringMatching(/^"strangers";r=0;t=(19|20)$/),
      })
      expect((await limitHeaders('POST /api/auth/callback/credentials'))['ratelimit-policy']).toBe(
        '"sign-ins";q=6;w=60',
      )
      expect(await limitHeaders('/healthz')).not.toHaveProperty('ratelimit')
    })

    test('has separate buckets: ten times as large for scripts, and another one for sign-ins', async () => {
      const { statuses } = await opened()
      expect(await statuses(4, '/billing/v1/nowhere')).toEqual(over(3, 1))
      expect(await statuses(31, '/_next/static/x.js')).toEqual(over(30, 1))
      expect(await statuses(3, 'POST /api/auth/callback/credentials', 'Content-Length: 0')).toEqual(
        over(2, 1),
      )
      expect(await statuses(1, 'POST /auth/sign-on/begin', 'Content-Length: 0')).toEqual([429])
      expect(await statuses(1, '/api/auth/csrf')).toEqual([429])
      for (const address of ['/livez', '/healthz', '/readyz'])
        expect(await statuses(50, address)).toEqual(over(50, 0))
    })

    test('stays unknown with an invented key, session or address', async () => {
      const { statuses } = await opened()
      const addresses = [
        'Authorization: Bearer lic_x',
        'Cookie: console-session=forged',
        'X-Forwarded-For: 192.0.2.7',
      ]
      for (const header of addresses) expect(await statuses(1, '/billing/v1/assets', header)).toEqual([200])
      for (const header of addresses) expect(await statuses(1, '/billing/v1/assets', header)).toEqual([429])
      expect(await statuses(1, '/assets', 'Cookie: console-session=forged')).toEqual([429])
    })

    test('is the client named by a trusted proxy, whose connection stays open', async () => {
      const { get, statuses } = await opened({ trustProxy: true })
      const from = (last: string) => `X-Forwarded-For: 203.0.113.9, ${last}`
      const same = [
        '2001:db8:0:1::1',
        '2001:DB8:0:1:0:0:0:2',
        '[2001:db8:0:1:ffff::]:443',
        '2001:db8:0:1::4%eth0',
      ]
      const answers = []
      for (const address of same) answers.push((await get('/billing/v1/nowhere', from(address))).status)
      expect(answers).toEqual(over(3, 1))
      expect(await statuses(1, '/billing/v1/nowhere', from('2001:db8:0:2::1'))).toEqual([200])
      expect(await statuses(4, '/billing/v1/nowhere', from('::ffff:192.0.2.1'))).toEqual(over(3, 1))
      expect((await get('/billing/v1/nowhere', from('192.0.2.1'))).status).toBe(429)
      // Entries by the client itself are ignored, and nonsense results in the proxy's address.
      expect(await statuses(4, '/billing/v1/nowhere', from('unknown'))).toEqual(over(3, 1))
    })
  })

  describe('the weight of a call', () => {
    test.each([
      ['/billing/v1/assets', 'GET', 20],
      ['/scim/v2/Users', 'GET', 20],
      ['/calendar/x', 'GET', 20],
      ['/nowhere', 'GET', 20],
      ['/sign-in', 'GET', 10],
      ['/auth/v1/leaked-keys', 'POST', 10],
      ['/auth/sign-on/callback/x', 'GET', 6],
      ['/api/auth/csrf', 'GET', 6],
      ['/reset/x', 'GET', 2],
      ['/sign-in/factor', 'GET', 2],
      ['/billing/v1/openapi.json', 'GET', 2],
    ])('of %s lets an unknown client %s it %i times', async (path, method, times) => {
      const { statuses } = await opened({}, { strangers: 60 })
      expect(await statuses(times + 1, `${method} ${path}`, 'Content-Length: 0')).toEqual(over(times, 1))
    })

    test('of a report of leaked keys also counts the keys in it', async () => {
      const inside: HttpHandlerOptions['inside'] = (_, res) => {
        requestContext()?.charge?.(9)
        res.end()
      }
      const { statuses } = await opened({ inside }, { strangers: 36 })
      const report = () => statuses(1, 'POST /auth/v1/leaked-keys', 'Content-Length: 0')
      expect([await report(), await report()]).toEqual([[200], [429]])
    })
  })

  describe('a known client', () => {
    test('is not limited as an unknown one with a recently authenticated key', async () => {
      const { statuses } = await opened()
      const header = 'Authorization: Bearer lic_proven'
      const credential = credentialOf(new Headers([header.split(': ') as [string, string]])) ?? ''
      prove(credential)
      expect(await statuses(20, '/billing/v1/assets', header)).toEqual(over(20, 0))
      forget(credential)
      expect(await statuses(4, '/billing/v1/assets', header)).toEqual(over(3, 1))
    })

    test('has its own bucket for pages with a valid session, not shared with unknown clients', async () => {
      const { statuses } = await opened({}, { requests: 12 })
      const cookie = async (sid: string) =>
        `Cookie: console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
      const [one, other] = [await cookie('one'), await cookie('other')]
      expect(await statuses(4, '/billing/v1/nowhere')).toEqual(over(3, 1))
      expect(await statuses(5, '/assets', one)).toEqual(over(4, 1))
      // The same session under a re-encrypted cookie.
      expect(await statuses(1, '/assets', await cookie('one'))).toEqual([429])
      expect(await statuses(4, '/assets', other)).toEqual(over(4, 0))
    })
  })
})

describe('throttled pages', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
  })
  afterAll(() => db.close())

  test('a session that requests too many pages is recorded once a minute, with its member', async () => {
    const customer = await addNewCustomer()
    const [email, password] = [`${customer}@a.example`, 'a long password']
    const passwordHash = await hashPassword(password)
    await addMember(customer, { roles: ['admin'], name: 'Ana', email, passwordHash })
    const sid = String(await signInFrom({ email, password }))
    const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
    const headers = new Headers({ cookie })
    const audit = throttledPagesAuditor()
    const requestInfo = { requestId: 'request-1', address: '192.0.2.9', agent: 'Firefox' }
    for (let n = 0; n < 3; n++) audit(digestOf(sid), headers, requestInfo)
    audit(digestOf('gone'), new Headers(), requestInfo)
    const events = () =>
      db.sql(
        customer,
        `SELECT subject, actor_name AS name, address, request_id AS "requestId" FROM audit_events
       WHERE action = 'access.throttled'`,
      )
    const event = { subject: 'pages', name: 'Ana', address: '192.0.2.9', requestId: 'request-1' }
    await vi.waitFor(async () => expect(await events()).toEqual([event]))
  })
})
