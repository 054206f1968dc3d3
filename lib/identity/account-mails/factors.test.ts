import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { removeFactor, renewCodes } from '#lib/identity/access/factors/change.ts'
import { resetFactors } from '#lib/identity/access/factors/reset.ts'
import {
  addApp,
  callerOf,
  client,
  enter,
  enterWith,
  join,
  PASSWORD,
  pendingOf,
  sidOf,
} from '#lib/identity/access/factors/test-person.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { notifyOfWrongFactor } from '#lib/identity/access/sign-ins/account-mail.ts'
import { proveStep } from '#lib/identity/access/sign-ins/steps.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { recordRepetitions } from '#lib/platform/history/requests.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { MEMBER_MAILS } from './kinds.ts'

let catcher: Catcher
let database: TestDatabase
beforeAll(async () => {
  ;[catcher, database] = await Promise.all([startCatcher(), testDatabase()])
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  await addCustomer('alder')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await catcher.close()
  await database.close()
})

const EMAIL = 'ana@alder.example'

it('a member is notified of each factor that is set up, removed or reset, and of a used recovery code', async () => {
  const sendMails = async () => {
    await sendDueMails(MEMBER_MAILS)
    return catcher.mails.splice(0).filter(({ headers }) => headers.subject !== 'New sign-in to your account')
  }
  const sentSubjects = async () => (await sendMails()).map(({ to, headers }) => [to, headers.subject])
  const member = await join('alder', EMAIL, { passwordHash: await hashPassword(PASSWORD) })
  const sid = sidOf(await enter(EMAIL))
  await addApp(sid)
  expect(await sentSubjects()).toEqual([[[EMAIL], 'Two-step verification was set up']])
  const [code = ''] = await renewCodes(await callerOf(sid))
  const again = await enterWith(EMAIL, code)
  expect(await sentSubjects()).toEqual([[[EMAIL], 'A recovery code was used']])
  const [{ id = '' } = {}] = await database.sql('alder', 'SELECT id FROM second_factors')
  const caller = await callerOf(again)
  await removeFactor(caller, String(id))
  expect(await sentSubjects()).toEqual([[[EMAIL], 'A verification method was removed']])
  await addApp(again)
  expect(await sendMails()).toHaveLength(1)
  await resetFactors({ ...caller, via: 'operator' }, member, 'test-request', async () => {})
  const [mail] = await sendMails()
  expect(mail?.headers.subject).toBe('Your two-step verification was reset')
  expect(mail?.text).toContain("By whom: an Admin of your company, or your reseller's operator")
  expect(mail?.text).not.toContain(code)
})

it('a wrong factor after the correct password is an event of its own, and mailed once an hour', async () => {
  const email = 'cleo@alder.example'
  const member = await join('alder', email, { passwordHash: await hashPassword(PASSWORD) })
  await addApp(sidOf(await enter(email)))
  const wrongFactor = async () =>
    proveStep({ code: '000000' }, client(pendingOf(await enter(email)))).then(({ kind }) => kind)
  const events = () =>
    database.sql(
      'alder',
      "SELECT details FROM audit_events WHERE subject = $1 AND action = 'factor.refused'",
      [member],
    )
  const mails = () =>
    database.sql(
      'alder',
      "SELECT created_at FROM outbox WHERE recipient = $1 AND content ->> 'event' = 'factor-refused'",
      [member],
    )
  for (let n = 0; n < 3; n++) expect(await wrongFactor()).toBe('refused')
  await expect.poll(events).toEqual([{ details: { account: 'Ana at alder', at: 'sign-in' } }])
  await expect.poll(mails).toHaveLength(1)
  await recordRepetitions({ isAll: true })
  expect((await events())[1]).toMatchObject({ details: { count: 2, reasons: ['sign-in'] } })
  await sendDueMails(MEMBER_MAILS)
  const [mail] = catcher.mails.splice(0).filter(({ headers }) => String(headers.subject).includes('wrong'))
  expect(mail?.text).toContain('The password of')
  // As the owner: the app may not change the time of a message.
  await run(
    database.url,
    "SET console.operated = 'alder'; UPDATE outbox SET created_at = created_at - interval '61 minutes'",
  )
  await wrongFactor()
  await expect.poll(mails).toHaveLength(2)
})

it('parallel wrong factors are one mail', async () => {
  const member = await join('alder', 'dan@alder.example', { passwordHash: await hashPassword(PASSWORD) })
  const customerId = newCustomerId('alder')
  const [written, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const attempt = (until?: Promise<void>) =>
    scope({ customerId }, async (tx) => {
      await notifyOfWrongFactor(tx, customerId, member, undefined)
      written.resolve()
      await until
    })
  const first = attempt(end.promise)
  await written.promise
  const second = attempt()
  // The second one waits for the lock of the first one.
  await expect
    .poll(() =>
      database.sql(
        'alder',
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      ),
    )
    .toHaveLength(1)
  end.resolve()
  await Promise.all([first, second])
  expect(await database.sql('alder', 'SELECT id FROM outbox WHERE recipient = $1', [member])).toHaveLength(1)
})
