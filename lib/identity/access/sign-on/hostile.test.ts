import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type HostileIssuer, type Lie, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { answerFor, Browser, goThrough, setUp } from './test-browser.ts'

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const EMAIL = 'ana@alder.example'
let database: TestDatabase
let [issuer, other] = [] as unknown as [HostileIssuer, HostileIssuer]
let [providerId, ofBirch, ana] = ['', '', '']
let browser = new Browser()

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  issuer = await startHostile()
  other = await startHostile()
  const hosts = [issuer, other].map((one) => new URL(one.issuer).host)
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', hosts.join(','))
  ana = await addMember(alder, { roles: ['it-manager'], email: EMAIL, name: 'Ana', passwordHash: 'x' })
  await addMember(birch, { roles: ['admin'], email: EMAIL, name: 'Ana', passwordHash: 'x' })
  providerId = await setUp(alder, 'alder.example', { issuer: issuer.issuer })
  ofBirch = await setUp(birch, 'birch.example', { issuer: other.issuer })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await database.close()
})
beforeEach(() => {
  browser = new Browser()
})
afterEach(() => {
  issuer.lie = {}
  other.lie = {}
  vi.useRealTimers()
})

const go = (more: Record<string, string> = {}) => goThrough(browser, { email: EMAIL, providerId }, more)
const lied = async (lie: Lie) => {
  issuer.lie = lie
  return [await go(), await browser.caller()]
}
const now = () => Math.floor(Date.now() / 1000)
const DENIED = ['/sign-in?sign-on=refused', undefined]
const OF_MAIL = ['/sign-in?sign-on=mail', undefined]
const AGAIN = '/sign-in?sign-on=again'

describe('an honest answer', () => {
  it('opens only the membership of the provider’s customer, with PKCE, state and nonce', async () => {
    const { location } = await browser.begin(EMAIL)
    const parameters = Object.fromEntries(new URL(location ?? '').searchParams)
    expect(parameters).toMatchObject({
      ...{ response_type: 'code', client_id: 'console', scope: 'openid email profile', login_hint: EMAIL },
      redirect_uri: `http://localhost:3000/auth/sign-on/callback/${providerId}`,
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]).toMatch(/^[\w-]{43}$/)
    expect(await browser.comeBack(providerId, answerFor(location))).toBe('/')
    expect(await browser.caller()).toMatchObject({ customerId: alder, id: ana, roles: ['it-manager'] })
    const sent = issuer.requests.findLast(({ path }) => path === '/token')?.body
    expect(sent?.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    expect(sent?.get('code_verifier')).not.toBe(parameters.code_challenge)
    expect(await browser.begin('nobody@elsewhere.example')).toEqual({ kind: 'none' })
    expect(await browser.begin('nowhere')).toEqual({ kind: 'none' })
  })

  it('redirects to paths of the console only', async () => {
    for (const [from, path] of [
      ['/assets?x=1', '/assets?x=1'],
      ['https://evil.example/', '/'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
    ]) {
      const { location } = await browser.begin(EMAIL, { from: String(from) })
      expect(await browser.comeBack(providerId, answerFor(location))).toBe(path)
    }
  })
})

describe('an ID token', () => {
  it.each<[string, () => Lie]>([
    ['of another issuer', () => ({ claims: { iss: other.issuer } })],
    ['for another audience', () => ({ claims: { aud: 'somebody-else' } })],
    ['for several, authorized for another', () => ({ claims: { aud: ['console', 'x'], azp: 'x' } })],
    ['that is expired', () => ({ claims: { iat: now() - 600, exp: now() - 120 } })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 600 } })],
    ['from the future', () => ({ claims: { iat: now() + 120 } })],
    ['without an end', () => ({ claims: { exp: null } })],
    ['that is not signed', () => ({ signature: 'none' })],
    ['that somebody else signed', () => ({ signature: 'wrong' })],
    ['with another nonce', () => ({ claims: { nonce: 'another' } })],
    ['without a nonce', () => ({ claims: { nonce: null } })],
    ['without a subject', () => ({ claims: { sub: null } })],
    ['with a subject of any length', () => ({ claims: { sub: 'x'.repeat(256) } })],
  ])('%s is rejected', async (_, lie) => {
    expect(await lied(lie())).toEqual(DENIED)
  })

  it.each<[string, Lie]>([
    ['not verified', { claims: { email_verified: false } }],
    ['not said to be verified', { claims: { email_verified: null } }],
    ['not there', { claims: { email: null } }],
    ['no address', { claims: { email: ['ana@alder.example'] } }],
    ['of a domain of nobody', { claims: { email: 'ana@cedar.example' } }],
    ['of another customer’s domain', { claims: { email: 'ana@birch.example' } }],
    ['of a domain below', { claims: { email: 'ana@mail.alder.example' } }],
    ['of a domain that looks alike', { claims: { email: 'ana@birch.example@alder.example' } }],
  ])('is rejected where its address is %s', async (_, lie) => {
    expect(await lied(lie)).toEqual(OF_MAIL)
  })

  it('is rejected with its reason in the audit log', async () => {
    await lied({ claims: { email_verified: 'no' } })
    const events = () =>
      database.sql(alder, "SELECT actor_kind, details FROM audit_events WHERE action = 'sign-on.refused'")
    await expect.poll(events).toContainEqual({
      actor_kind: 'stranger',
      details: expect.objectContaining({ issuer: issuer.issuer }),
    })
  })
})

