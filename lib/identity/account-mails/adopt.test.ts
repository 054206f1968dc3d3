import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { adoptMails } from './adopt.ts'
import { MEMBER_MAILS } from './kinds.ts'

let catcher: Catcher
let database: TestDatabase
beforeAll(async () => {
  ;[catcher, database] = await Promise.all([startCatcher(), testDatabase()])
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await catcher.close()
  await database.close()
})

const adopt = () => adoptMails('test', new AbortController().signal)

test('mails that the previous release has queued are sent once, except one that its process holds', async () => {
  await addCustomer('northwind')
  const member = await addMember('northwind', { roles: ['admin'], email: 'ana@northwind.example' })
  const sql = (text: string) => database.sql('northwind', text, [member])
  await sql(`INSERT INTO account_mails (customer_id, member_id, event, address, user_agent)
    VALUES ('northwind', $1, 'new-password', '192.0.2.7', 'Firefox')`)
  await sql(`INSERT INTO account_mails (customer_id, member_id, event, state, not_before)
    VALUES ('northwind', $1, 'new-device', 'SENDING', now() + interval '9 minutes')`)
  await sql(`INSERT INTO account_links (customer_id, member_id, kind, made_by, expires_at, state)
    VALUES ('northwind', $1, 'reset', 'operator', now() + interval '30 minutes', 'WAITING')`)
  await database.opened.signIn.query("INSERT INTO recoveries (email) VALUES ('ana@northwind.example')")
  const counts = await Promise.all([adopt(), adopt(), adopt()])
  expect(counts.reduce((sum, count) => sum + count)).toBe(3)
  expect(await sendDueMails(MEMBER_MAILS)).toBe(3)
  expect([await adopt(), await sendDueMails(MEMBER_MAILS)]).toEqual([0, 0])
  const subjects = catcher.mails.map(({ headers }) => headers.subject).sort()
  expect(subjects).toEqual(['Set a new password', 'Set a new password', 'Your password was changed'])
  // The process that held the other one has died since.
  await database.sql('northwind', "UPDATE account_mails SET not_before = now() WHERE state = 'SENDING'")
  expect([await adopt(), await sendDueMails(MEMBER_MAILS)]).toEqual([1, 1])
})
