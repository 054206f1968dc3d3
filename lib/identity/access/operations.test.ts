import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { validateKey } from '#lib/identity/keys/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { session, sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { changePassword } from './operations.ts'
import { hashPassword } from './passwords/hash.ts'
import { authOptions } from './sign-ins/next-auth.ts'
import { signOut } from './sign-ins/session-life.ts'
import { signInFrom as signIn } from './test-sign-in.ts'

const PASSWORD = 'correct horse battery'
let database: TestDatabase
let member = ''
let mail = ''
let made = 0

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addAsset('northwind', 'workspace-suite-1', { purchased: 10 })
})
afterAll(() => database.close())
beforeEach(async () => {
  mail = `Ana.${++made}@northwind.example`
  const passwordHash = await hashPassword(PASSWORD)
  member = await addMember('northwind', {
    roles: ['it-manager'],
    email: mail,
    name: 'Ana Ruiz',
    passwordHash,
  })
})

const cookieOf = async (sid: string) =>
  `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
const signedIn = async () => {
  const sid = await signIn({ email: mail, password: PASSWORD })
  if (sid === null) throw new Error('Could not sign in.')
  return { sid, cookie: await cookieOf(sid) }
}
/** Makes a valid token with our key, but with an algorithm that we do not use, as another program could. */
const encryptWithCbc = (claims: object) => {
  const info = 'NextAuth.js Generated Encryption Key'
  const key = Buffer.from(hkdfSync('sha256', sessionSecret(), '', info, 32))
  const header = Buffer.from('{"alg":"dir","enc":"A128CBC-HS256"}').toString('base64url')
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), iv)
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()])
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64BE(BigInt(header.length * 8))
  const signed = Buffer.concat([Buffer.from(header), iv, text, bits])
  const tag = createHmac('sha256', key.subarray(0, 16)).update(signed).digest().subarray(0, 16)
  return [header, '', ...[iv, text, tag].map((part) => part.toString('base64url'))].join('.')
}
const callerBehind = (cookie: string) => session(new Headers({ cookie }))
// Only the database owner can age a session, and only by disabling row-level security.
const age = (column: 'created_at' | 'last_seen_at', interval: string) =>
  run(
    database.url,
    `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
     UPDATE sessions SET ${column} = now() - interval '${interval}' WHERE member_id = '${member}';
     ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
  )

describe('signing in', () => {
  it('opens a session for the right password, whatever the case of the address', async () => {
    expect(await signIn({ email: mail.toLowerCase(), password: PASSWORD })).toMatch(/^[\w-]{43}$/)
    const { sid, cookie } = await signedIn()
    expect(await callerBehind(`theme=dark; ${cookie}`)).toMatchObject({
      via: 'session',
      id: member,
      name: 'Ana Ruiz',
      roles: ['it-manager'],
      customerDomain: 'northwind.example',
      billingProfiles: ['default'],
    })
    const stored = await database.sql('northwind', 'SELECT digest FROM sessions WHERE member_id = $1', [
      member,
    ])
    expect(JSON.stringify(stored)).not.toContain(sid)
  })

  it.each([
    ['a wrong password', () => ({ email: mail, password: 'wrong wrong wrong' })],
    ['an unknown address', () => ({ email: 'nobody@northwind.example', password: PASSWORD })],
    ['no password', () => ({ email: mail })],
    ['an object for a password', () => ({ email: mail, password: { length: 5 } })],
    ['nothing', () => undefined],
    ['an endless password', () => ({ email: mail, password: 'x'.repeat(10_000) })],
  ])('rejects %s', async (_, credentials) => {
    expect(await signIn(credentials())).toBeNull()
  })

  it('rejects a disabled member, and one without a password', async () => {
    await database.sql('northwind', 'UPDATE members SET disabled_at = now() WHERE id = $1', [member])
    expect(await signIn({ email: mail, password: PASSWORD })).toBeNull()
    await database.sql(
      'northwind',
      'UPDATE members SET disabled_at = NULL, password_hash = NULL WHERE id = $1',
      [member],
    )
    expect(await signIn({ email: mail, password: PASSWORD })).toBeNull()
  })
})

