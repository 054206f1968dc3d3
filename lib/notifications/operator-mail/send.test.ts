import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { google, microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Scenario } from '../../../test/fuzz/stage.ts'
import { notifyOperators, operatorMail } from './send.ts'

let catcher: Catcher
let vendor: TestVendor
beforeAll(async () => {
  catcher = await startCatcher()
})
afterAll(() => catcher.close())
beforeEach(() => {
  Object.assign(catcher, { mails: [], dropped: [], hold: undefined })
  catcher.faults.clear()
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  vi.stubEnv('OPERATOR_MAIL', 'ops@reseller.example')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await vendor.close()
})

/** Lets the mail server fail for all addresses; without a failure, ends it. */
function failMails(failure?: Parameters<Catcher['faults']['set']>[1]): void {
  catcher.faults.clear()
  if (failure) catcher.faults.set('*', failure)
}
const sendMails = () => sendDueMails([operatorMail])
/** Runs the job and then the worker. */
async function runMailJob(): Promise<number> {
  const count = await notifyOperators(`test-${randomUUID()}`, new AbortController().signal)
  await sendMails()
  return count
}
const drainMails = () => catcher.mails.splice(0)

/** Loses a change's answer, and then another user moves the total: the change ends as unclear. */
async function unclear(): Promise<string> {
  vendor = await testVendor(google)
  return lose(vendor.flexible, true)
}
async function lose(seed: TestVendor['flexible'], isResolved: boolean): Promise<string> {
  vendor.fake.failNext('write', 'drop-before')
  const { json } = await vendor.patch(seed, 30)
  vendor.fake.setByVendor(seed.id, 26)
  if (isResolved) await vendor.waitUntilResolved(seed)
  return json.changeId
}
/** Adds an open change from two days ago. */
async function open(scenario: Scenario): Promise<string> {
  vendor = await testVendor(scenario, { times: { [scenario.confirmSetting]: '86400' } })
  const id = await lose(vendor.flexible, false)
  await history("UPDATE license_changes SET created_at = now() - interval '2 days'")
  return id
}
/** Runs a query that no role of the application may run. */
const history = (query: string) =>
  run(
    vendor.database.url,
    `ALTER TABLE license_changes DISABLE ROW LEVEL SECURITY; ${query}; ALTER TABLE license_changes ENABLE ROW LEVEL SECURITY`,
  )
const notifiedAgo = (time: string) =>
  history(`UPDATE license_changes SET operator_told_at = now() - interval '${time}'`)

test('The mail lists an unclear change with its asset, customer, time, and commands', async () => {
  const id = await unclear()
  expect(await runMailJob()).toBe(1)
  const [mail, ...others] = drainMails()
  expect(others).toEqual([])
  expect([mail?.to, mail?.headers.subject]).toEqual([
    ['ops@reseller.example'],
    'Changes of licenses: 1 unclear',
  ])
  expect(mail?.headers['auto-submitted']).toBe('auto-generated')
  expect(mail?.text).toContain(
    `* Google Workspace, customer ${CUSTOMER}: ${vendor.assetId(vendor.flexible)}, from 20 to 30\n  Change ${id}, UNCLEAR\n`,
  )
  expect(mail?.text).toMatch(/Asked for by Writer 0 at \d{4}-\d\d-\d\d \d\d:\d\d UTC, unclear since .* UTC\n/)
  expect(mail?.text).toContain('We can’t tell whether')
  expect(mail?.text).toContain(`Look:        npm run -s admin -- changes show ${id}\n`)
  expect(mail?.text).toContain(`npm run -s admin -- changes settle ${id} --as applied --reason "…"`)
  expect(mail?.text).not.toContain('resend')
})

test('The mail lists a change that is open for longer than its vendor’s settle time, and not before', async () => {
  const id = await open(microsoft)
  await history("UPDATE license_changes SET created_at = now() - interval '23 hours'")
  expect([await runMailJob(), drainMails()]).toEqual([0, []])
  await history("UPDATE license_changes SET created_at = now() - interval '25 hours'")
  expect(await runMailJob()).toBe(1)
  const [mail] = drainMails()
  expect(mail?.headers.subject).toBe('Changes of licenses: 1 open for too long')
  expect(mail?.text).toContain(`Change ${id}, UNKNOWN`)
  expect(mail?.text).toContain(`Send again:  npm run -s admin -- changes resend ${id} --reason "…"`)
})

