import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { MEMBER_MAILS } from '#lib/identity/account-mails/kinds.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { notifyOfExpiry } from './mails.ts'
import { rowOf, show } from './test-calls.ts'

let catcher: Catcher
let database: TestDatabase
let [customerId, ana, email] = ['', '', '']
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
  customerId = await addNewCustomer()
  email = `ana@${customerId}.example`
  ana = await addMember(customerId, { roles: ['it-manager'], name: 'Ana', email })
})

const days = (n: number) => new Date(Date.now() + n * 86_400_000)
const signal = new AbortController().signal
const runExpiryJob = () => notifyOfExpiry('job-of-a-test', signal)
async function sent() {
  await sendDueMails(MEMBER_MAILS)
  return catcher.mails.splice(0)
}

test('a member is notified once, a week before a key of theirs expires', async () => {
  const values = { name: 'ERP', issuedBy: ana, createdAt: days(-80) }
  const key = await addKey(customerId, ['it-manager'], { ...values, expiresAt: days(6.9) })
  await addKey(customerId, [], { ...values, name: 'later', expiresAt: days(7.1) })
  expect(await runExpiryJob()).toBe(1)
  expect(await runExpiryJob()).toBe(0)
  const [mail, ...others] = await sent()
  expect(others).toEqual([])
  expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'An API key is about to expire'])
  const { expires_at: ends } = await rowOf(database, customerId, key)
  const end = new Date(ends as Date)
  const minute = `${dayText(end.getTime())}, ${end.toISOString().slice(11, 16)}`
  expect(mail?.text).toContain(
    `"ERP" for the licenses and invoices of ${customerId} expires on ${minute} UTC.`,
  )
  expect(mail?.text).toContain('https://console.example/keys')
  expect(mail?.text).not.toContain(key)
})

test.each([
  ['was revoked', { revokedAt: new Date() }],
  ['is followed by another one', { replacedBy: 'next' }],
  ['has ended', { expiresAt: days(-0.1) }],
  ['was made for a week', { createdAt: days(-1), expiresAt: days(6) }],
  ['has no end', { expiresAt: null }],
])('a key that %s causes no notification', async (_, values) => {
  await addKey(customerId, [], { issuedBy: ana, createdAt: days(-80), expiresAt: days(3), ...values })
  expect(await runExpiryJob()).toBe(0)
})

test('Admins are notified of a customer’s key, and its issuer is not', async () => {
  await addMember(customerId, { roles: ['admin'], email: `admin@${customerId}.example` })
  const values = { issuedBy: ana, belongsToCustomer: true, createdAt: days(-80), expiresAt: days(3) }
  await addKey(customerId, [], values)
  expect(await runExpiryJob()).toBe(1)
  expect((await sent()).map(({ to }) => to)).toEqual([[`admin@${customerId}.example`]])
})

test('a member who was not notified before is notified after mail is configured', async () => {
  await addKey(customerId, [], { issuedBy: ana, createdAt: days(-80), expiresAt: days(3) })
  vi.stubEnv('SMTP_URL', '')
  vi.stubEnv('MAIL_FROM', '')
  expect(await runExpiryJob()).toBe(0)
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  expect(await runExpiryJob()).toBe(1)
  expect(await sent()).toHaveLength(1)
})

test('the owner of a leaked key is notified with the event and the next steps', async () => {
  const key = await addKey(customerId, [], { name: 'ERP', issuedBy: ana })
  await show([{ token: key }])
  const [mail] = await sent()
  expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'A leaked API key was revoked'])
  expect(mail?.text).toMatch(/"ERP" .* was revoked on \d{1,2} \w{3} \d{4}, \d\d:\d\d UTC/)
  expect(mail?.text).not.toContain(key)
})
