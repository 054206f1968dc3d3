import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { type HostileIssuer, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { addApp, codeOf, cookieOf, enter, join, PASSWORD, sidOf } from '../factors/test-person.ts'
import { newSecret } from '../factors/totp.ts'
import { prove } from '../fresh-sign-ins.ts'
import { hashPassword } from '../passwords/hash.ts'
import { findPending } from '../sign-ins/pending.ts'
import { proveStep, type Stepped, setUpStep } from '../sign-ins/steps.ts'
import { answerEnd } from './answers.ts'
import { setSignOnOnly } from './providers.ts'
import { Browser, goThrough, setUp } from './test-browser.ts'

// Single sign-on of a person who has a second factor, or whose customer demands one.

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const ANA = 'ana@alder.example'
const BEN = 'ben@birch.example'
const STEP = '/sign-in/customer?from=%2F'
let database: TestDatabase
let [issuer, other] = [] as unknown as [HostileIssuer, HostileIssuer]
let [ofAlder, ofBirch, app] = ['', '', '']
let browser = new Browser()

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  issuer = await startHostile()
  other = await startHostile()
  const hosts = [issuer, other].map((one) => new URL(one.issuer).host)
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', hosts.join(','))
  ofAlder = await setUp(alder, 'alder.example', { issuer: issuer.issuer })
  ofBirch = await setUp(birch, 'birch.example', { issuer: other.issuer })
  const passwordHash = await hashPassword(PASSWORD)
  await join(alder, ANA, { passwordHash })
  await join(birch, BEN)
  app = await addApp(sidOf(await enter(ANA)))
  await database.sql(birch, "UPDATE customers SET demands_factor = true WHERE id = 'birch'")
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await other.close()
  await database.close()
})
beforeEach(() => {
  browser = new Browser()
})

const client = () => ({
  address: '192.0.2.7',
  userAgent: 'Test',
  cookies: browser.headers.cookie ?? '',
})
const end = async () => {
  const request = new Request('http://localhost:3000/auth/sign-on/end', {
    method: 'POST',
    headers: browser.headers,
  })
  return (await (await answerEnd(request)).json()) as { location?: string }
}
const toSession = async (outcome: Stepped) => {
  const [name = '', value = ''] = (await cookieOf(sidOf(outcome))).split('=')
  browser.cookies.set(name, value)
}

describe('a member with a second factor, verified by an issuer', () => {
  it('enters with the factor, and is then known to the issuer', async () => {
    expect(await goThrough(browser, { email: ANA, providerId: ofAlder })).toBe(STEP)
    expect(await browser.caller()).toBeUndefined()
    expect((await proveStep({ code: '000000' }, client())).kind).toBe('refused')
    expect(await browser.caller()).toBeUndefined()
    const pending = await database.opened.signIn.query('SELECT id_token FROM pending_sign_ins')
    expect(pending.rows).toEqual([{ id_token: expect.not.stringContaining('.') }])
    await toSession(await proveStep({ code: codeOf(app, 1) }, client()))
    expect(await browser.caller()).toMatchObject({ customerId: alder, email: ANA })
    expect(await browser.begin('', { fresh: '1' })).toMatchObject({ kind: 'to-issuer' })
    const { location } = await end()
    expect(location).toMatch(`${issuer.issuer}/end`)
    expect(new URL(location ?? '').searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]*$/)
  })

  it('can’t confirm an identity with the factor in a session, where single sign-on is mandatory', async () => {
    await scope({ customerId: alder }, (tx) => setSignOnOnly(tx, alder, true))
    expect((await enter(ANA)).kind).toBe('refused')
    expect(await goThrough(browser, { email: ANA, providerId: ofAlder })).toBe(STEP)
    vi.useFakeTimers({ now: Date.now() + 90_000, toFake: ['Date'] })
    await toSession(await proveStep({ code: codeOf(app) }, client()))
    const caller = await browser.caller()
    if (!caller) throw new Error('Nobody is signed in.')
    await expect(prove(caller, { by: 'code', code: codeOf(app, 1) })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    vi.useRealTimers()
  })
})

describe('a member of a customer with mandatory factors', () => {
  it('sets one up after the issuer’s sign-in, which counts at that customer only', async () => {
    other.lie = { claims: { sub: 'subject-2', email: BEN } }
    expect(await goThrough(browser, { email: BEN, providerId: ofBirch })).toBe(STEP)
    expect(await browser.caller()).toBeUndefined()
    const pending = await findPending(client().cookies)
    expect(pending?.proven).toEqual(['issuer'])
    const { secret, token } = newSecret(pending?.digest ?? '', {
      email: BEN,
      customerName: 'Birch',
    })
    const newFactor = { kind: 'totp' as const, name: 'App', token, code: codeOf(secret) }
    await toSession(await setUpStep(newFactor, client()))
    expect(await browser.caller()).toMatchObject({ customerId: birch, email: BEN })
    expect(await database.sql(birch, 'SELECT kind, reach FROM second_factors')).toEqual([
      { kind: 'totp', reach: birch },
    ])
    expect((await end()).location).toMatch(`${other.issuer}/end`)
  })
})
