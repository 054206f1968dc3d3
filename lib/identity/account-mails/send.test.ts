import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { setPasswordHash } from '#lib/identity/access/passwords/set.ts'
import { signIn } from '#lib/identity/access/sign-in.ts'
import { setDeviceCookie } from '#lib/identity/access/sign-ins/browsers.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { MEMBER_MAILS } from './kinds.ts'

const PASSWORD = 'correct horse battery'
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'
let catcher: Catcher
let database: TestDatabase
let [member, email, made] = ['', '', 0]

beforeAll(async () => {
  ;[catcher, database] = await Promise.all([startCatcher(), testDatabase()])
  await addCustomer('northwind')
})
afterAll(async () => {
  await catcher.close()
  await database.close()
})
beforeEach(async () => {
  Object.assign(catcher, { mails: [], dropped: [], hold: undefined })
  catcher.faults.clear()
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  email = `ana${++made}@northwind.example`
  const passwordHash = await hashPassword(PASSWORD)
  member = await addMember('northwind', { roles: ['admin'], email, name: 'Ana', passwordHash })
})
afterEach(async () => {
  await sendMails().catch(() => {})
  vi.unstubAllEnvs()
})

const sendMails = () => sendDueMails(MEMBER_MAILS)
const drainMails = () => catcher.mails.splice(0)
const states = () => database.sql('northwind', 'SELECT state FROM outbox WHERE recipient = $1', [member])
const older = (time: string) =>
  run(
    database.url,
    `ALTER TABLE outbox DISABLE ROW LEVEL SECURITY;
     UPDATE outbox SET created_at = created_at - interval '${time}', not_before = not_before - interval '${time}';
     ALTER TABLE outbox ENABLE ROW LEVEL SECURITY`,
  )

async function enter(cookies = '') {
  const client = { address: '192.0.2.7', userAgent: FIREFOX, cookies }
  const outcome = await signIn({ email, password: PASSWORD }, client)
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return { sid: outcome.sid, cookie: setDeviceCookie(outcome.deviceCookie).split(';')[0] ?? '' }
}

const setPassword = (exceptSession = '') => {
  const customerId = 'northwind' as CustomerId
  return scope({ customerId }, (tx) =>
    setPasswordHash(tx, customerId, member, { hash: 'hash', exceptSession }),
  )
}

describe('The mail channel', () => {
  test('notifies of a sign-in from a new device, with device, address, time and next steps', async () => {
    const { cookie } = await enter()
    expect(await sendMails()).toBe(1)
    const [mail, ...others] = drainMails()
    expect(others).toEqual([])
    expect([mail?.to, mail?.headers.subject]).toEqual([[email], 'New sign-in to your account'])
    expect(mail?.text).toMatch(
      /^When: {4}\d{1,2} \w{3} \d{4}, \d\d:\d\d UTC\r?\nDevice: {2}Firefox on Windows\r?\nAddress: 192\.0\.2\.7$/m,
    )
    expect(mail?.text).toContain('https://console.example/sessions')
    expect(mail?.headers['auto-submitted']).toBe('auto-generated')
    await enter(cookie)
    expect([await sendMails(), drainMails()]).toEqual([0, []])
  })

  test('notifies of a new password, and of the person who set it', async () => {
    const { sid, cookie } = await enter()
    await sendMails()
    drainMails()
    await setPassword(digestOf(sid))
    await setPassword()
    expect(await sendMails()).toBe(2)
    const [memberMail, operators] = drainMails()
    expect(memberMail?.headers.subject).toBe('Your password was changed')
    expect(memberMail?.text).toContain('Device:  Firefox on Windows')
    expect(operators?.text).toContain("your reseller's operator")
    // The change in a session kept its browser known; the operator's change did not.
    await database.sql('northwind', 'UPDATE members SET password_hash = $2 WHERE id = $1', [
      member,
      await hashPassword(PASSWORD),
    ])
    await enter(cookie)
    expect(await sendMails()).toBe(1)
  })

  test('notifies of nothing where no mail server is configured', async () => {
    vi.stubEnv('SMTP_URL', '')
    vi.stubEnv('MAIL_FROM', '')
    await enter()
    expect([await sendMails(), await states()]).toEqual([0, []])
  })
})

describe('a mail', () => {
  test('is sent once by concurrent processes', async () => {
    for (let n = 0; n < 3; n++) await enter()
    const counts = await Promise.all([sendMails(), sendMails(), sendMails()])
    expect(counts.reduce((a, b) => a + b)).toBe(3)
    expect(drainMails()).toHaveLength(3)
  })

  test('is not sent again after the server rejected it', async () => {
    catcher.faults.set(email, { at: 'recipient', code: 550 })
    await enter()
    expect(await sendMails()).toBe(0)
    expect(await states()).toEqual([{ state: 'REFUSED' }])
  })

  test('waits while the server is unavailable, and is given up after a day', async () => {
    await enter()
    vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
    await expect(sendMails()).rejects.toThrow('could not be used')
    expect(await states()).toEqual([{ state: 'WAITING' }])
    // It is not retried immediately.
    expect(await sendMails()).toBe(0)
    vi.stubEnv('SMTP_URL', catcher.url)
    await older('6 minutes')
    expect(await sendMails()).toBe(1)
    await enter()
    await older('25 hours')
    expect(await sendMails()).toBe(0)
    expect((await states()).map(({ state }) => state).sort()).toEqual(['REFUSED', 'SENT'])
  })

  test('is sent again after its sender died', async () => {
    await enter()
    await database.sql(
      'northwind',
      "UPDATE outbox SET state = 'SENDING', not_before = now() + interval '10 minutes' WHERE recipient = $1",
      [member],
    )
    expect(await sendMails()).toBe(0)
    await older('11 minutes')
    expect(await sendMails()).toBe(1)
  })
})
