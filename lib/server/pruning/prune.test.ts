import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { prune } from './prune.ts'

let database: TestDatabase
let [customer, member] = ['', '']
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customer = await addNewCustomer()
  member = await addMember(customer, { roles: ['admin'] })
})

const run = (signal = new AbortController().signal) => prune('job-test', signal)
const add = (query: string) =>
  database.sql(customer, query.replaceAll('$own', `'${customer}'`).replaceAll('$member', `'${member}'`))
const left = async (columns: string, table: string) =>
  (await database.sql(customer, `SELECT ${columns} AS value FROM ${table} ORDER BY 1`)).map(
    ({ value }) => value,
  )

test('removes expired sessions, and keeps when their member was last seen', async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await addSession(customer, member, { digest: 'live' })
  await addSession(customer, member, { digest: 'idle', lastSeenAt: ago(31) })
  await addSession(customer, member, { digest: 'old', createdAt: ago(481), lastSeenAt: ago(2) })
  expect(await run()).toBe(2)
  expect(await left('digest', 'sessions')).toEqual(['live'])
  const [seen] = await left('last_seen_at', 'members')
  expect(Math.round((Date.now() - Number(seen)) / 60_000)).toBeLessThan(30)
  expect(await run()).toBe(0)
})

test('removes browsers without a sign-in for 400 days', async () => {
  await add(`INSERT INTO known_browsers (customer_id, member_id, digest, last_sign_in_at) VALUES
    ($own, $member, 'new', now() - interval '399 days'), ($own, $member, 'old', now() - interval '401 days')`)
  expect(await run()).toBe(1)
  expect(await left('digest', 'known_browsers')).toEqual(['new'])
})

test('removes idempotency keys after a day, except for that of an open change', async () => {
  await addAsset(customer, 'workspace-suite-1', { purchased: 5 })
  await add(`INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind,
    actor_id, actor_name, request_id) VALUES ($own, 'open', 'workspace-suite-1', 5, 6, 'SENT', 'key', 'K', 'K', 'r')`)
  await add(`INSERT INTO idempotency_keys (customer_id, caller, key, fingerprint, change_id, created_at) VALUES
    ($own, 'key:K', 'new', '', NULL, now() - interval '23 hours'), ($own, 'key:K', 'old', '', NULL, now() - interval '25 hours'),
    ($own, 'key:K', 'open', '', 'open', now() - interval '9 days')`)
  expect(await run()).toBe(1)
  expect(await left('key', 'idempotency_keys')).toEqual(['new', 'open'])
})

test('removes seat samples after three years, except for the last one before', async () => {
  await addAsset(customer, 'workspace-suite-1', { purchased: 5 })
  await addAsset(customer, 'workspace-suite-2', { purchased: 5 })
  await add(`INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
    SELECT $own, 'workspace-suite-1', now() - n * interval '1 year', n, n FROM unnest(ARRAY[1, 2, 4, 5, 6]) n`)
  await add(`INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
    VALUES ($own, 'workspace-suite-2', now() - interval '9 years', 9, 9)`)
  expect(await run()).toBe(2)
  expect(await left('purchased', 'seat_readings')).toEqual([1, 2, 4, 9])
  // Rows that are not old enough stay, even for another statement.
  await add('DELETE FROM seat_readings')
  expect(await left('purchased', 'seat_readings')).toEqual([1, 2])
})

test('removes mails with notices after two years, except for the last one, and for open invoices', async () => {
  await addInvoice(customer, 'PAID', { balanceAmount: '0' })
  await addInvoice(customer, 'OPEN', { totalAmount: '5', balanceAmount: '5' })
  await add(
    `INSERT INTO notice_recipients (customer_id, id, email) VALUES ($own, 'r', 'a@x.example'), ($own, 's', 'b@x.example')`,
  )
  await add(`INSERT INTO notice_mails (customer_id, recipient_id, told_on, state) SELECT $own, r, CURRENT_DATE - age, 'SENT'
    FROM (VALUES ('r', 10), ('r', 800), ('r', 900), ('r', 1000), ('s', 800)) m (r, age)`)
  await add(`INSERT INTO notices (customer_id, recipient_id, invoice_id, kind, told_on) VALUES
    ($own, 'r', 'PAID', 'new', CURRENT_DATE - 800), ($own, 'r', 'OPEN', 'new', CURRENT_DATE - 900)`)
  expect(await run()).toBe(2)
  expect(await left('recipient_id || (CURRENT_DATE - told_on)', 'notice_mails')).toEqual([
    'r10',
    'r900',
    's800',
  ])
  expect(await left('invoice_id', 'notices')).toEqual(['OPEN'])
})

test('removes mails about accounts after 90 days', async () => {
  await add(`INSERT INTO account_mails (customer_id, id, member_id, event, at, state) VALUES
    ($own, 'new', $member, 'new-device', now() - interval '89 days', 'SENT'),
    ($own, 'old', $member, 'new-device', now() - interval '91 days', 'SENT')`)
  expect(await run()).toBe(1)
  expect(await left('id', 'account_mails')).toEqual(['new'])
})

test('removes messages of the outbox 90 days after they ended', async () => {
  await add(`INSERT INTO outbox (customer_id, id, kind, recipient, created_at, ended_at, state) VALUES
    ($own, 'new', 'account', $member, now() - interval '95 days', now() - interval '89 days', 'SENT'),
    ($own, 'old', 'account', $member, now() - interval '95 days', now() - interval '91 days', 'SENT'),
    ($own, 'open', 'account', $member, now() - interval '95 days', NULL, 'WAITING')`)
  expect(await run()).toBe(1)
  expect(await left('id', 'outbox')).toEqual(['new', 'open'])
})

test('removes nothing after a shutdown was requested', async () => {
  await addSession(customer, member, { lastSeenAt: new Date(Date.now() - 3_600_000) })
  expect(await run(AbortSignal.abort())).toBe(0)
  expect(await run()).toBe(1)
})

test('removes dismissals of members after a year', async () => {
  await add(`INSERT INTO need_dismissals (customer_id, member_id, need_id, version, dismissed_at) VALUES
    ($own, $member, 'new', 'v', now() - interval '364 days'), ($own, $member, 'old', 'v', now() - interval '367 days')`)
  expect(await run()).toBe(1)
  expect(await left('need_id', 'need_dismissals')).toEqual(['new'])
})
