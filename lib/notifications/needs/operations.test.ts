import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cookieOf } from '#lib/identity/access/factors/test-person.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addInvoice,
  addKey,
  addMember,
  addNewCustomer,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import * as dismissal from '../../../app/billing/v1/needs/[need_id]/dismissal/route.ts'
import * as needs from '../../../app/billing/v1/needs/route.ts'
import type { Need } from './contract.ts'

const TODAY = '2026-11-20'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase({ today: TODAY })
})
afterAll(() => db.close())

/** Adds a sample of an asset's licenses from a number of days ago. */
const sample = (assetId: string, days: number, purchased: number, assigned: number) =>
  db.sql(
    customer,
    `INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
     VALUES ($1, $2, now() - $3 * interval '1 day', $4, $5)`,
    [customer, assetId, days, purchased, assigned],
  )
const change = (id: string, assetId: string, state: string, days = 0) =>
  db.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ($1, $2, $3, 10, 12, $4, 'key', 'K', 'Key', 'r', now() - $5 * interval '1 day', now() - $5 * interval '1 day',
       CASE WHEN $4 IN ('CLAIMED', 'SENT', 'UNKNOWN') THEN NULL ELSE now() END)`,
    [customer, id, assetId, state, days],
  )

const IDLE = 'idle:workspace-suite-idle'
const DEBT = 'past-due:USD:default'
const ALL = [
  'past-due:EUR:emea',
  DEBT,
  'change:unclear',
  'change:refused',
  'renewal:office-suite-annual',
  IDLE,
  'nearly-full:workspace-suite-full',
  'unmatched-lines:IN-OCT',
]

beforeEach(async () => {
  customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  await addInvoice(customer, 'IN-1', { invoiceDate: '2026-09-01', dueDate: '2026-10-01' })
  await addInvoice(customer, 'IN-2', {
    invoiceDate: '2026-10-20',
    dueDate: '2026-11-19',
    balanceAmount: '0.30',
  })
  await addInvoice(customer, 'IN-3', { invoiceDate: '2026-10-21', dueDate: TODAY })
  const euro = { billingProfileId: 'emea', currency: 'EUR' }
  await addInvoice(customer, 'RE-1', { ...euro, invoiceDate: '2026-08-01', dueDate: '2026-09-01' })
  const october = {
    platform: 'workspace-suite',
    invoiceDate: '2026-10-31',
    dueDate: '2026-11-30',
    balanceAmount: '0',
  }
  await addInvoice(customer, 'IN-OCT', { ...october, totalAmount: '2250' }, [
    { description: 'Business Plus', price: '18', qty: '125', details: '1 Oct – 31 Oct 2026' },
  ])
  await addAsset(customer, 'workspace-suite-idle', { purchased: 100, assigned: 60 })
  await sample('workspace-suite-idle', 80, 100, 50)
  await sample('workspace-suite-idle', 30, 100, 75)
  await sample('workspace-suite-idle', 5, 100, 60)
  const annual = {
    purchased: 50,
    assigned: 45,
    isCommitmentPlan: true,
    commitmentEnd: new Date('2027-01-15T00:00:00Z'),
  }
  await addAsset(customer, 'office-suite-annual', annual, { skuName: 'Office E3' })
  await addAsset(customer, 'workspace-suite-full', { purchased: 100, assigned: 98 }, { skuName: 'Frontline' })
  await sample('workspace-suite-full', 200, 100, 60)
  await sample('workspace-suite-full', 40, 100, 98)
  for (const id of ['a', 'b', 'c'])
    await addAsset(customer, `workspace-suite-${id}`, { purchased: 10, assigned: 10 }, { skuName: `S${id}` })
  await change('unclear', 'workspace-suite-a', 'UNCLEAR', 40)
  await change('refused', 'workspace-suite-b', 'REJECTED', 2)
  await change('old', 'workspace-suite-c', 'REJECTED', 8)
})

type ReadOptions = { roles?: Role[]; profiles?: string[]; cookie?: string }

async function list(options: ReadOptions = {}) {
  const { status, body } = await callApi(needs.GET, 'needs', 'GET', options)
  expect(status).toBe(200)
  return body as { count: number; needs: Need[]; looked: string[] }
}
const idsOf = async (options: ReadOptions = {}) => (await list(options)).needs.map(({ id }) => id)

async function callApi(
  handler: (request: Request) => Promise<Response>,
  path: string,
  method: string,
  { roles = ['admin'], profiles, cookie, body }: ReadOptions & { body?: unknown } = {},
) {
  const headers: Record<string, string> = cookie
    ? { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
    : {
        Authorization: `Bearer ${await addKey(customer, roles, profiles ? { billingProfiles: profiles } : {})}`,
      }
  const request = new Request(`http://console.example/billing/v1/${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await handler(request)
  return { status: response.status, body: await response.json() }
}
const member = async (...roles: Role[]) =>
  cookieOf(await addSession(customer, await addMember(customer, { roles })))
