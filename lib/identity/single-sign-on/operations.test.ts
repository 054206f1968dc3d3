import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { proveDomain } from '#lib/identity/access/sign-on/domains.ts'
import { Browser } from '#lib/identity/access/sign-on/test-browser.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { signedIn } from '#lib/identity/members/test-calls.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { startHostile } from '../../../test/fakes/issuers/hostile.ts'
import { type NameServer, startNameServer } from '../../../test/fakes/issuers/name-server.ts'
import { type FakeIssuer, startIssuer } from '../../../test/fakes/issuers/provider.ts'
import { signOnAt } from '../../../test/fakes/issuers/walk.ts'
import * as operations from './operations.ts'
import { callApi } from './test-calls.ts'

const PASSWORD = 'correct horse battery'
let db: TestDatabase
let issuer: FakeIssuer
let names: NameServer
let [customerId, hash] = ['' as CustomerId, '']
/** Headers of an Admin who has signed in by password. */
let ana: Record<string, string> = {}

beforeAll(async () => {
  db = await testDatabase()
  issuer = await startIssuer()
  names = await startNameServer()
  hash = await hashPassword(PASSWORD)
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
  vi.stubEnv('SIGN_ON_DNS', names.address)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([issuer.close(), names.close()])
  await db.close()
})
beforeEach(async () => {
  customerId = (await addNewCustomer()) as CustomerId
  ana = await signedIn(customerId, await admin('ana'))
})

const address = (name: string) => `${name}@${customerId}.example`
const admin = (name: string) =>
  addMember(customerId, { roles: ['admin'], email: address(name), name, passwordHash: hash })
const providerBody = (name = 'Staff') => ({
  ...{ name, issuer: issuer.issuer },
  ...{ clientId: issuer.clientId, clientSecret: issuer.clientSecret },
})
const add = async (name?: string) =>
  (await callApi(operations.addIdentityProvider, { headers: ana, body: providerBody(name) })).json
    .id as string
const domain = () => `${customerId}.example`
const addDomain = (providerId: string, headers = ana) =>
  callApi(operations.addSignOnDomain, { headers, body: { domain: domain(), providerId } })
const prove = () => scope({ customerId }, (tx) => proveDomain(tx, customerId, domain(), 'operator'))
const passwords = (headers: object, allowed: boolean) =>
  callApi(operations.setPasswordSignIn, { headers, body: { allowed } })
const read = async () => (await callApi(operations.readSignOn, { headers: ana })).json
const change = (id: string, body: object, headers: object = ana) =>
  callApi(operations.changeIdentityProvider, { headers, body, params: { provider_id: id } })
const remove = (id: string, headers: object = ana) =>
  callApi(operations.removeIdentityProvider, { headers, params: { provider_id: id } })

/** Signs an Admin in by single sign-on. @returns their headers */
async function enter(name: string): Promise<Record<string, string>> {
  const email = address(name)
  issuer.accounts.set(email, { sub: `${customerId} ${name}`, email })
  const browser = new Browser()
  const { location = '' } = await browser.begin(email)
  const { providerId, query } = await signOnAt(location)
  expect(await browser.comeBack(providerId, query)).toBe('/')
  return browser.headers
}

