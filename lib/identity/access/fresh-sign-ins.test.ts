import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findSessionCaller, sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type HostileIssuer, startHostile } from '../../../test/fakes/issuers/hostile.ts'
import { isFresh, requireFresh } from './authority.ts'
import { prove, reauthenticationMethodsOf } from './fresh-sign-ins.ts'
import { proveSession, readWays } from './operations.ts'
import { hashPassword } from './passwords/hash.ts'
import { Browser, goThrough, setUp } from './sign-on/test-browser.ts'
import { signInFrom } from './test-sign-in.ts'

describe('the methods', () => {
  const PASSWORD = 'correct horse battery'
  let database: TestDatabase
  let issuer: HostileIssuer
  let customerId = '' as CustomerId
  beforeAll(async () => {
    database = await testDatabase()
    issuer = await startHostile()
    vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await issuer.close()
    await database.close()
  })
  beforeEach(async () => {
    customerId = (await addNewCustomer()) as CustomerId
  })

  /** Opens a session by single sign-on. */
  async function bySignOn(passwordHash: string | null) {
    const email = `ana@${customerId}.example`
    await addMember(customerId, { roles: ['admin'], email, passwordHash })
    const providerId = await setUp(customerId, `${customerId}.example`, { issuer: issuer.issuer })
    issuer.lie = { claims: { sub: customerId, email } }
    const browser = new Browser()
    await goThrough(browser, { email, providerId })
    const caller = await browser.caller()
    if (!caller) throw new Error('Nobody is signed in.')
    return caller
  }
  const byPassword = { by: 'password', password: PASSWORD } as const

  describe('reauthenticationMethodsOf', () => {
    it('offers only single sign-on to a member without a password', async () => {
      const caller = await bySignOn(null)
      expect(await reauthenticationMethodsOf(caller)).toEqual({ password: false, factor: true, signOn: true })
      await expect(prove(caller, byPassword)).rejects.toThrow('is not your password')
    })

    it('offers both to a member with a password, until the customer turns passwords off', async () => {
      const caller = await bySignOn(await hashPassword(PASSWORD))
      expect(await reauthenticationMethodsOf(caller)).toEqual({ password: true, factor: true, signOn: true })
      await prove(caller, byPassword)
      await database.sql(customerId, 'UPDATE customers SET sign_on_only_since = now() WHERE id = $1', [
        customerId,
      ])
      expect(await reauthenticationMethodsOf(caller)).toEqual({
        password: false,
        factor: false,
        signOn: true,
      })
      await expect(prove(caller, byPassword)).rejects.toThrow('is not your password')
    })

    it('offers only the password, where no identity provider has opened the session', async () => {
      const caller = await bySignOn(await hashPassword(PASSWORD))
      expect(await reauthenticationMethodsOf({ ...caller, session: 'another' })).toMatchObject({
        password: true,
        signOn: false,
      })
    })
  })
})