const dismiss = (cookie: string, id: string, version: unknown) =>
  callApi(dismissal.PUT, `needs/${encodeURIComponent(id)}/dismissal`, 'PUT', { cookie, body: { version } })
const restore = (cookie: string, id: string) =>
  callApi(dismissal.DELETE, `needs/${encodeURIComponent(id)}/dismissal`, 'DELETE', { cookie, body: {} })
const versionOf = async (id: string, options: ReadOptions = {}) =>
  (await list(options)).needs.find((need) => need.id === id)?.version ?? ''

describe('listNeeds', () => {
  test('returns all items that a member can act on, in order, with figures', async () => {
    const { needs: items, count } = await list()
    expect([count, items.map(({ id }) => id)]).toEqual([8, ALL])
    expect(items[1]).toMatchObject({
      pastDue: { count: 2, amount: 10.3, currency: 'USD', days: 50, billingProfile: { name: customer } },
    })
    expect(items[4]).toMatchObject({ renewal: { days: 56, purchased: 50, idle: 5 } })
    expect(items[5]).toMatchObject({
      idle: {
        purchased: 100,
        count: 25,
        lowerTo: 75,
        cost: { amount: 450, currency: 'USD', isMonthly: true },
      },
    })
    expect(items[6]).toMatchObject({ nearlyFull: { purchased: 100, assigned: 98, days: 4 } })
    // 25 licenses at 18.00 more than the 100 that are known.
    expect(items[7]).toMatchObject({ unmatchedLines: { count: 1, amount: 450, currency: 'USD' } })
  })

  test.each<[Role[], string[]]>([
    [['it-manager'], ALL.slice(2, 7)],
    [['finance-user'], [...ALL.slice(0, 2), ...ALL.slice(7)]],
    [['it-manager', 'finance-user'], ALL],
    [[], []],
  ])('returns to %j the kinds that these roles may see', async (roles, ids) => {
    expect(await idsOf({ roles })).toEqual(ids)
  })

  test('returns items of the caller’s billing profiles only', async () => {
    expect(await idsOf({ roles: ['finance-user'], profiles: ['emea'] })).toEqual(['past-due:EUR:emea'])
    // Prices on invoices outside the caller's access are unknown.
    const { needs: items } = await list({ roles: ['it-manager'], profiles: ['emea'] })
    expect(items.find(({ id }) => id === IDLE)?.idle).toEqual({ purchased: 100, count: 25, lowerTo: 75 })
  })

  test('returns the cost of idle licenses to IT Managers, unless the customer hides costs', async () => {
    const costOf = async (roles: Role[]) =>
      (await list({ roles })).needs.find(({ id }) => id === IDLE)?.idle?.cost?.amount
    expect([await costOf(['it-manager']), await costOf(['admin'])]).toEqual([450, 450])
    await db.sql(customer, 'UPDATE customers SET hides_prices = true WHERE id = $1', [customer])
    expect([await costOf(['it-manager']), await costOf(['admin'])]).toEqual([undefined, 450])
  })

  test('omits a plan with an open change', async () => {
    await change('open', 'workspace-suite-idle', 'UNKNOWN')
    const ids = await idsOf()
    expect([ids.includes(IDLE), ids.includes('change:open')]).toEqual([false, true])
  })

  test('omits changes with a successor and acknowledged changes', async () => {
    await change('better', 'workspace-suite-b', 'APPLIED', 1)
    await db.sql(
      customer,
      `UPDATE license_changes SET acknowledged_at = now(), acknowledged_by_kind = 'key', acknowledged_by_id = 'K',
         acknowledged_by_name = 'K' WHERE id = 'unclear'`,
    )
    expect((await idsOf()).filter((id) => id.startsWith('change:'))).toEqual([])
  })

  test('takes few statements, however much there is', async () => {
    const key = await addKey(customer, ['admin'])
    const headers = { Authorization: `Bearer ${key}` }
    const sent = await sentBy(async () => {
      const answer = await needs.GET(new Request('http://console.example/billing/v1/needs', { headers }))
      expect(answer.status).toBe(200)
    })
    const needQueries = sent.filter(
      ({ text }) => !/api_keys|look.ups|limit_windows|current_user AS login/.test(text),
    )
    // Seven of facts; and of the one platform with a recent invoice its known licenses, and that invoice itself.
    expect(needQueries.length).toBeLessThanOrEqual(11)
  })
})