test('The mail omits the resend command for a change that may not be sent again', async () => {
  await open(google)
  expect(await runMailJob()).toBe(1)
  expect(drainMails()[0]?.text).not.toContain('resend')
})

test('The mail lists a change once a day, and a new change immediately', async () => {
  const id = await unclear()
  expect([await runMailJob(), await runMailJob()]).toEqual([1, 0])
  const second = await lose(vendor.annual, true)
  expect(await runMailJob()).toBe(1)
  const [, news] = drainMails()
  expect([news?.text.includes(second), news?.text.includes(id)]).toEqual([true, false])
  await notifiedAgo('19 hours')
  expect(await runMailJob()).toBe(0)
  await notifiedAgo('24 hours')
  expect(await runMailJob()).toBe(2)
  const [both] = drainMails()
  expect([both?.headers.subject, both?.text.includes(second), both?.text.includes(id)]).toEqual([
    'Changes of licenses: 2 unclear',
    true,
    true,
  ])
})

test('No mail is sent about settled changes or without an operator address', async () => {
  const id = await unclear()
  vi.stubEnv('OPERATOR_MAIL', '')
  expect([await runMailJob(), drainMails()]).toEqual([0, []])
  vi.stubEnv('OPERATOR_MAIL', 'ops@reseller.example')
  await vendor.database.sql(CUSTOMER, "UPDATE license_changes SET state = 'FAILED' WHERE id = $1", [id])
  expect([await runMailJob(), drainMails()]).toEqual([0, []])
})

test('Parallel runs send one mail', async () => {
  await unclear()
  const counts = await Promise.all([runMailJob(), runMailJob(), runMailJob()])
  expect(counts.toSorted()).toEqual([0, 0, 1])
  expect(drainMails()).toHaveLength(1)
})

test('A mail that surely did not leave is tried again after ten minutes', async () => {
  await unclear()
  for (const failure of [
    { at: 'recipient', code: 450 },
    { at: 'message', code: 554 },
  ] as const) {
    failMails(failure)
    await runMailJob()
    failMails()
    expect([await sendMails(), drainMails()]).toEqual([0, []])
    await vendor.database.sql('', "UPDATE outbox SET not_before = not_before - interval '10 minutes'")
  }
  failMails({ at: 'greeting', code: 421 })
  await expect(sendMails()).rejects.toThrow('The mail server could not be used')
  failMails()
  await vendor.database.sql('', "UPDATE outbox SET not_before = not_before - interval '10 minutes'")
  expect([await sendMails(), drainMails().length]).toEqual([1, 1])
})

test('A mail is obsolete when its changes were settled before it was sent', async () => {
  const id = await unclear()
  failMails({ at: 'recipient', code: 450 })
  await runMailJob()
  failMails()
  await vendor.database.sql(CUSTOMER, "UPDATE license_changes SET state = 'FAILED' WHERE id = $1", [id])
  await vendor.database.sql('', "UPDATE outbox SET not_before = not_before - interval '10 minutes'")
  expect([await sendMails(), drainMails()]).toEqual([0, []])
  expect(await vendor.database.sql('', 'SELECT state FROM outbox')).toEqual([{ state: 'REFUSED' }])
})

test('A mail with an unknown outcome waits for the next day', async () => {
  await unclear()
  failMails({ at: 'drop' })
  expect([await runMailJob(), catcher.dropped.length]).toEqual([1, 1])
  failMails()
  expect(await runMailJob()).toBe(0)
  await notifiedAgo('24 hours')
  expect([await runMailJob(), drainMails().length]).toEqual([1, 1])
})

test('Among several operators, one accepted address is enough', async () => {
  await unclear()
  vi.stubEnv('OPERATOR_MAIL', 'gone@reseller.example, ops@reseller.example,night@reseller.example')
  catcher.faults.set('gone@reseller.example', { at: 'recipient', code: 550 })
  expect([await runMailJob(), await runMailJob()]).toEqual([1, 0])
  expect(drainMails().map(({ to }) => to)).toEqual([['ops@reseller.example'], ['night@reseller.example']])
})