describe('a provider', () => {
  it('is added once its issuer has answered, and its secret is returned nowhere', async () => {
    const { status, json } = await callApi(operations.addIdentityProvider, {
      headers: ana,
      body: providerBody(),
    })
    expect([status, json]).toMatchObject([
      200,
      { name: 'Staff', issuer: issuer.issuer, state: 'on', scopes: ['email', 'profile'], joinRoles: null },
    ])
    expect(json.redirectUri).toBe(`http://localhost:3000/auth/sign-on/callback/${json.id}`)
    const auditRows = await db.sql(
      customerId,
      "SELECT actor_kind, details FROM audit_events WHERE action = 'identity-provider.set'",
    )
    expect(auditRows).toMatchObject([
      { actor_kind: 'member', details: { name: 'Staff', clientSecret: 'set' } },
    ])
    expect(JSON.stringify([json, await read(), auditRows])).not.toContain(issuer.clientSecret)
    const again = await callApi(operations.addIdentityProvider, { headers: ana, body: providerBody() })
    expect([again.status, again.json.code]).toEqual([409, 'provider_exists'])
  })

  it.each([
    ['http://login.example', 'has to begin with https://'],
    ['https://10.0.0.1', 'has no address in the public internet'],
    ['https://localhost', 'has no address in the public internet'],
    ['https://169.254.169.254', 'has no address in the public internet'],
    ['https://[2001::1]', 'has no address in the public internet'],
    ['https://[fec0::1]', 'has no address in the public internet'],
    ['https://no-such-host.invalid', 'has no address in the public internet'],
    ['https://login.example/?tenant=1', 'has more than an address and a path'],
    ['login.example', 'is no web address'],
  ])('is rejected at %s', async (wrong, why) => {
    const body = { ...providerBody(), issuer: wrong }
    const { status, json } = await callApi(operations.addIdentityProvider, { headers: ana, body })
    expect([status, json.errors]).toEqual([422, [{ pointer: '/issuer', detail: why }]])
    expect((await read()).providers).toEqual([])
  })

  it.each([
    ['authorization_endpoint', 'javascript:alert(1)', 'does not begin with https://'],
    ['end_session_endpoint', 'http://login.example/end', 'does not begin with https://'],
    ['userinfo_endpoint', 'https://169.254.169.254/latest/meta-data', 'no address in the public internet'],
    ['token_endpoint', 'https://localhost/token', 'no address in the public internet'],
    ['jwks_uri', 'https://no-such-host.invalid/keys', 'no address in the public internet'],
    ['registration_endpoint', 'https://[fec0::1]/', 'no address in the public internet'],
    ['introspection_endpoint', 'file:///etc/passwd', 'does not begin with https://'],
  ])('is rejected where its %s is %s', async (name, address, why) => {
    const hostile = await startHostile()
    vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(hostile.issuer).host)
    hostile.lie = { metadata: { [name]: address } }
    const body = { ...providerBody(), issuer: hostile.issuer }
    const { status, json } = await callApi(operations.addIdentityProvider, { headers: ana, body })
    expect([status, json.errors[0].detail]).toEqual([422, expect.stringContaining(why)])
    hostile.lie = {}
    expect((await callApi(operations.addIdentityProvider, { headers: ana, body })).status).toBe(200)
    vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
    await hostile.close()
  })

  it('is rejected under an address other than its issuer’s own, or without an issuer there', async () => {
    for (const [end, why] of [
      ['/', 'calls itself otherwise'],
      ['/other', 'has no discovery document'],
    ]) {
      const body = { ...providerBody(), issuer: issuer.issuer + end }
      const { json } = await callApi(operations.addIdentityProvider, { headers: ana, body })
      expect([json.code, json.errors[0].detail]).toEqual(['issuer_unfit', expect.stringContaining(why ?? '')])
    }
  })

  it.each([
    { joinRoles: ['root'] },
    { mappings: [{ claim: 'groups', value: 'x' }] },
    { mappings: [{ claim: 'groups', value: 'x', role: 'admin', billingProfile: 'default' }] },
    { mappings: [{ claim: 'groups', value: 'x', billingProfile: 'nowhere' }] },
    { scopes: ['a b'] },
    { name: ' ' },
    { clientSecret: '' },
    { offAt: null },
  ])('is rejected with %j', async (wrong) => {
    const body = { ...providerBody(), ...wrong }
    expect((await callApi(operations.addIdentityProvider, { headers: ana, body })).status).toBe(400)
  })

  it('is changed, keeps fields that the request omits, and is removed with everything that depends on it', async () => {
    const id = await add()
    await addDomain(id)
    await prove()
    const mappings = [{ claim: 'groups', value: 'it', role: 'it-manager' }]
    expect((await change(id, { mappings, joinRoles: [] })).json).toMatchObject({ mappings, joinRoles: [] })
    expect((await change(id, { joinRoles: null })).json).toMatchObject({ mappings, joinRoles: null })
    expect((await change(id, {})).status).toBe(400)
    expect((await change(id, { issuer: 'https://10.0.0.1' })).status).toBe(422)
    await change(id, { mappings: [] })
    const there = await enter('ana')
    expect(
      (await callApi(operations.readSignOn, { headers: there })).json.providers[0].lastSignInTime,
    ).toEqual(expect.any(Number))
    expect((await remove(id)).json).toEqual({ removed: true })
    expect((await callApi(operations.readSignOn, { headers: there })).status).toBe(401)
    expect(await read()).toEqual({ passwords: 'allowed', providers: [], domains: [] })
    expect(await new Browser().begin(address('ana'))).toEqual({ kind: 'none' })
    expect((await remove(id)).status).toBe(404)
  })
})