it('a failed sign-in reveals no internal error, because next-auth copies the text into its answer', async () => {
  const { signIn: pool } = database.opened
  const query = pool.query
  pool.query = (() => Promise.reject(new Error('Failed query: SELECT password_hash FROM members'))) as never
  try {
    const [credentials] = authOptions().providers
    const signInValues = { email: mail, password: PASSWORD }
    const outcome = credentials?.options?.authorize(signInValues, { headers: {} })
    await expect(outcome).rejects.toThrow(/^unavailable$/)
  } finally {
    pool.query = query
  }
})

describe('a session', () => {
  it('ends with sign-out, and with a modified cookie', async () => {
    const { sid, cookie } = await signedIn()
    expect(await callerBehind(`${cookie}x`)).toBeUndefined()
    expect(await callerBehind('console-session=')).toBeUndefined()
    expect(await callerBehind(`console-session=${sid}`)).toBeUndefined()
    await signOut(sid)
    expect(await callerBehind(cookie)).toBeUndefined()
    await signOut(sid)
  })

  it('accepts only tokens of its one algorithm, whatever their header claims', async () => {
    const { sid, cookie } = await signedIn()
    expect(await callerBehind(cookie)).toBeDefined()
    const other = encryptWithCbc({ sid })
    expect(await decode({ token: other, secret: sessionSecret() })).toEqual({ sid })
    expect(await callerBehind(`console-session=${other}`)).toBeUndefined()
  })

  it('ends after 30 idle minutes, and after 8 hours in any case', async () => {
    const { cookie } = await signedIn()
    await age('last_seen_at', '29 minutes')
    expect(await callerBehind(cookie)).toBeDefined()
    await age('created_at', '8 hours')
    expect(await callerBehind(cookie)).toBeUndefined()
    const other = await signedIn()
    await age('last_seen_at', '31 minutes')
    expect(await callerBehind(other.cookie)).toBeUndefined()
  })

  it('is deleted after its end, when its member signs in again', async () => {
    await signedIn()
    await age('last_seen_at', '31 minutes')
    await signedIn()
    const [row] = await database.sql(
      'northwind',
      'SELECT count(*)::int AS n FROM sessions WHERE member_id = $1',
      [member],
    )
    expect(row).toEqual({ n: 1 })
  })

  it('is prolonged by its use', async () => {
    const { cookie } = await signedIn()
    await age('last_seen_at', '29 minutes')
    await callerBehind(cookie)
    const [row] = await database.sql(
      'northwind',
      "SELECT now() - last_seen_at < interval '1 minute' AS fresh FROM sessions WHERE member_id = $1",
      [member],
    )
    expect(row).toEqual({ fresh: true })
  })

  it('follows its member: a removed role or a disabled member applies from the next request on', async () => {
    const { cookie } = await signedIn()
    await database.sql('northwind', "UPDATE members SET roles = '{finance-user}' WHERE id = $1", [member])
    expect((await callerBehind(cookie))?.roles).toEqual(['finance-user'])
    await database.sql('northwind', 'UPDATE members SET disabled_at = now() WHERE id = $1', [member])
    expect(await callerBehind(cookie)).toBeUndefined()
  })
})

