import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { hashPassword } from './passwords/hash.ts'
import { signIn } from './sign-in.ts'
import { setDeviceCookie } from './sign-ins/browsers.ts'

const PASSWORD = 'correct horse battery'
const ANA = { email: 'ana@northwind.example', password: PASSWORD }
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addMember('northwind', { roles: [], email: ANA.email, passwordHash: await hashPassword(PASSWORD) })
})
afterAll(() => database.close())

const from = (index: number, cookies = '') => ({ address: `192.0.2.${index}`, userAgent: '', cookies })

test('a flood of unknown clients from different addresses is rejected in part and delays no known browser', async () => {
  const first = await signIn(ANA, from(250))
  if (first.kind !== 'signed-in') throw new Error(first.kind)
  const cookies = setDeviceCookie(first.deviceCookie).split(';')[0] ?? ''
  const flood = Array.from({ length: 100 }, (_, index) =>
    signIn({ email: `nobody-${index}@northwind.example`, password: 'guessed' }, from(index)).then(
      ({ kind }) => kind,
      ({ code }) => code,
    ),
  )
  const kind = signIn(ANA, from(251, cookies)).then(({ kind }) => kind)
  const all = Promise.all(flood)
  // The last of the waiting attempts has not started yet.
  expect(await Promise.race([kind, all.then(() => 'after the flood')])).toBe('signed-in')
  const kinds = await all
  expect(kinds.filter((one) => one === 'service_unavailable').length).toBeGreaterThanOrEqual(38)
  expect(kinds.filter((one) => one === 'refused').length).toBeGreaterThan(0)
  expect(kinds).not.toContain('signed-in')
})

test('each sign-in makes another session, whose id has 256 random bits', async () => {
  const made = [await signIn(ANA, from(252)), await signIn(ANA, from(252))]
  const ids = made.map((one) => (one.kind === 'signed-in' ? one.sid : one.kind))
  for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/)
  expect(ids[0]).not.toBe(ids[1])
})