describe('a domain', () => {
  it('is rejected where it is a public suffix, under which many have domains', async () => {
    const providerId = await add()
    for (const suffix of ['co.uk', 'GitHub.io'])
      expect(
        await callApi(operations.addSignOnDomain, { headers: ana, body: { domain: suffix, providerId } }),
      ).toMatchObject({ status: 400, json: { errors: [{ pointer: '/domain' }] } })
    const body = { domain: 'sunbird.co.uk', providerId }
    expect((await callApi(operations.addSignOnDomain, { headers: ana, body })).status).toBe(200)
  })

  it('waits for its record, and belongs to one customer', async () => {
    const id = await add()
    const { json } = await addDomain(id)
    expect(json).toMatchObject({ domain: domain(), state: 'waiting', record: { type: 'TXT' } })
    const check = (headers = ana) =>
      callApi(operations.checkSignOnDomain, { headers, params: { domain: domain() } })
    const early = await check()
    expect([early.status, early.json.code]).toEqual([409, 'domain_not_proven'])
    names.records.set(json.record.name, [json.record.text])
    expect((await check()).json).toMatchObject({ state: 'proven', provenBy: 'dns' })
    expect((await check()).status).toBe(200)
    const auditRows = await db.sql(
      customerId,
      "SELECT details FROM audit_events WHERE action = 'sign-on-domain.proven'",
    )
    expect(auditRows).toEqual([{ details: { by: 'dns' } }])

    const contested = domain()
    customerId = (await addNewCustomer()) as CustomerId
    ana = await signedIn(customerId, await admin('ana'))
    const theirs = await callApi(operations.addSignOnDomain, {
      headers: ana,
      body: { domain: contested, providerId: await add() },
    })
    names.records.set(json.record.name, [theirs.json.record.text])
    const conflict = await callApi(operations.checkSignOnDomain, {
      headers: ana,
      params: { domain: contested },
    })
    expect([conflict.status, conflict.json.code]).toEqual([409, 'domain_taken'])
  })

  it.each(['nowhere', 'a b.example', '-x.example', '10.0.0.1', 'https://x.example'])(
    'can’t be %s',
    async (wrong) => {
      const body = { domain: wrong, providerId: await add() }
      expect((await callApi(operations.addSignOnDomain, { headers: ana, body })).status).toBe(400)
    },
  )

  it('must belong to an existing provider', async () => {
    expect((await addDomain('nobodys')).json.errors[0].pointer).toBe('/providerId')
  })
})

describe('passwords', () => {
  it('are turned off only by an Admin who has signed in by single sign-on', async () => {
    const id = await add()
    await addDomain(id)
    await prove()
    expect((await passwords(ana, false)).json.code).toBe('last_way_in')
    const there = await enter('ana')
    // The subject is bound now, but this session was opened by password.
    expect((await passwords(ana, false)).json.code).toBe('last_way_in')
    expect((await passwords(there, false)).json.passwords).toBe('refused')
    expect((await callApi(operations.readSignOn, { headers: ana })).status).toBe(401)
    expect(await signInFrom({ email: address('ana'), password: PASSWORD })).toBeNull()
    expect((await passwords(there, true)).json.passwords).toBe('allowed')
    expect(await signInFrom({ email: address('ana'), password: PASSWORD })).toHaveLength(43)
  })

  it('prevent, once off, any change that would lock out the last Admin', async () => {
    const [id, other] = [await add(), await add('Other')]
    await addDomain(id)
    await prove()
    const there = await enter('ana')
    await passwords(there, false)
    const calls = [
      await remove(id, there),
      await change(id, { clientSecret: 'another one' }, there),
      await change(id, { clientId: 'another' }, there),
      await change(id, { mappings: [{ claim: 'groups', value: 'none', role: 'admin' }] }, there),
      await addDomain(other, there),
      await callApi(operations.removeSignOnDomain, { headers: there, params: { domain: domain() } }),
    ]
    expect(calls.map(({ status, json }) => [status, json.code])).toEqual(
      calls.map(() => [409, 'last_way_in']),
    )
    // A provider or domain that nothing depends on can be removed.
    expect((await remove(other, there)).status).toBe(200)
    expect((await callApi(operations.readSignOn, { headers: there })).json).toMatchObject({
      passwords: 'refused',
      providers: [{ id }],
      domains: [{ domain: domain(), providerId: id }],
    })
    await passwords(there, true)
    expect((await remove(id, there)).status).toBe(200)
  })

  it('can’t be turned off while the provider is removed concurrently: one request is rejected', async () => {
    const id = await add()
    await addDomain(id)
    await prove()
    const there = await enter('ana')
    const both = await Promise.all([passwords(there, false), remove(id, ana)])
    const [off, removed] = both.map(({ status }) => status)
    const left = await db.sql(
      customerId,
      'SELECT sign_on_only_since IS NOT NULL AS off, EXISTS (SELECT FROM identity_providers) AS has FROM customers WHERE id = $1',
      [customerId],
    )
    // The second request finds the result of the first: the session ended with the provider, or the provider is the
    // last sign-in method.
    expect([off === 200, removed === 200].filter(Boolean)).toHaveLength(1)
    expect(left).toEqual([off === 200 ? { off: true, has: true } : { off: false, has: false }])
  })
})
