import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { tellMembers } from '#lib/identity/account-mails/send.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { tellOfEndings } from './mails.ts'
import { rowOf, show } from './test-calls.ts'

let catcher: Catcher
let database: TestDatabase
let [own, ana, email] = ['', '', '']
beforeAll(async () => {
  ;[catcher, database] = await Promise.all([startCatcher(), testDatabase()])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await catcher.close()
  await database.close()
})
beforeEach(async () => {
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  own = await addNewCustomer()
  email = `ana@${own}.example`
  ana = await addMember(own, { roles: ['it-manager'], name: 'Ana', email })
})

const days = (n: number) => new Date(Date.now() + n * 86_400_000)
const signal = new AbortController().signal
const tell = () => tellOfEndings('job-of-a-test', signal)
async function sent() {
  await tellMembers('job-of-a-test', signal)
  return catcher.mails.splice(0)
}

test('a member is told once, a week before a key of theirs ends', async () => {
  const given = { name: 'ERP', issuedBy: ana, createdAt: days(-80) }
  const key = await addKey(own, ['it-manager'], { ...given, expiresAt: days(6.9) })
  await addKey(own, [], { ...given, name: 'later', expiresAt: days(7.1) })
  expect(await tell()).toBe(1)
  expect(await tell()).toBe(0)
  const [mail, ...others] = await sent()
  expect(others).toEqual([])
  expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'An API key is about to end'])
  const { expires_at: ends } = await rowOf(database, own, key)
  const minute = new Date(ends as Date).toISOString().slice(0, 16).replace('T', ' ')
  expect(mail?.text).toContain(`"ERP" for the licenses and invoices of ${own} ends on ${minute} UTC.`)
  expect(mail?.text).toContain('https://console.example/keys')
  expect(mail?.text).not.toContain(key)
})

test.each([
  ['was revoked', { revokedAt: new Date() }],
  ['is followed by another one', { replacedBy: 'next' }],
  ['has ended', { expiresAt: days(-0.1) }],
  ['was made for a week', { createdAt: days(-1), expiresAt: days(6) }],
  ['has no end', { expiresAt: null }],
])('nobody is told of a key that %s', async (_, given) => {
  await addKey(own, [], { issuedBy: ana, createdAt: days(-80), expiresAt: days(3), ...given })
  expect(await tell()).toBe(0)
})

test('of a key of the customer’s, its Admins are told, and not who issued it', async () => {
  await addMember(own, { roles: ['admin'], email: `admin@${own}.example` })
  const given = { issuedBy: ana, belongsToCustomer: true, createdAt: days(-80), expiresAt: days(3) }
  await addKey(own, [], given)
  expect(await tell()).toBe(1)
  expect((await sent()).map(({ to }) => to)).toEqual([[`admin@${own}.example`]])
})

test('where mail is set up later, who was not told before is told then', async () => {
  await addKey(own, [], { issuedBy: ana, createdAt: days(-80), expiresAt: days(3) })
  vi.stubEnv('SMTP_URL', '')
  vi.stubEnv('MAIL_FROM', '')
  expect(await tell()).toBe(0)
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  expect(await tell()).toBe(1)
  expect(await sent()).toHaveLength(1)
})

test('whoever’s key was found is told what happened, and what to do', async () => {
  const key = await addKey(own, [], { name: 'ERP', issuedBy: ana })
  await show([{ token: key }])
  const [mail] = await sent()
  expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'An API key was found and revoked'])
  expect(mail?.text).toMatch(/"ERP" .* was revoked on \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(mail?.text).not.toContain(key)
})