describe('a member dismisses a line', () => {
  test('in their own list only, and gets the line back when its figures change', async () => {
    const [ana, ben] = [await member('admin'), await member('admin')]
    const version = await versionOf(DEBT)
    expect((await dismiss(ana, DEBT, version)).body).toMatchObject({ id: DEBT, isDismissed: true })
    const seen = async (cookie: string) => {
      const { count, needs: items } = await list({ cookie })
      return [count, items.find(({ id }) => id === DEBT)?.isDismissed]
    }
    expect([await seen(ana), await seen(ben)]).toEqual([
      [7, true],
      [8, false],
    ])
    expect((await restore(ana, DEBT)).body).toMatchObject({ isDismissed: false })
    expect((await restore(ana, DEBT)).status).toBe(200)
    expect(await seen(ana)).toEqual([8, false])
    await dismiss(ana, DEBT, version)
    await db.sql(customer, "UPDATE invoices SET balance_amount = 9.99 WHERE id = 'IN-1'")
    expect(await seen(ana)).toEqual([8, false])
  })

  test('repeatedly or in parallel with one effect', async () => {
    const ana = await member('admin')
    const version = await versionOf(IDLE)
    const answers = await Promise.all(Array.from({ length: 6 }, () => dismiss(ana, IDLE, version)))
    expect(answers.map(({ status, body }) => [status, body.isDismissed])).toEqual(Array(6).fill([200, true]))
    expect(await db.sql(customer, 'SELECT need_id FROM need_dismissals')).toEqual([{ need_id: IDLE }])
  })

  test('by version: a line changed in the meantime stays', async () => {
    const ana = await member('admin')
    const version = await versionOf(IDLE)
    await db.sql(customer, "UPDATE assets SET seats_assigned = 80 WHERE id = 'workspace-suite-idle'")
    const { status, body } = await dismiss(ana, IDLE, version)
    expect([status, body.isDismissed, body.idle.count]).toEqual([200, false, 20])
  })

  test('only where the line is in the member’s list, and only as a member', async () => {
    const [it, version] = [await member('it-manager'), await versionOf(DEBT)]
    for (const id of [DEBT, 'past-due:USD:nobodys', 'idle:workspace-suite-full', 'x'])
      expect([id, (await dismiss(it, id, version)).status, (await restore(it, id)).status]).toEqual([
        id,
        404,
        404,
      ])
    const byKey = await callApi(dismissal.PUT, `needs/${encodeURIComponent(DEBT)}/dismissal`, 'PUT', {
      body: { version },
    })
    expect([byKey.status, byKey.body.code]).toEqual([403, 'permission_denied'])
    expect(await db.sql(customer, 'SELECT FROM need_dismissals')).toEqual([])
  })

  test.each<[string, unknown]>([
    ['no version', undefined],
    ['a number', 1],
    ['another text', 'x'],
    ['a text that is too long', '0'.repeat(33)],
  ])('A dismissal with %s is rejected', async (_, version) => {
    expect((await dismiss(await member('admin'), DEBT, version)).status).toBe(400)
  })

  test('A dismissal from another site or of a closed customer is rejected', async () => {
    const ana = await member('admin')
    const version = await versionOf(DEBT)
    const request = new Request(
      `http://console.example/billing/v1/needs/${encodeURIComponent(DEBT)}/dismissal`,
      {
        method: 'PUT',
        headers: { Cookie: ana, 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'application/json' },
        body: JSON.stringify({ version }),
      },
    )
    expect((await dismissal.PUT(request)).status).toBe(403)
    await run(
      db.url,
      `SET console.operated = '${customer}';
       UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${customer}'`,
    )
    expect((await list({ cookie: ana })).count).toBe(8)
    const closed = await dismiss(ana, DEBT, version)
    expect([closed.status, closed.body.code]).toEqual([403, 'customer_closed'])
    expect(await db.sql(customer, 'SELECT FROM need_dismissals')).toEqual([])
  })
})
