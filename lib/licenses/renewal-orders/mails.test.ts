import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { MEMBER_MAILS } from '#lib/identity/account-mails/kinds.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { mailOrders } from './mails.ts'
import { reconcileOrders } from './reconcile.ts'

let catcher: Catcher
let database: TestDatabase
let [customerId, ana] = ['', '']
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
  ana = await addMember(customerId, {
    roles: ['it-manager'],
    name: 'Ana',
    email: `ana@${customerId}.example`,
  })
  await addMember(customerId, { roles: ['admin'], email: `admin@${customerId}.example` })
  await addAsset(customerId, 'workspace-suite-1', { purchased: 120, assigned: 90, isCommitmentPlan: true })
})

const days = (n: number) => new Date(Date.now() + n * 86_400_000)
const signal = new AbortController().signal
const mailMembers = () => mailOrders('job-of-a-test', signal)
async function sent() {
  await sendDueMails(MEMBER_MAILS)
  return catcher.mails.splice(0)
}
async function order({ kind = 'member', by = ana, made = -80, ends = 13 } = {}) {
  await database.sql(customerId, 'UPDATE assets SET commitment_start = $1, commitment_end = $2', [
    days(ends - 365),
    days(ends),
  ])
  await database.sql(
    customerId,
    `INSERT INTO renewal_orders (customer_id, id, asset_id, to_quantity, term_end, state, placed_at, actor_kind, actor_id,
       actor_name, request_id, created_at, next_look_at)
     VALUES ($1, 'o1', 'workspace-suite-1', 96, $2, 'STANDING', now(), $3, $4, 'Ana', 'r', $5, $2)`,
    [customerId, days(ends), kind, by, days(made)],
  )
}

test('an orderer is notified once, two weeks before the term ends', async () => {
  await order()
  expect([await mailMembers(), await mailMembers()]).toEqual([1, 0])
  const [mail, ...others] = await sent()
  expect(others).toEqual([])
  expect([mail?.to, mail?.headers.subject]).toEqual([
    [`ana@${customerId}.example`],
    'The term of a plan ends soon',
  ])
  expect(mail?.text).toMatch(
    /workspace-suite-1: 96 licenses from \d+ \w{3} \d{4} \(now 120\), ordered by Ana\./,
  )
  expect(mail?.text).toMatch(/\nLast day to decide: \d+ \w{3} \d{4}\.\n/)
  expect(mail?.text).toContain('https://console.example/assets/renewals')
})

test.each([
  ['was made when that was near', { made: -0.5 }],
  ['is for later', { ends: 15 }],
])('no member is notified of an order that %s', async (_, dates) => {
  await order(dates)
  expect(await mailMembers()).toBe(0)
})

test('the issuer of a key is notified of its order; Admins are notified if the orderer is removed', async () => {
  await addKey(customerId, ['it-manager'], { id: 'k1', issuedBy: ana })
  await order({ kind: 'key', by: 'k1' })
  await mailMembers()
  expect((await sent()).map(({ to }) => to)).toEqual([[`ana@${customerId}.example`]])
  await database.sql(customerId, 'UPDATE renewal_orders SET told_at = NULL')
  await database.sql(customerId, 'UPDATE members SET disabled_at = now() WHERE id = $1', [ana])
  await mailMembers()
  expect((await sent()).map(({ to }) => to)).toEqual([[`admin@${customerId}.example`]])
})

test('an orderer is notified of an order that was not applied', async () => {
  await order({ ends: -0.01 })
  await database.sql(customerId, 'UPDATE assets SET seats_assigned = 110')
  await reconcileOrders('job', signal)
  const [mail, ...others] = await sent()
  expect([mail?.headers.subject, others]).toEqual(['A renewal order was not carried out', []])
  expect(mail?.text).toContain('110 users are assigned')
})

test('an orderer gets a mail each day about an order that is unclear, or could not be taken back', async () => {
  await order()
  const isWaiting = `UPDATE renewal_orders SET told_at = now(), reported_at = now() - interval '1 day', taken_back_at = now(),
    taken_back_by_kind = 'member', taken_back_by_id = 'x', taken_back_by_name = 'Sam'`
  await database.sql(customerId, isWaiting)
  expect([await mailMembers(), await mailMembers()]).toEqual([1, 0])
  const [mail, ...others] = await sent()
  expect([mail?.headers.subject, others]).toEqual(['A renewal order needs to be checked', []])
  expect(mail?.text).toContain('ordered by Ana, withdrawn by Sam.')
  const isUnclear = `UPDATE renewal_orders SET state = 'UNCLEAR', settled_at = now(), reported_at = now() - interval '1 day'`
  await database.sql(customerId, isUnclear)
  expect([await mailMembers(), await mailMembers()]).toEqual([1, 0])
  await database.sql(
    customerId,
    "UPDATE renewal_orders SET state = 'WITHDRAWN', reported_at = now() - interval '1 day'",
  )
  expect(await mailMembers()).toBe(0)
})
