import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { type HostileIssuer, startHostile } from '../../../../../test/fakes/issuers/hostile.ts'
import { end, type FakeIssuer, listen, startIssuer } from '../../../../../test/fakes/issuers/provider.ts'
import { signOnAt } from '../../../../../test/fakes/issuers/walk.ts'
import { answerLogout, pruneLogouts } from '../logout.ts'
import { Browser, goThrough, setUp } from '../test-browser.ts'

// Only an issuer can end the sessions that it has opened.

const [alder, birch, cedar] = ['alder', 'birch', 'cedar'] as CustomerId[] as [
  CustomerId,
  CustomerId,
  CustomerId,
]
const EMAIL = 'ana@alder.example'
let database: TestDatabase
let issuer: HostileIssuer
let real: FakeIssuer
let [providerId, ofBirch, ofCedar, ana, made] = ['', '', '', '', 0]

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch, cedar]) await addCustomer(id)
  issuer = await startHostile()
  real = await startIssuer()
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', [issuer, real].map((one) => new URL(one.issuer).host).join(','))
  ana = await addMember(alder, { roles: ['it-manager'], email: EMAIL, passwordHash: 'x' })
  await addMember(birch, { roles: ['admin'], email: 'ana@birch.example' })
  await addMember(cedar, { roles: ['admin'], email: 'ana@cedar.example' })
  providerId = await setUp(alder, 'alder.example', { issuer: issuer.issuer })
  ofBirch = await setUp(birch, 'birch.example', { issuer: issuer.issuer, clientId: 'other' })
  ofCedar = await setUp(cedar, 'cedar.example', { issuer: real.issuer })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([issuer.close(), real.close()])
  await database.close()
})
beforeEach(() => {
  issuer.lie = {}
})

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const honest = () => {
  const iat = Math.floor(Date.now() / 1000)
  const events = { [EVENT]: {} }
  return { iss: issuer.issuer, aud: 'console', iat, jti: `token-${++made}`, events, sub: 'subject-1' }
}
async function enter(sid?: string): Promise<Browser> {
  issuer.lie = sid === undefined ? {} : { claims: { sid } }
  const browser = new Browser()
  expect(await goThrough(browser, { email: EMAIL, providerId })).toBe('/')
  expect((await browser.caller())?.id).toBe(ana)
  return browser
}
async function sendLogout(
  token: string | undefined,
  provider = providerId,
  type = 'application/x-www-form-urlencoded',
) {
  const body = token === undefined ? 'x=y' : new URLSearchParams({ logout_token: token }).toString()
  const url = `http://localhost:3000/auth/sign-on/logout/${provider}`
  const init = { method: 'POST', headers: { 'content-type': type }, body }
  const response = await answerLogout(new Request(url, init), provider)
  return [response.status, await response.text(), response.headers.get('cache-control')]
}
const DONE = [200, '', 'no-store']
const INVALID = [400, '{"error":"invalid_request"}', 'no-store']

describe('a logout token', () => {
  it('ends all sessions of its subject, from the next request on, and is recorded in the audit log', async () => {
    const [one, other] = [await enter(), await enter('a session')]
    expect(await sendLogout(await issuer.sign(honest(), undefined, 'logout+jwt'))).toEqual(DONE)
    expect([await one.caller(), await other.caller()]).toEqual([undefined, undefined])
    const rows = await database.sql(
      alder,
      "SELECT subject, details FROM audit_events WHERE action = 'session.ended'",
    )
    expect(rows).toEqual([{ subject: ana, details: { why: 'signed out at the issuer' } }])
  })

  it('ends the one session that it names, with or without its subject', async () => {
    const [one, other, third] = [await enter('first'), await enter('second'), await enter('third')]
    expect(await sendLogout(await issuer.sign({ ...honest(), sid: 'first' }))).toEqual(DONE)
    const { sub: _, ...nobody } = honest()
    expect(await sendLogout(await issuer.sign({ ...nobody, sid: 'second' }))).toEqual(DONE)
    // A session name with another person's subject matches neither session.
    expect(await sendLogout(await issuer.sign({ ...honest(), sub: 'subject-2', sid: 'third' }))).toEqual(DONE)
    const left = [await one.caller(), await other.caller(), await third.caller()]
    expect(left.map((caller) => caller?.id)).toEqual([undefined, undefined, ana])
  })

  it('ends a sign-in with a pending second factor', async () => {
    await database.sql(
      alder,
      `INSERT INTO second_factors (person_id, reach, kind, name, secret) SELECT person_id, $1, 'totp', 'App', 'x'
       FROM members WHERE id = $2`,
      [alder, ana],
    )
    const browser = new Browser()
    expect(await goThrough(browser, { email: EMAIL, providerId })).toMatch(/^\/sign-in\/customer/)
    const waiting = () => database.opened.signIn.query('SELECT FROM pending_sign_ins')
    expect((await waiting()).rowCount).toBe(1)
    expect(await sendLogout(await issuer.sign(honest()))).toEqual(DONE)
    expect((await waiting()).rowCount).toBe(0)
    await database.sql(alder, "DELETE FROM second_factors WHERE name = 'App'")
  })
})

