import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { authenticator } from '#lib/identity/access/factors/test-authenticator.ts'
import {
  addApp,
  callerOf,
  codeOf,
  cookieOf,
  enter,
  join,
  PASSWORD,
  sidOf,
} from '#lib/identity/access/factors/test-person.ts'
import { proveSession } from '#lib/identity/access/operations.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import * as operations from './operations.ts'

let database: TestDatabase
let [hash, made] = ['', 0]
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', 'birch']) await addCustomer(id)
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(() => {
  vi.stubEnv('BASE_URL', 'http://localhost:3000')
})

/** Adds a signed-in member: id, address, session and headers. */
async function member(customer = 'alder', roles = ['admin']) {
  const email = `member.${++made}@${customer}.example`
  const id = await join(customer, email, { passwordHash: hash, roles })
  const sid = sidOf(await enter(email))
  return { id, email, sid, headers: await headersOf(sid) }
}
const headersOf = async (sid: string) => ({ cookie: await cookieOf(sid), 'sec-fetch-site': 'same-origin' })
const withKey = async (roles: 'admin'[] = ['admin']) => ({
  authorization: `Bearer ${await addKey('alder', roles)}`,
})

type CallInput = { headers: object; body?: unknown; params?: Record<string, string> }

async function callApi(operation: AnyOperation, { headers, body, params = {} }: CallInput) {
  const { method, path } = operation.contract
  const filled = path.replace(/\{(\w+)\}/g, (_: string, name: string) => params[name] ?? '')
  const request = new Request(`https://console.example${filled}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await route(operation)[method as 'GET'](request)
  return { status: response.status, headers: response.headers, json: await response.json() }
}
const age = (email: string) =>
  run(
    database.url,
    `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
     UPDATE sessions s SET created_at = s.created_at - interval '11 minutes', proven_at = s.proven_at - interval '11 minutes'
       FROM members m WHERE m.id = s.member_id AND m.email = '${email}';
     ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
  )

describe('a signed-in member', () => {
  it('sets up an app, gets its secret once, and removes it', async () => {
    const { headers } = await member()
    const setup = await callApi(operations.beginFactor, { headers, body: { kind: 'totp' } })
    expect(setup.headers.get('cache-control')).toContain('no-store')
    const { secret, token, uri, qr } = setup.json.app
    expect(uri).toContain(`secret=${secret.replaceAll(' ', '')}`)
    expect(qr.size).toBeGreaterThan(20)
    const newFactor = { kind: 'totp', name: ' My app ', token }
    const wrong = await callApi(operations.addFactor, { headers, body: { ...newFactor, code: '000000' } })
    expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, '/code'])
    const added = await callApi(operations.addFactor, {
      headers,
      body: { ...newFactor, code: codeOf(secret) },
    })
    expect(added.json).toMatchObject({
      factors: [{ kind: 'totp', name: 'My app', isEverywhere: false }],
      codesLeft: 0,
      isDemanded: false,
      passkeys: 'possible',
    })
    const listed = await callApi(operations.listFactors, { headers })
    expect(JSON.stringify(listed.json)).not.toContain(secret.replaceAll(' ', ''))
    const again = await callApi(operations.addFactor, {
      headers,
      body: { ...newFactor, code: codeOf(secret) },
    })
    expect([again.status, again.json.errors[0].pointer]).toEqual([400, '/kind'])
    const { codes } = (await callApi(operations.renewCodes, { headers, body: {} })).json
    expect(new Set(codes).size).toBe(10)
    const [{ id }] = added.json.factors
    const removed = await callApi(operations.removeFactor, { headers, body: {}, params: { factor_id: id } })
    expect(removed.json).toMatchObject({ factors: [], codesLeft: 0 })
    const response = await callApi(operations.removeFactor, { headers, body: {}, params: { factor_id: id } })
    expect(response.status).toBe(404)
  })

  it('can’t set up a factor that was issued to another member, or in another session', async () => {
    const [ana, bo] = [await member(), await member()]
    const setup = await callApi(operations.beginFactor, { headers: ana.headers, body: { kind: 'totp' } })
    const { secret, token } = setup.json.app
    const body = { kind: 'totp', name: 'App', token, code: codeOf(secret) }
    for (const headers of [bo.headers, await headersOf(sidOf(await enter(ana.email)))]) {
      const response = await callApi(operations.addFactor, { headers, body })
      expect([response.status, response.json.errors[0].pointer]).toEqual([400, '/token'])
    }
  })

  it.each([
    [{ kind: 'totp', name: 'App', token: 'x', code: '1'.repeat(41) }],
    [{ kind: 'totp', name: '', token: 'x', code: '1' }],
    [{ kind: 'totp', name: 'a\u0007b', token: 'x', code: '1' }],
    [{ kind: 'sms', name: 'App', token: 'x', code: '1' }],
    [{ kind: 'passkey', name: 'Key', passkey: { id: '!', rawId: '!', type: 'public-key' } }],
    [{ kind: 'passkey', name: 'Key', passkey: {} }],
    [{}],
  ])('gets the error at its field for %j', async (body) => {
    expect((await callApi(operations.addFactor, { headers: (await member()).headers, body })).status).toBe(
      400,
    )
  })

  it('changes no factor without a fresh sign-in, which a code provides', async () => {
    const { sid, email, headers } = await member()
    const secret = await addApp(sid)
    await age(email)
    const changes: [AnyOperation, object][] = [
      [operations.beginFactor, { kind: 'totp' }],
      [operations.addFactor, { kind: 'totp', name: 'App', token: 'x', code: '1' }],
      [operations.renewCodes, {}],
      [operations.demandFactor, { isDemanded: false }],
    ]
    for (const [operation, body] of changes)
      expect((await callApi(operation, { headers, body })).json.code).toBe('fresh_sign_in_required')
    const prove = (code: string) => callApi(proveSession, { headers, body: { by: 'code', code } })
    const wrong = await prove('000000')
    expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, '/code'])
    expect((await prove(codeOf(secret, 1))).json).toEqual({ proven: true })
    expect((await callApi(operations.renewCodes, { headers, body: {} })).status).toBe(200)
    expect((await prove(codeOf(secret, 1))).status).toBe(400)
  })

  it('confirms their identity by a passkey, only in the session that requested it', async () => {
    const { email, headers } = await member()
    const device = authenticator('http://localhost:3000')
    const setup = await callApi(operations.beginFactor, { headers, body: { kind: 'passkey' } })
    const passkey = device.make(setup.json.options)
    const added = await callApi(operations.addFactor, {
      headers,
      body: { kind: 'passkey', name: 'Key', passkey },
    })
    expect(added.json.factors).toMatchObject([{ kind: 'passkey', name: 'Key' }])
    await age(email)
    const challenge = async () =>
      (await callApi(operations.confirmPasskey, { headers, body: {} })).json.options
    const alone = (await callApi(operations.askPasskey, { headers: {}, body: {} })).json.options
    const prove = (answer: object) =>
      callApi(proveSession, { headers, body: { by: 'passkey', passkey: answer } })
    expect((await prove(device.answer(alone))).status).toBe(400)
    const answer = device.answer(await challenge())
    expect((await prove(answer)).json).toEqual({ proven: true })
    expect((await prove(answer)).status).toBe(400)
    expect((await callApi(operations.renewCodes, { headers, body: {} })).status).toBe(200)
  })

  it('has no factors when calling with a key', async () => {
    const headers = await withKey()
    const all: [AnyOperation, unknown][] = [
      [operations.listFactors, undefined],
      [operations.beginFactor, { kind: 'totp' }],
      [operations.renewCodes, {}],
      [operations.confirmPasskey, {}],
    ]
    for (const [operation, body] of all)
      expect((await callApi(operation, { headers, body })).status).toBe(403)
  })

  it('gets no passkey where the console’s host is an IP address', async () => {
    vi.stubEnv('BASE_URL', 'http://127.0.0.1:3000')
    const { headers } = await member()
    expect((await callApi(operations.listFactors, { headers })).json.passkeys).toBe('address')
    expect((await callApi(operations.beginFactor, { headers, body: { kind: 'passkey' } })).status).toBe(404)
    expect((await callApi(operations.askPasskey, { headers, body: {} })).status).toBe(404)
  })
})

