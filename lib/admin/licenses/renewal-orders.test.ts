import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { orderRenewal, readRenewal, withdrawRenewal } from '#lib/licenses/renewal-orders/operations.ts'
import { notifyOperators, operatorMail } from '#lib/notifications/operator-mail/send.ts'
import { addMember, callerOf } from '#lib/platform/db/test-rows.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { microsoft } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { commandLine } from '../test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-orders-'))
const origin = { requestId: 'test-request' }
let vendor: TestVendor
let catcher: Catcher
let caller: Awaited<ReturnType<typeof callerOf>>
let used = 0
const { admin } = commandLine(() => vendor.database.url, folder)
beforeAll(async () => {
  catcher = await startCatcher()
  vendor = await testVendor(microsoft, { assets: 10, times: { VENDOR_WRITE_MS: '1500' } })
  caller = await callerOf(CUSTOMER, 'it-manager')
  await addMember(CUSTOMER, { roles: ['admin'], email: `admin@${CUSTOMER}.example` })
})
beforeEach(() => {
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  vi.stubEnv('OPERATOR_MAIL', 'ops@reseller.example')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await catcher.close()
  await vendor.close()
  rmSync(folder, { recursive: true })
})

/** A commitment that ends in so many days, and its order. */
async function ordered(days: number) {
  const seed = vendor.stage.seeds.filter(({ isCommitmentPlan }) => isCommitmentPlan)[
    used++
  ] as TestVendor['annual']
  const end = (value: number) =>
    vendor.fake.change(seed.id, {}, { endsAt: new Date(Date.now() + value * DAY_MS).toISOString() } as object)
  end(days)
  const params = { asset_id: vendor.assetId(seed) }
  const input = { params, query: {}, headers: {} }
  const see = () => readOne(caller.customerId, params.asset_id, 'test')
  await see()
  const order = async () =>
    (await orderRenewal(caller, { ...input, body: { quantity: 12 } }, origin)).body.order
  const withdraw = async () => (await withdrawRenewal(caller, { ...input, body: {} }, origin)).body.order
  const read = async () => (await readRenewal(caller, { ...input, body: undefined }, origin)).body
  return { seed, end, see, order, withdraw, read }
}
async function notify(): Promise<number> {
  const count = await notifyOperators('test', new AbortController().signal)
  await sendDueMails([operatorMail])
  return count
}
const listed = async (options = '') => {
  const { out } = await admin(`renewal-orders list --json${options}`)
  return (out === '' ? [] : JSON.parse(out)) as { id: string; need: string | null; state: string }[]
}

/** The next term began before the order could be placed. */
async function unclear() {
  const { seed, end, order, read, see } = await ordered(1)
  vendor.fake.failNext('write', 'error-before')
  const id = (await order())?.id ?? ''
  end(366)
  await see()
  await admin(`renewal-orders resend ${id} --reason`, '', ['the term has ended'])
  return { id, seed, read }
}

test('an unclear order is listed, mailed, shown with each request, and settled', async () => {
  const { id, read } = await unclear()
  expect((await listed()).find((one) => one.id === id)).toMatchObject({ state: 'UNCLEAR', need: 'unclear' })
  expect([await notify(), await notify()]).toEqual([1, 0])
  const [mail] = catcher.mails.splice(0)
  expect(mail?.headers.subject).toBe('Renewal orders: 1')
  expect(mail?.text).toContain(`  Order ${id}, unclear\n`)
  expect(mail?.text).toContain(`npm run -s admin -- renewal-orders settle ${id} --as applied --reason "…"`)
  const { out } = await admin(`renewal-orders show ${id}`)
  const printed = JSON.parse((await admin(`renewal-orders show ${id} --json`)).out)
  expect(printed).toMatchObject({ order: { id }, requests: [{ number: 1 }], events: expect.any(Array) })
  expect(out).toMatch(/1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +12 +order +nothing +unknown/)
  expect(out).toContain('renewal.unclear')
  expect((await admin('status')).out).toMatch(
    /Orders {4}0 active: 0 not placed, 0 not withdrawn; 1 unclear\n/,
  )
  expect((await admin(`renewal-orders resend ${id} --reason`, '', ['now'])).err).toContain('is UNCLEAR')
  const recordLost = () =>
    admin(`renewal-orders settle ${id} --as lost --customer ${CUSTOMER} --reason`, '', ['not there'])
  expect((await recordLost()).err).toContain(`${id} is settled as lost`)
  expect((await recordLost()).err).toContain('there is nothing to do')
  expect((await read()).lastOrder).toMatchObject({ state: 'LOST', reason: 'Settled by hand: not there' })
  expect((await listed()).map((one) => one.id)).not.toContain(id)
})

test('A withdrawal that did not reach the vendor is mailed immediately, and sent again by hand', async () => {
  const { order, withdraw, read } = await ordered(100)
  const id = (await order())?.id ?? ''
  expect(await listed()).toEqual([])
  vendor.fake.failNext('write', 'drop-before')
  expect(await withdraw()).toMatchObject({ isLeaving: true, isPlaced: true })
  expect(await listed(' --in-need')).toMatchObject([{ id, need: 'not withdrawn' }])
  const written = await vendor.database.sql(
    CUSTOMER,
    "SELECT FROM outbox WHERE content ->> 'event' = 'renewal-unclear'",
  )
  expect(written.length).toBeGreaterThan(0)
  expect(await notify()).toBe(1)
  await vi.waitFor(
    async () => {
      const { err } = await admin(`renewal-orders resend ${id} --reason`, '', ['the customer called'])
      expect(err).toContain('was sent again: it is WITHDRAWN now')
    },
    { timeout: 10_000, interval: 200 },
  )
  expect((await read()).lastOrder).toMatchObject({ id, state: 'WITHDRAWN' })
})

test('an order that waits is for a person after hours, and at its last day after minutes', async () => {
  const { order } = await ordered(100)
  vendor.fake.failNext('write', 'error-before')
  const id = (await order())?.id ?? ''
  const needs = async () => (await listed()).find((one) => one.id === id)?.need
  const waits = (time: string, days: number) =>
    vendor.database.sql(
      CUSTOMER,
      `UPDATE renewal_orders SET waits_since = now() - $2::interval, term_end = now() + make_interval(days => $3) WHERE id = $1`,
      [id, time, days],
    )
  expect(await needs()).toBeNull()
  await waits('5 hours', 100)
  expect(await needs()).toBeNull()
  await waits('7 hours', 100)
  expect(await needs()).toBe('not placed')
  await waits('5 minutes', 1)
  expect(await needs()).toBeNull()
  await waits('15 minutes', 1)
  expect(await needs()).toBe('not placed')
  expect((await admin(`renewal-orders settle ${id} --as lost --reason`, '', ['x'])).err).toContain(
    'may still arrive',
  )
})

test('Unknown orders and wrong arguments are rejected', async () => {
  expect((await admin('renewal-orders show nothing')).err).toContain('No renewal order nothing waits')
  expect((await admin('renewal-orders settle nothing --as perhaps --reason x')).code).toBe(2)
  expect(
    (await admin(`renewal-orders settle nothing --as lost --reason x --customer ${CUSTOMER}`)).code,
  ).toBe(1)
})