async function send(
  handlers: ReturnType<typeof route>,
  method: 'GET' | 'PUT' | 'PATCH',
  path: string,
  { headers, body }: { headers: Record<string, string>; body?: unknown },
) {
  const request = new Request(`http://console.example${path}`, {
    method,
    headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const response = await handlers[method](request)
  return { status: response.status, json: await response.json() }
}

describe('a session and the API', () => {
  const validate = (headers: Record<string, string>) =>
    send(route(validateKey), 'GET', '/auth/v1/validate', { headers })

  it('reads as a key does', async () => {
    const { cookie } = await signedIn()
    expect(await validate({ cookie })).toEqual({
      status: 200,
      json: { domain: 'northwind.example', email: mail },
    })
    const key = await addKey('northwind', ['admin'])
    expect((await validate({ authorization: `Bearer ${key}` })).json.email).toBe('contact@northwind.example')
    const issued = await addKey('northwind', ['admin'], { issuedBy: member })
    expect((await validate({ authorization: `Bearer ${issued}` })).json.email).toBe(mail)
  })

  it('an Authorization header takes precedence over a valid cookie', async () => {
    const { cookie } = await signedIn()
    expect((await validate({ cookie, authorization: 'Bearer nonsense' })).status).toBe(401)
  })

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'http://console.example', host: 'console.example' }, 200],
    [{}, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://console.example' }, 403],
    [{ 'sec-fetch-site': 'none' }, 403],
    [{ origin: 'null', host: 'console.example' }, 403],
    [{ origin: 'http://evil.example', host: 'console.example' }, 403],
    [{ origin: 'http://console.example:81', host: 'console.example' }, 403],
    [{ origin: 'https://console.example', host: 'console.example' }, 403],
    [{ origin: 'app://console.example', host: 'console.example' }, 403],
  ])('writes with %j: %i', async (headers, status) => {
    const { cookie } = await signedIn()
    const answer = await send(route(setQuantity), 'PATCH', '/billing/v1/assets/workspace-suite-1', {
      headers: { cookie, ...headers },
      body: { quantity: 10 },
    })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json.code).toBe('cross_origin')
  })

  it('a key writes from anywhere', async () => {
    const authorization = `Bearer ${await addKey('northwind', ['it-manager'])}`
    const headers = { authorization, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const answer = await send(route(setQuantity), 'PATCH', '/billing/v1/assets/workspace-suite-1', {
      headers,
      body: {
        quantity: 10,
      },
    })
    expect(answer.status).toBe(200)
  })
})

describe('changePassword', () => {
  const change = (cookie: string, body: unknown) =>
    send(route(changePassword), 'PUT', '/auth/v1/password', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body,
    })

  it('accepts the new password, rejects the old one, ends other sessions and records an audit event', async () => {
    const [here, there] = [await signedIn(), await signedIn()]
    const body = { currentPassword: PASSWORD, newPassword: 'another horse battery' }
    expect((await change(here.cookie, body)).status).toBe(200)
    expect(await callerBehind(here.cookie)).toBeDefined()
    expect(await callerBehind(there.cookie)).toBeUndefined()
    expect(await signIn({ email: mail, password: PASSWORD })).toBeNull()
    expect(await signIn({ email: mail, password: body.newPassword })).not.toBeNull()
    const audit = await database.sql(
      'northwind',
      "SELECT action, details FROM audit_events WHERE subject = $1 AND action LIKE 'password.%'",
      [member],
    )
    expect(audit).toEqual([{ action: 'password.changed', details: {} }])
  })

  it.each([
    [{ currentPassword: 'wrong wrong wrong', newPassword: 'another horse battery' }, '/currentPassword'],
    [{ currentPassword: PASSWORD, newPassword: 'short' }, '/newPassword'],
    [{ currentPassword: PASSWORD, newPassword: 'x'.repeat(201) }, '/newPassword'],
    [{ newPassword: 'another horse battery' }, '/currentPassword'],
  ])('rejects %j at its field, and keeps the old password', async (body, pointer) => {
    const { cookie } = await signedIn()
    const { status, json } = await change(cookie, body)
    expect([status, json.errors[0].pointer]).toEqual([400, pointer])
    expect(await signIn({ email: mail, password: PASSWORD })).not.toBeNull()
  })

  it('rejects API keys', async () => {
    const authorization = `Bearer ${await addKey('northwind', ['admin'], { issuedBy: member })}`
    const body = { currentPassword: PASSWORD, newPassword: 'another horse battery' }
    expect(
      (await send(route(changePassword), 'PUT', '/auth/v1/password', { headers: { authorization }, body }))
        .status,
    ).toBe(403)
  })
})