describe('an Admin', () => {
  const reset = (headers: object, id: string) =>
    callApi(operations.resetFactors, { headers, body: {}, params: { member_id: id } })

  it('resets a member’s factors, which signs the member out and leaves the password as the only requirement', async () => {
    const [boss, it] = [await member(), await member('alder', ['it-manager'])]
    await addApp(it.sid)
    expect((await reset(boss.headers, it.id)).json).toEqual({ reset: true })
    await expect(callerOf(it.sid)).rejects.toThrow('ended')
    expect((await enter(it.email)).kind).toBe('signed-in')
    expect((await reset(boss.headers, it.id)).status).toBe(404)
  })

  it('can’t reset their own factors, or those of a member with more access or of another customer', async () => {
    const [boss, it, there] = [await member(), await member('alder', ['it-manager']), await member('birch')]
    await addApp(boss.sid)
    await addApp(there.sid)
    expect((await reset(boss.headers, boss.id)).status).toBe(403)
    expect((await reset(it.headers, boss.id)).status).toBe(403)
    expect((await reset(boss.headers, there.id)).status).toBe(404)
    // A stolen key must not create a sign-in method for itself (persistence).
    expect((await reset(await withKey(), boss.id)).json.detail).toContain('requires a signed-in member')
    expect((await enter(there.email)).kind).toBe('pending')
  })

  it('makes factors mandatory, which other roles can’t', async () => {
    const [boss, it] = [await member('birch'), await member('birch', ['it-manager'])]
    const demand = (headers: object, isDemanded: boolean) =>
      callApi(operations.demandFactor, { headers, body: { isDemanded } })
    expect((await demand(it.headers, true)).status).toBe(403)
    expect((await demand(await withKey(), true)).status).toBe(403)
    for (const isDemanded of [true, true])
      expect((await demand(boss.headers, isDemanded)).json).toEqual({ isDemanded })
    expect((await enter(it.email)).kind).toBe('pending')
    // Present sessions stay open.
    expect((await callerOf(it.sid)).email).toBe(it.email)
    const read = async () => (await callApi(operations.readFactorDemand, { headers: boss.headers })).json
    expect(await read()).toEqual({ isDemanded: true })
    await demand(boss.headers, false)
    expect(await read()).toEqual({ isDemanded: false })
    expect((await enter(it.email)).kind).toBe('signed-in')
    const query = "SELECT action FROM audit_events WHERE action LIKE 'factor.%demanded' ORDER BY at"
    expect(await database.sql('birch', query)).toEqual([
      { action: 'factor.demanded' },
      { action: 'factor.not-demanded' },
    ])
  })
})