describe('a callback', () => {
  it('is rejected with another state', async () => {
    expect(await go({ state: 'another' })).toBe('/sign-in?sign-on=refused')
    expect(await browser.caller()).toBeUndefined()
  })

  it('works once: a repeated code opens nothing', async () => {
    const { location } = await browser.begin(EMAIL)
    const cookies = new Map(browser.cookies)
    expect(await browser.comeBack(providerId, answerFor(location))).toBe('/')
    const thief = new Browser()
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    const before = issuer.requests.length
    expect(await thief.comeBack(providerId, answerFor(location))).toBe(AGAIN)
    expect([await thief.caller(), issuer.requests.length]).toEqual([undefined, before])
  })

  it('opens nothing in another browser, nor in the first one afterwards', async () => {
    const { location } = await browser.begin(EMAIL)
    const victim = new Browser()
    expect(await victim.comeBack(providerId, answerFor(location))).toBe(AGAIN)
    await victim.begin(EMAIL)
    expect(await victim.comeBack(providerId, answerFor(location))).toBe('/sign-in?sign-on=refused')
    expect(await victim.caller()).toBeUndefined()
  })

  it('is rejected as too late after ten minutes', async () => {
    const { location } = await browser.begin(EMAIL)
    await run(database.url, "UPDATE begun_sign_ons SET created_at = created_at - interval '10 minutes'")
    expect(await browser.comeBack(providerId, answerFor(location))).toBe(AGAIN)
  })

  it('is rejected from one issuer instead of another (mix-up attack)', async () => {
    const { location } = await browser.begin(EMAIL)
    const before = other.requests.length
    expect(await browser.comeBack(ofBirch, answerFor(location))).toBe(AGAIN)
    // The code was sent to neither issuer.
    expect(other.requests.length).toBe(before)
    expect(await go({ iss: other.issuer })).toBe('/sign-in?sign-on=refused')
    expect(await go({ iss: issuer.issuer })).toBe('/')
  })

  it('shows the error of the issuer', async () => {
    const { location } = await browser.begin(EMAIL)
    const { state } = answerFor(location)
    expect(await browser.comeBack(providerId, { error: 'access_denied', state })).toBe(
      '/sign-in?sign-on=refused',
    )
    expect(await browser.comeBack(providerId, { error: 'access_denied', state })).toBe(AGAIN)
  })
})

describe('an issuer', () => {
  it('can’t sign in another customer’s members, whatever address it asserts', async () => {
    other.lie = { claims: { email: EMAIL } }
    expect(await goThrough(browser, { email: 'x@birch.example', providerId: ofBirch })).toBe(
      '/sign-in?sign-on=mail',
    )
    expect(await browser.caller()).toBeUndefined()
  })

  it('is accepted with rotated keys a minute later, without a restart', async () => {
    expect(await go()).toBe('/')
    await issuer.rotate()
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
    expect(await go()).toBe('/')
    const requestCount = issuer.requests.filter(({ path }) => path === '/jwks').length
    expect(await go()).toBe('/')
    expect(issuer.requests.filter(({ path }) => path === '/jwks').length).toBe(requestCount)
  })

  it.each<[string, Lie]>([
    ['answers with a failure', { status: 503 }],
    ['sends without end', { body: 'huge' }],
    ['redirects', { status: 302 }],
  ])('signs in no member where it %s', async (_, lie) => {
    const { location } = await browser.begin(EMAIL)
    issuer.lie = lie
    expect(await browser.comeBack(providerId, answerFor(location))).toMatch(/sign-on=(unavailable|refused)$/)
    expect(await browser.caller()).toBeUndefined()
  })

  it('is reported as unavailable on redirect and on callback, where it does not answer', async () => {
    const { location } = await browser.begin('x@birch.example')
    await other.close()
    expect(await browser.comeBack(ofBirch, answerFor(location))).toBe('/sign-in?sign-on=unavailable')
    const cedar = await addCustomer('cedar').then(() => 'cedar' as CustomerId)
    await setUp(cedar, 'cedar.example', { issuer: `${other.issuer}/unknown` })
    expect(await browser.begin('x@cedar.example')).toEqual({ kind: 'unavailable' })
    expect(await go()).toBe('/')
  })

  it('is not called where its secret was encrypted with another SESSION_SECRET', async () => {
    const seal = (by: string) =>
      run(
        database.url,
        `ALTER TABLE identity_providers DISABLE ROW LEVEL SECURITY;
         UPDATE identity_providers SET client_secret = ${by} WHERE id = '${providerId}';
         ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY`,
      )
    const sealed = await database.opened.signIn.query(
      'SELECT id, client_secret AS text FROM identity_providers',
    )
    const textOf = (id: string) => `'${sealed.rows.find((row) => row.id === id).text}'`
    // Tokens of another provider open nothing here either.
    await seal(textOf(ofBirch))
    expect(await browser.begin(EMAIL)).toEqual({ kind: 'unavailable' })
    await seal(textOf(providerId))
    expect(await go()).toBe('/')
  })
})
