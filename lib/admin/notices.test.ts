import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { runHere } from './test-run.ts'

let db: TestDatabase
let catcher: Catcher
beforeAll(async () => {
  db = await testDatabase()
  catcher = await startCatcher()
  vi.stubEnv('DATABASE_URL', db.url)
  for (const id of ['sunbird', 'other']) await addCustomer(id)
  await addProfile('sunbird', 'emea')
  const overdue = { invoiceDate: '2026-01-01', dueDate: '2026-01-31' }
  await addInvoice('sunbird', 'IN-1', overdue)
  await addInvoice('other', 'IN-2', overdue)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await catcher.close()
  await db.close()
})

const admin = (args: string) => runHere(['notices', ...args.split(' ')])
const list = async () => JSON.parse((await admin('list --customer sunbird --json')).out)
const setMail = (url: string) => {
  vi.stubEnv('SMTP_URL', url)
  vi.stubEnv('MAIL_FROM', url && 'billing@reseller.example')
  vi.stubEnv('BASE_URL', 'https://console.example')
}

test('Several addresses get notices of a billing profile, each its own kinds', async () => {
  const { code, err } = await admin(
    'add ap@a.example Boss@a.example --customer sunbird.example --kinds due,past-due',
  )
  expect([code, err]).toEqual([0, expect.stringContaining('SMTP_URL is not set here.')])
  expect(err).toContain('Boss@a.example: past-due, due of the billing profile default.')
  const both = await admin('add ap@a.example --customer other --kinds licenses,due')
  expect(both.err).toContain(
    'ap@a.example: due of the billing profile default; licenses that vendors change.',
  )
  await admin('remove ap@a.example --customer other')
  expect(await admin('add boss@A.example --customer sunbird --profile emea --kinds new')).toMatchObject({
    code: 0,
  })
  await admin('add boss@A.example --customer sunbird --profile emea --kinds new --pdf')
  const row = { attachments: null, stopped: [], lastMail: null, failure: null, since: expect.any(String) }
  expect(await list()).toEqual([
    { ...row, email: 'ap@a.example', profile: 'default', notices: ['past-due', 'due'] },
    { ...row, email: 'Boss@a.example', profile: 'default', notices: ['past-due', 'due'] },
    { ...row, email: 'Boss@a.example', profile: 'emea', notices: ['new'], attachments: 'pdf' },
  ])
  expect((await admin('list --customer sunbird')).out).toMatch(
    /^email +profile +notices +attachments +stopped +since +lastMail/,
  )
  expect(JSON.parse((await admin('list --customer other --json')).out)).toEqual([])
})

describe('a refused command stores nothing', () => {
  test.each([
    ['add good@a.example nobody --customer sunbird', '"nobody" is not an email address', 2],
    ['add good@a.example --customer sunbird --profile apac', 'no billing profile "apac"'],
    ['add good@a.example --customer moonbird', 'no customer "moonbird"'],
    ['remove ap@a.example good@a.example --customer sunbird', 'good@a.example gets no notices'],
    ['remove ap@a.example --customer other', 'gets no notices of other'],
    ['send --customer sunbird', 'Notices are off'],
  ])('%s', async (args, reason, code = 1) => {
    expect(await admin(args)).toMatchObject({ code, out: '', err: expect.stringContaining(reason) })
    expect(await list()).toHaveLength(3)
  })
})

test('The command sends pending mails where a mail server is configured, and prints their number', async () => {
  setMail(catcher.url)
  expect(await admin('send --customer sunbird')).toEqual({ code: 0, out: '2\n', err: '' })
  expect(catcher.mails.map(({ to }) => to[0]).sort()).toEqual(['Boss@a.example', 'ap@a.example'])
  expect(await admin('send --customer sunbird')).toMatchObject({ out: '0\n' })
  expect((await list())[0].lastMail).toMatch(/^\d{4}-\d\d-\d\d$/)
  setMail('smtp://u:topsecret@127.0.0.1:1')
  await admin('add ap@a.example --customer other')
  const { code, err } = await admin('send --customer other')
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^Failed: The mail server could not be used: .*ECONNREFUSED/),
  ])
  expect(err).not.toContain('topsecret')
})

test('An address is removed from one billing profile, and then from all', async () => {
  expect(await admin('remove boss@a.example --customer sunbird --profile emea')).toMatchObject({ code: 0 })
  expect((await list()).map(({ email, profile }: Record<string, string>) => [email, profile])).toEqual([
    ['ap@a.example', 'default'],
    ['Boss@a.example', 'default'],
  ])
  expect(await admin('remove boss@a.example ap@a.example --customer sunbird')).toMatchObject({ code: 0 })
  expect(await list()).toEqual([])
})

test('The history contains the recipients, the notices and the operator', async () => {
  const events = await db.sql(
    'sunbird',
    "SELECT action, subject, actor_kind, details FROM audit_events WHERE subject = 'ap@a.example' ORDER BY id",
  )
  expect(events).toEqual([
    {
      action: 'notices.set',
      subject: 'ap@a.example',
      actor_kind: 'operator',
      details: { profile: 'default', kinds: ['past-due', 'due'], stopped: [] },
    },
    {
      action: 'notices.removed',
      subject: 'ap@a.example',
      actor_kind: 'operator',
      details: { profiles: ['default'] },
    },
  ])
})

test('A failure of the database is reported in one plain sentence, without statement and values', async () => {
  await run(db.url, "ALTER TABLE notice_recipients ADD CONSTRAINT never CHECK (email = '') NOT VALID")
  expect(await admin('add secret@a.example --customer sunbird')).toEqual({
    code: 1,
    out: '',
    err: 'Failed: new row for relation "notice_recipients" violates check constraint "never"\n',
  })
})
