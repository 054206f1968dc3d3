import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findSessionCaller, sessionSecret } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { changePassword } from '../operations.ts'
import { signIn } from '../sign-in.ts'
import { signInFrom } from '../test-sign-in.ts'
import { hashPassword } from './hash.ts'
import { setPasswordHash } from './set.ts'

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

const EVENTS =
  "SELECT action FROM audit_events WHERE subject = $1 AND action LIKE 'password.%' ORDER BY action"
const open = async () => String(await signInFrom({ email, password: PASSWORD }))

async function change(sid: string, currentPassword: string, newPassword: string) {
  const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
  const request = new Request('http://console.example/auth/v1/password', {
    method: 'PUT',
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'Content-Type': 'application/json' },
    body: JSON.stringify({ currentPassword, newPassword }),
  })
  const response = await route(changePassword).PUT(request)
  return { status: response.status, headers: response.headers, json: await response.json() }
}

describe('a wrong present password', () => {
  it('is throttled after too many attempts, in this session only', async () => {
    const [thief, owner] = [await open(), await open()]
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => change(thief, `wrong wrong ${n}`, 'another horse battery')),
    )
    const statuses = Object.groupBy(tries, ({ status }) => status)
    expect(Object.keys(statuses)).toEqual(['400', '429'])
    expect(statuses[400]?.length).toBeLessThan(8)
    const [throttled] = statuses[429] ?? []
    expect(throttled?.json).toMatchObject({ code: 'rate_limited' })
    expect(Number(throttled?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await change(thief, PASSWORD, 'another horse battery')).status).toBe(429)
    expect((await change(owner, PASSWORD, 'another horse battery')).status).toBe(200)
    expect(await findSessionCaller(digestOf(thief))).toBeUndefined()
    // Each event once a minute, however often it happens.
    const events = await database.sql('northwind', EVENTS, [member])
    expect(events).toEqual([
      { action: 'password.changed' },
      { action: 'password.refused' },
      { action: 'password.throttled' },
    ])
  })
})

describe('a new password', () => {
  it.each([
    ['password1234', /most common/],
    ['zzzzzzzzzzzz', /one character/],
    ['AnaRuiz2026', /your name|email/],
    ['northwind.example', /email|company/],
    [PASSWORD, /have now/],
  ])('%s is rejected at its field, and not counted as an attempt', async (newPassword, detail) => {
    const sid = await open()
    for (let n = 0; n < 7; n++) {
      const { status, json } = await change(sid, PASSWORD, newPassword)
      expect([status, json.errors]).toEqual([
        400,
        [{ pointer: '/newPassword', detail: expect.stringMatching(detail) }],
      ])
    }
    expect((await change(sid, PASSWORD, 'another horse battery')).status).toBe(200)
  })

  it('leaves no session that was opened concurrently with the old password', async () => {
    const customerId = 'northwind' as CustomerId
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    let entering: ReturnType<typeof signIn> | undefined
    let isOver = false
    const hash = await hashPassword('another horse battery')
    await scope({ customerId }, async (tx) => {
      await setPasswordHash(tx, customerId, member, { hash })
      entering = signIn({ email, password: PASSWORD }, { address: '192.0.2.1', userAgent: '', cookies: '' })
      entering.finally(() => {
        isOver = true
      })
      const waiting =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      while (!isOver && (await owner.query(waiting)).rows.length === 0) {}
    })
    await owner.end()
    expect(await entering).toEqual({ kind: 'refused' })
    expect(await database.sql('northwind', 'SELECT FROM sessions WHERE member_id = $1', [member])).toEqual([])
  })
})
