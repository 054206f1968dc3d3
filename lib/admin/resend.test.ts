import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import type { Times } from '../../test/fuzz/clock.ts'
import { google, microsoft } from '../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Scenario } from '../../test/fuzz/stage.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-resend-'))
let vendor: TestVendor
const { admin } = commandLine(() => vendor.database.url, folder)
afterEach(async () => {
  vi.unstubAllEnvs()
  await vendor.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Loses a PATCH to 30 on its way to a vendor whose settle time is a day. @returns the change's id */
async function lose(scenario: Scenario = microsoft, times: Times = {}): Promise<string> {
  vendor = await testVendor(scenario, { times: { [scenario.confirmSetting]: '86400', ...times } })
  vendor.fake.failNext('write', 'drop-before')
  const { json } = await vendor.patch(vendor.flexible, 30)
  expect(json.code).toBe('outcome_unknown')
  return json.changeId
}
const resend = (id: string, reason = 'the customer waits', args = '') =>
  admin(`changes resend ${id}${args} --reason`, '', [reason])
/** Repeats the resend until its message matches: the previous call may be in flight for a while. */
const resent = async (id: string, pattern: RegExp) =>
  vi.waitFor(
    async () => {
      const ended = await resend(id)
      expect(ended.err).toMatch(pattern)
      return ended
    },
    { timeout: 8000, interval: 100 },
  )
const sent = () =>
  vendor.fake.exchanges.flatMap(({ call }) =>
    call.kind === 'write' ? [call.headers['ms-requestid'] ?? ''] : [],
  )
const inHistory = (id: string) =>
  vendor.database.sql(
    CUSTOMER,
    `SELECT actor_kind AS kind, details ->> 'reason' AS reason FROM audit_events
     WHERE subject = $1 AND action = 'license-change.resent'`,
    [id],
  )

test('sends it once more under its id, with who and why in the history and in the calls', async () => {
  const id = await lose()
  const { code, err } = await resent(id, /was sent again/)
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(`^${id} was sent again: it is APPLIED now .*20 to 30`),
  ])
  expect([vendor.total(vendor.flexible), sent().length, new Set(sent()).size]).toEqual([30, 2, 1])
  expect(await inHistory(id)).toEqual([{ kind: 'operator', reason: 'the customer waits' }])
  const { out } = await admin(`changes show ${id} --customer ${CUSTOMER}`)
  expect(out).toMatch(/1 +\S+ \S+ +Writer 0 +30 +unknown.*\n2 +\S+ \S+ +Operator +30 +applied/)
  expect(out).toMatch(/license-change\.resent +Operator +\S+ +the customer waits/)
  expect((await resend(id, 'again', ` --customer ${CUSTOMER}`)).err).toContain(
    'it is APPLIED, and only what is UNKNOWN is sent again',
  )
})

test('A refused repeat settles nothing, and its message contains the known facts', async () => {
  const id = await lose()
  vendor.fake.setFault(vendor.flexible.id, { write: 'throttle' })
  const { err } = await resent(id, /was sent again/)
  expect(err).toContain('it is UNKNOWN now')
  expect(err).toContain('gave no clear answer')
  expect(await vendor.states(vendor.flexible)).toEqual(['UNKNOWN'])
})

test('A resend is refused while the previous call may be in flight', async () => {
  const id = await lose(microsoft, { VENDOR_WRITE_MS: '30000' })
  expect((await resend(id)).err).toContain('the call before may be under way still')
  expect([sent().length, await inHistory(id)]).toEqual([1, []])
})

test('A resend is refused after another user moved the total', async () => {
  const id = await lose()
  vendor.fake.setByVendor(vendor.flexible.id, 26)
  await resent(id, /someone has changed the total there since/)
  vendor.fake.setByVendor(vendor.flexible.id, 20)
  expect(await resent(id, /someone has changed/)).toMatchObject({ code: 1 })
  expect([sent().length, await inHistory(id)]).toEqual([1, []])
})

test('A resend is refused after its time, at a vendor without idempotent writes, and without a reason', async () => {
  const id = await lose()
  await vendor.database.sql(CUSTOMER, "UPDATE license_changes SET sent_at = sent_at - interval '1 day'")
  await resent(id, /its time is over: Microsoft/)
  expect((await resend(id, ' ')).err).toContain('The reason is empty')
  expect((await resend('none')).err).toContain('No change none is waiting')
  expect(sent()).toHaveLength(1)
})

test('never at Google, which knows no repeats', async () => {
  const id = await lose(google)
  const { code, err } = await resend(id)
  expect([code, err]).toEqual([1, expect.stringContaining('Google Workspace takes no repeats')])
  expect(sent()).toHaveLength(1)
})

test('A resend is refused for an unclear change, whose asset is free for another change', async () => {
  vendor = await testVendor(microsoft)
  vendor.fake.failNext('write', 'drop-before')
  const { json } = await vendor.patch(vendor.flexible, 30)
  vendor.fake.setByVendor(vendor.flexible.id, 26)
  await reconcileOpenChanges('job')
  await vendor.waitUntilResolved(vendor.flexible)
  expect((await resend(json.changeId)).err).toContain('it is UNCLEAR, and its asset is free')
  expect(sent()).toHaveLength(1)
})
