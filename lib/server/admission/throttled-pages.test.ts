import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { tracesThrottledPages } from './throttled-pages.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

test('a session that asks for too many pages leaves one event a minute, with whose it is', async () => {
  const customer = await addNewCustomer()
  const [email, password] = [`${customer}@a.example`, 'a long password']
  const passwordHash = await hashPassword(password)
  await addMember(customer, { roles: ['admin'], name: 'Ana', email, passwordHash })
  const sid = String(await signInFrom({ email, password }))
  const cookie = `console-session=${await encode({ token: { sid }, secret: sessionSecret() })}`
  const headers = new Headers({ cookie })
  const trace = tracesThrottledPages()
  const asked = { requestId: 'request-1', address: '192.0.2.9', agent: 'Firefox' }
  for (let n = 0; n < 3; n++) trace(digestOf(sid), headers, asked)
  trace(digestOf('gone'), new Headers(), asked)
  const events = () =>
    db.sql(
      customer,
      `SELECT subject, actor_name AS name, address, request_id AS "requestId" FROM audit_events
       WHERE action = 'access.throttled'`,
    )
  const told = { subject: 'pages', name: 'Ana', address: '192.0.2.9', requestId: 'request-1' }
  await vi.waitFor(async () => expect(await events()).toEqual([told]))
})
