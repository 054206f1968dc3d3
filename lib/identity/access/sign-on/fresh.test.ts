import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type HostileIssuer, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { answerEnd } from './answers.ts'
import { inspect } from './issuer.ts'
import { answerFor, Browser, goThrough, setUp } from './test-browser.ts'

const alder = 'alder' as CustomerId
const EMAIL = 'ana@alder.example'
let database: TestDatabase
let issuer: HostileIssuer
let [providerId, ana] = ['', '']
let browser = new Browser()

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer(alder)
  issuer = await startHostile()
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
  ana = await addMember(alder, { roles: ['admin'], email: EMAIL, name: 'Ana' })
  await addMember(alder, { roles: ['admin'], email: 'ben@alder.example', name: 'Ben' })
  providerId = await setUp(alder, 'alder.example', { issuer: issuer.issuer })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await database.close()
})
beforeEach(async () => {
  browser = new Browser()
  expect(await goThrough(browser, { email: EMAIL, providerId })).toBe('/')
})
afterEach(() => {
  issuer.lie = {}
})

const seconds = () => Math.floor(Date.now() / 1000)
const reauthenticate = async (claims: Record<string, unknown>) => {
  const { location } = await browser.begin('', { fresh: '1', from: '/assets' })
  issuer.lie = { claims }
  return {
    parameters: new URL(location ?? '').searchParams,
    led: await browser.comeBack(providerId, answerFor(location)),
  }
}

describe('a session that an issuer opened', () => {
  it('is reauthenticated by a new sign-in there, which results in a new session', async () => {
    const before = await browser.sessionDigest()
    const { parameters, led } = await reauthenticate({ auth_time: seconds() })
    expect(Object.fromEntries(parameters)).toMatchObject({ prompt: 'login', max_age: '0', login_hint: EMAIL })
    expect(led).toBe('/assets')
    const after = await browser.sessionDigest()
    expect(after).not.toBe(before)
    const left = 'SELECT digest, address, user_agent AS agent FROM sessions WHERE digest IN ($1, $2)'
    expect(await database.sql(alder, left, [before, after])).toEqual([
      { digest: after, address: '192.0.2.7', agent: 'Test' },
    ])
  })

  it.each<[string, () => Record<string, unknown>]>([
    ['long ago', () => ({ auth_time: seconds() - 3600 })],
    ['at no time that it says', () => ({})],
    ['at a time that is none', () => ({ auth_time: 'now' })],
  ])('is not reauthenticated by one %s', async (_, claims) => {
    const before = await browser.sessionDigest()
    expect((await reauthenticate(claims())).led).toBe('/sign-in?sign-on=refused')
    expect(await browser.sessionDigest()).toBe(before)
  })

  it('is not reauthenticated by the sign-in of another member', async () => {
    const before = await browser.sessionDigest()
    const ben = { sub: 'subject-2', email: 'ben@alder.example', auth_time: seconds() }
    expect((await reauthenticate(ben)).led).toBe('/sign-in?sign-on=other-account')
    expect(await browser.sessionDigest()).toBe(before)
  })

  it('ends at the issuer as well, which gets its own token', async () => {
    const request = () =>
      new Request('http://localhost:3000/auth/sign-on/end', { method: 'POST', headers: browser.headers })
    const { location } = (await (await answerEnd(request())).json()) as { location: string }
    const { origin, pathname, searchParams } = new URL(location)
    expect(`${origin}${pathname}`).toBe(`${issuer.issuer}/end`)
    expect(searchParams.get('post_logout_redirect_uri')).toBe('http://localhost:3000/sign-in')
    const [, payload = ''] = (searchParams.get('id_token_hint') ?? '').split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ sub: 'subject-1' })
    const stored = await database.opened.signIn.query('SELECT id_token FROM sign_on_sessions')
    expect(JSON.stringify(stored.rows)).not.toContain(payload)
    // Another site can't request it (CSRF).
    browser.cookies.clear()
    expect(await (await answerEnd(request())).json()).toEqual({})
    const headers = { ...browser.headers, 'sec-fetch-site': 'cross-site' }
    const strange = new Request('http://localhost:3000/auth/sign-on/end', { method: 'POST', headers })
    expect((await answerEnd(strange)).status).toBe(403)
  })

  it.each(['javascript:alert(1)', 'http://elsewhere.example/end', 'https://10.0.0.1/end'])(
    'is not redirected to %s at its end',
    async (end_session_endpoint) => {
      issuer.lie = { metadata: { end_session_endpoint } }
      await inspect(issuer.issuer)
      const init = { method: 'POST', headers: browser.headers }
      const answer = await answerEnd(new Request('http://localhost:3000/auth/sign-on/end', init))
      expect(await answer.json()).toEqual({})
      issuer.lie = {}
      await inspect(issuer.issuer)
    },
  )

  it('ends when its member is disabled', async () => {
    await run(
      database.url,
      `ALTER TABLE members DISABLE ROW LEVEL SECURITY;
       UPDATE members SET disabled_at = now() WHERE id = '${ana}';
       ALTER TABLE members ENABLE ROW LEVEL SECURITY`,
    )
    expect(await browser.caller()).toBeUndefined()
    expect(await goThrough(browser, { email: EMAIL, providerId })).toBe('/sign-in?sign-on=refused')
  })
})
