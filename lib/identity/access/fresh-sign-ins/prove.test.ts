import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-server.ts'
import { proveSession, readWays } from '../operations.ts'
import { hashPassword } from '../password.ts'
import { signInFrom } from '../test-sign-in.ts'
import { requireFresh } from './require-fresh.ts'
import { isFresh } from './rules.ts'

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
const refusalOf = async (sid: string) => {
  const caller = await callerOf(sid)
  try {
    return requireFresh(caller)
  } catch (refused) {
    return (refused as { code: string }).code
  }
}
// The owner alone can make a session older, and the owner only past the wall.
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
  it('is fresh for ten minutes after sign-in, and again after its member proved who they are', async () => {
    const [here, there] = [await open(), await open()]
    expect(await refusalOf(here)).toBeUndefined()
    await older('9 minutes 50 seconds')
    expect(await refusalOf(here)).toBeUndefined()
    await older('11 seconds')
    expect(await refusalOf(here)).toBe('fresh_sign_in_required')
    expect((await proveIn(here, PASSWORD)).json).toEqual({ proven: true })
    expect(await refusalOf(here)).toBeUndefined()
    // The same member elsewhere has proven nothing there.
    expect(await refusalOf(there)).toBe('fresh_sign_in_required')
    const said = "SELECT actor_name FROM audit_events WHERE action = 'session.confirmed' AND subject = $1"
    expect(await database.sql('northwind', said, [member])).toEqual([{ actor_name: 'Ana Ruiz' }])
  })
})

describe('by what somebody can prove it', () => {
  const ask = async (headers: Record<string, string>) => {
    const request = new Request('http://console.example/auth/v1/fresh-sign-in', { headers })
    const response = await route(readWays).GET(request)
    return { status: response.status, json: await response.json() }
  }

  it('is told to a session, also one that is long old, and to no key', async () => {
    const sid = await open()
    await older('11 minutes')
    const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
    const ways = { password: true, factor: true, signOn: false }
    expect(await ask({ cookie })).toEqual({ status: 200, json: ways })
    const authorization = `Bearer ${await addKey('northwind', ['admin'], { issuedBy: member })}`
    expect(await ask({ authorization })).toMatchObject({ status: 403, json: { code: 'permission_denied' } })
    expect((await ask({})).status).toBe(401)
  })
})

describe('a wrong password', () => {
  it('is refused at its field and proves nothing', async () => {
    const sid = await open()
    await older('11 minutes')
    const { status, json } = await proveIn(sid, 'wrong wrong wrong')
    expect([status, json.errors]).toEqual([400, [{ pointer: '/password', detail: 'is not your password' }]])
    expect(await refusalOf(sid)).toBe('fresh_sign_in_required')
  })

  it('too often has to wait, in this session alone', async () => {
    const [thief, owner] = [await open(), await open()]
    await older('11 minutes')
    const tries = await Promise.all(Array.from({ length: 12 }, (_, n) => proveIn(thief, `wrong wrong ${n}`)))
    expect([...new Set(tries.map(({ status }) => status))].sort()).toEqual([400, 429])
    const late = await proveIn(thief, PASSWORD)
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await proveIn(owner, PASSWORD)).status).toBe(200)
    expect(await refusalOf(thief)).toBe('fresh_sign_in_required')
  })
})

describe('whoever is not a session', () => {
  it('is asked for nothing', async () => {
    const key = await findKeyCaller(digestOf(await addKey('northwind', ['admin'])))
    expect(key && isFresh(key)).toBe(true)
    expect(isFresh({ via: 'operator' })).toBe(true)
    expect(isFresh({ via: 'session' })).toBe(false)
  })

  it('has nothing to prove: a key is refused', async () => {
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
  ])('%j is no proof', async (body) => {
    const sid = await open()
    const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
    expect((await prove({ cookie }, body)).status).toBe(400)
  })
})