describe('prove', () => {
  const PASSWORD = 'correct horse battery'
  let database: TestDatabase
  let [member, email, made] = ['', '', 0]
  beforeAll(async () => {
    database = await testDatabase()
    await addCustomer('northwind')
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    email = `ana.${++made}@northwind.example`
    const passwordHash = await hashPassword(PASSWORD)
    member = await addMember('northwind', { roles: ['admin'], email, name: 'Ana Ruiz', passwordHash })
  })

  const open = async () => String(await signInFrom({ email, password: PASSWORD }))
  const callerOf = async (sid: string) => {
    const caller = await findSessionCaller(digestOf(sid))
    if (!caller) throw new Error('The session has ended.')
    return caller
  }
  const problemOf = async (sid: string) => {
    const caller = await callerOf(sid)
    try {
      return requireFresh(caller)
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  // Only the database owner can age a session, and only by disabling row-level security.
  const older = (minutes: string) =>
    run(
      database.url,
      `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
     UPDATE sessions SET created_at = created_at - interval '${minutes}', proven_at = proven_at - interval '${minutes}'
       WHERE member_id = '${member}';
     ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
    )

  async function prove(headers: Record<string, string>, body: unknown) {
    const request = new Request('http://console.example/auth/v1/fresh-sign-in', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const response = await route(proveSession).POST(request)
    return { status: response.status, headers: response.headers, json: await response.json() }
  }
  const proveIn = async (sid: string, password: string) =>
    prove(
      { cookie: `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}` },
      { by: 'password', password },
    )

  describe('a session', () => {
    it('is fresh for ten minutes after sign-in, and again after its member confirmed their identity', async () => {
      const [here, there] = [await open(), await open()]
      expect(await problemOf(here)).toBeUndefined()
      await older('9 minutes 50 seconds')
      expect(await problemOf(here)).toBeUndefined()
      await older('11 seconds')
      expect(await problemOf(here)).toBe('fresh_sign_in_required')
      expect((await proveIn(here, PASSWORD)).json).toEqual({ proven: true })
      expect(await problemOf(here)).toBeUndefined()
      // The same person has confirmed nothing at the other customer.
      expect(await problemOf(there)).toBe('fresh_sign_in_required')
      const query = "SELECT actor_name FROM audit_events WHERE action = 'session.confirmed' AND subject = $1"
      expect(await database.sql('northwind', query, [member])).toEqual([{ actor_name: 'Ana Ruiz' }])
    })
  })

  describe('the ways to confirm an identity', () => {
    const callApi = async (headers: Record<string, string>) => {
      const request = new Request('http://console.example/auth/v1/fresh-sign-in', { headers })
      const response = await route(readWays).GET(request)
      return { status: response.status, json: await response.json() }
    }

    it('are listed for a session of any age, and not for a key', async () => {
      const sid = await open()
      await older('11 minutes')
      const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
      const methods = { password: true, factor: true, signOn: false }
      expect(await callApi({ cookie })).toEqual({ status: 200, json: methods })
      const authorization = `Bearer ${await addKey('northwind', ['admin'], { issuedBy: member })}`
      expect(await callApi({ authorization })).toMatchObject({
        status: 403,
        json: { code: 'permission_denied' },
      })
      expect((await callApi({})).status).toBe(401)
    })
  })

  describe('a wrong password', () => {
    it('is rejected at its field and confirms nothing', async () => {
      const sid = await open()
      await older('11 minutes')
      const { status, json } = await proveIn(sid, 'wrong wrong wrong')
      expect([status, json.errors]).toEqual([400, [{ pointer: '/password', detail: 'is not your password' }]])
      expect(await problemOf(sid)).toBe('fresh_sign_in_required')
    })

    it('throttles this session only, when repeated too often', async () => {
      const [thief, owner] = [await open(), await open()]
      await older('11 minutes')
      const tries = await Promise.all(
        Array.from({ length: 12 }, (_, n) => proveIn(thief, `wrong wrong ${n}`)),
      )
      expect([...new Set(tries.map(({ status }) => status))].sort()).toEqual([400, 429])
      const result = await proveIn(thief, PASSWORD)
      expect([result.status, Number(result.headers.get('retry-after')) > 0]).toEqual([429, true])
      expect((await proveIn(owner, PASSWORD)).status).toBe(200)
      expect(await problemOf(thief)).toBe('fresh_sign_in_required')
    })
  })

  describe('a caller without a session', () => {
    it('needs no confirmation', async () => {
      const key = await findKeyCaller(digestOf(await addKey('northwind', ['admin'])))
      expect(key && isFresh(key)).toBe(true)
      expect(isFresh({ via: 'operator' })).toBe(true)
      expect(isFresh({ via: 'session' })).toBe(false)
    })

    it('can’t confirm an identity: a key is rejected', async () => {
      const authorization = `Bearer ${await addKey('northwind', ['admin'], { issuedBy: member })}`
      const { status, json } = await prove({ authorization }, { by: 'password', password: PASSWORD })
      expect([status, json.code]).toEqual([403, 'permission_denied'])
      expect((await prove({}, { by: 'password', password: PASSWORD })).status).toBe(401)
    })

    it.each([
      [{ password: PASSWORD }],
      [{ by: 'guess', password: PASSWORD }],
      [{ by: 'password' }],
      [{ by: 'password', password: '' }],
      [{ by: 'password', password: PASSWORD, more: 1 }],
    ])('%j is rejected', async (body) => {
      const sid = await open()
      const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
      expect((await prove({ cookie }, body)).status).toBe(400)
    })
  })
})