describe('a hostile logout token is rejected and ends no session', () => {
  const LIES: Record<string, (claims: ReturnType<typeof honest>) => object | undefined> = {
    'of another issuer': (claims) => ({ ...claims, iss: 'https://elsewhere.example' }),
    'for another client': (claims) => ({ ...claims, aud: 'other' }),
    'for nobody': ({ aud: _, ...claims }) => claims,
    'of an hour ago': (claims) => ({ ...claims, iat: claims.iat - 3600 }),
    'of tomorrow': (claims) => ({ ...claims, iat: claims.iat + 86_400 }),
    'that has ended': (claims) => ({ ...claims, exp: claims.iat - 60 }),
    'without a time': ({ iat: _, ...claims }) => claims,
    'without an id': ({ jti: _, ...claims }) => claims,
    'with an id that is no text': (claims) => ({ ...claims, jti: 7 }),
    'without events': ({ events: _, ...claims }) => claims,
    'of another event': (claims) => ({ ...claims, events: { 'https://elsewhere.example': {} } }),
    'whose event is no object': (claims) => ({ ...claims, events: { [EVENT]: true } }),
    'with a nonce': (claims) => ({ ...claims, nonce: 'of a sign-in' }),
    'that names nobody': ({ sub: _, ...claims }) => claims,
    'with a subject that is no text': (claims) => ({ ...claims, sub: ['subject-1'] }),
  }
  it.each(Object.entries(LIES))('%s', async (_, lie) => {
    const browser = await enter()
    expect(await sendLogout(await issuer.sign({ ...lie(honest()) }))).toEqual(INVALID)
    expect((await browser.caller())?.id).toBe(ana)
  })

  it.each([
    ['unsigned', 'none', undefined],
    ['signed by somebody else', 'wrong', undefined],
    ['of another type', undefined, 'at+jwt'],
  ] as const)('%s', async (_, signature, typ) => {
    const browser = await enter()
    expect(await sendLogout(await issuer.sign(honest(), signature, typ))).toEqual(INVALID)
    expect((await browser.caller())?.id).toBe(ana)
  })

  it('sent a second time, even with new sessions', async () => {
    const token = await issuer.sign(honest())
    expect(await sendLogout(token)).toEqual(DONE)
    const browser = await enter()
    expect(await sendLogout(token)).toEqual(INVALID)
    expect((await browser.caller())?.id).toBe(ana)
    // The token is remembered until it has expired.
    expect(await pruneLogouts()).toBe(0)
    await database.opened.signIn.query('SELECT 1')
  })

  it('sent to the address of another customer’s provider, or of an unknown one', async () => {
    const browser = await enter()
    for (const provider of [ofBirch, 'nobodys', ''])
      expect(await sendLogout(await issuer.sign(honest()), provider)).toEqual(INVALID)
    // Another customer's client at the same issuer, with the same subject, ends its own sessions only.
    expect(await sendLogout(await issuer.sign({ ...honest(), aud: 'other' }), ofBirch)).toEqual(DONE)
    expect((await browser.caller())?.id).toBe(ana)
  })

  it('that is not a token, too long, or not a form', async () => {
    const browser = await enter()
    for (const token of [undefined, '', 'x', 'a.b.c', 'x'.repeat(20_000)])
      expect(await sendLogout(token)).toEqual(INVALID)
    expect(await sendLogout(await issuer.sign(honest()), providerId, 'application/json')).toEqual(INVALID)
    expect((await browser.caller())?.id).toBe(ana)
  })
})

it('a logout without the database is to be sent again', async () => {
  const away = openDatabase('postgres://nobody@127.0.0.1:1/none')
  try {
    const token = await issuer.sign(honest(), undefined, 'logout+jwt')
    expect(await sendLogout(token)).toEqual([503, '', 'no-store'])
    expect(await sendLogout(undefined)).toEqual(INVALID)
  } finally {
    await away.close()
  }
})

it('a real provider ends its own session', async () => {
  const email = 'ana@cedar.example'
  real.accounts.set(email, { sub: 'sub-ana', email })
  const browser = new Browser()
  const { location = '' } = await browser.begin(email)
  const { providerId: led, query } = await signOnAt(location)
  expect([led, await browser.comeBack(led, query)]).toEqual([ofCedar, '/'])
  expect((await browser.caller())?.email).toBe(email)
  const paths: string[] = []
  const server = createServer(async (req, res) => {
    paths.push(await text(req))
    const headers = { 'content-type': String(req.headers['content-type']) }
    const init = { method: 'POST', headers, body: paths.at(-1) ?? '' }
    res.statusCode = (await answerLogout(new Request('http://localhost:3000/', init), ofCedar)).status
    res.end()
  })
  const address = await listen(server)
  await real.logOut('sub-ana', address)
  expect([paths.length, await browser.caller()]).toEqual([1, undefined])
  await end(server)
})
