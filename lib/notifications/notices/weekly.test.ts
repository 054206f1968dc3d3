import { describe, expect, it, test } from 'vitest'
import { cookieOf } from '#lib/identity/access/factors/test-person.ts'
import { noticeLink } from '#lib/identity/access/notice-link.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import * as dismissal from '../../../app/billing/v1/needs/[need_id]/dismissal/route.ts'
import * as needsRoute from '../../../app/billing/v1/needs/route.ts'
import * as mailRoute from '../../../app/billing/v1/needs-mail/route.ts'
import { BASE_URL } from '../../../test/fakes/mail/stage.ts'
import { isWeekly } from './rules.ts'
import { customerId, onStage, stage } from './test-stage.ts'
import { changeNoticeSubscription, readNoticeSubscription } from './unsubscribe.ts'

onStage()

type Route = Record<'GET' | 'PUT', (request: Request) => Promise<Response>>

async function call(
  route: Partial<Route>,
  method: 'GET' | 'PUT',
  path: string,
  { cookie, body }: { cookie: string; body?: object | undefined },
) {
  const request = new Request(`http://console.example/billing/v1/${path}`, {
    method,
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const response = (await route[method]?.(request)) as Response
  return { status: response.status, body: await response.json() }
}

/** Adds a member with these roles and signs them in. */
async function person(name: string, ...roles: Role[]) {
  const email = `${name}@books.example`
  const id = await addMember(customerId, { email, name, roles })
  // Where the console is at https, its cookies have another name.
  const cookie = `__Host-${await cookieOf(await addSession(customerId, id))}`
  const set = (isOn: unknown) => call(mailRoute, 'PUT', 'needs-mail', { cookie, body: { isOn } })
  return { id, email, cookie, set }
}
const events = () =>
  stage.database.sql(
    customerId,
    "SELECT action, details FROM audit_events WHERE action LIKE 'notices.%' ORDER BY id",
  )

/** Adds an invoice that is past due by so much that it stays past due on each day of a test. */
const owe = () => stage.invoice(customerId, 'IN-LATE', -30, { balanceAmount: '4.00' })

describe('the week', () => {
  // 2026-11-16 is a Monday.
  test.each<[string, string, string | null, boolean]>([
    ['2026-11-16', '2026-11-15', null, true],
    ['2026-11-16', '2026-11-16', null, false],
    ['2026-11-22', '2026-11-16', null, false],
    ['2026-11-23', '2026-11-16', null, true],
    ['2026-11-22', '2026-10-01', '2026-11-15', true],
    ['2026-11-22', '2026-10-01', '2026-11-16', false],
    ['2027-01-03', '2026-10-01', '2026-12-28', false],
    ['2027-01-04', '2026-10-01', '2026-12-28', true],
  ])('isWeekly on %s, subscribed since %s and last mailed on %s, is %s', (today, since, lastOn, isSent) => {
    expect(isWeekly({ today, since, lastOn })).toBe(isSent)
  })
})

describe('the weekly mail of needs', () => {
  it('reaches members who subscribed, once a week, with the texts of the console', async () => {
    const [ana, bob] = [await person('ana', 'admin'), await person('bob', 'admin')]
    expect((await ana.set(true)).body).toEqual({ isOn: true, isPossible: true })
    await owe()
    expect(await stage.run(customerId)).toBe(0)
    await stage.passDays(7)
    expect(await stage.run(customerId)).toBe(1)
    const [mail] = stage.taken()
    expect([mail?.to, mail?.headers.subject]).toEqual([[ana.email], `${customerId}: 1 item needs attention`])
    for (const expectedText of [
      `Needs attention at ${customerId}`,
      `* ${customerId}: 4.00 USD`,
      '1 invoice past due · oldest 37 days',
      'Show the invoice',
      `${BASE_URL}/invoices?filter=status:PAST%20DUE%7CbillingProfile:default%7Ccurrency:USD`,
      'Stop “Needs attention, once a week”',
    ])
      expect(mail?.text).toContain(expectedText)
    await stage.passDays(1)
    expect(await stage.run(customerId)).toBe(0)
    await stage.passDays(7)
    expect(await stage.run(customerId)).toBe(1)
    expect(stage.taken().flatMap(({ to }) => to)).not.toContain(bob.email)
  })

  it('is not sent without needs, and omits dismissed and invisible ones', async () => {
    const [ana, ida] = [await person('ana', 'admin'), await person('ida', 'it-manager')]
    await ana.set(true)
    await ida.set(true)
    await stage.passDays(7)
    expect(await stage.run(customerId)).toBe(0)
    await owe()
    const { body } = await call(needsRoute, 'GET', 'needs', { cookie: ana.cookie })
    const [need] = body.needs
    const path = `needs/${encodeURIComponent(need.id)}/dismissal`
    expect(
      (await call(dismissal, 'PUT', path, { cookie: ana.cookie, body: { version: need.version } })).status,
    ).toBe(200)
    expect(await stage.run(customerId)).toBe(0)
    await stage.database.sql(customerId, "UPDATE invoices SET balance_amount = 3 WHERE id = 'IN-LATE'")
    expect(await stage.run(customerId)).toBe(1)
    expect(stage.taken().map(({ to }) => to)).toEqual([[ana.email]])
  })

  it('shares the one mail of the day with other notices', async () => {
    const ana = await person('ana', 'admin')
    await ana.set(true)
    await stage.passDays(7)
    await stage.add(customerId, ana.email)
    await owe()
    expect(await stage.run(customerId)).toBe(1)
    const [mail] = stage.taken()
    expect(mail?.headers.subject).toBe(`${customerId}: 1 invoice past due, 1 item needs attention`)
    expect(mail?.text.indexOf('Needs attention: 1')).toBeLessThan(
      mail?.text.indexOf('Past due: 1 invoice') ?? 0,
    )
    expect(await stage.run(customerId)).toBe(0)
  })

  it('does not reach members who may not sign in or have lost their roles', async () => {
    const [ana, bob] = [await person('ana', 'admin'), await person('bob', 'admin')]
    for (const { set } of [ana, bob]) await set(true)
    await owe()
    await stage.passDays(7)
    await stage.database.sql(customerId, 'UPDATE members SET disabled_at = now() WHERE id = $1', [ana.id])
    await stage.database.sql(customerId, "UPDATE members SET roles = '{}' WHERE id = $1", [bob.id])
    expect(await stage.run(customerId)).toBe(0)
  })

  it('continues until the mail’s link or the member stops it; each step is one event', async () => {
    const ana = await person('ana', 'admin')
    await Promise.all([ana.set(true), ana.set(true), ana.set(true)])
    await owe()
    await stage.passDays(7)
    const [recipient] = await stage.database.sql(customerId, 'SELECT id FROM notice_recipients')
    const link = noticeLink({
      customerId: newCustomerId(customerId),
      recipientId: String(recipient?.id),
      notice: 'needs',
    })
    expect(await readNoticeSubscription(link)).toMatchObject({ notices: [{ notice: 'needs', isOn: true }] })
    expect(await changeNoticeSubscription(link, 'stop', undefined, 'r')).toBe(true)
    expect(await stage.run(customerId)).toBe(0)
    expect((await call(mailRoute, 'GET', 'needs-mail', { cookie: ana.cookie })).body.isOn).toBe(false)
    expect((await ana.set(true)).body.isOn).toBe(true)
    expect((await ana.set(false)).body.isOn).toBe(false)
    expect((await ana.set(false)).status).toBe(200)
    const details = { notices: ['needs'] }
    expect(await events()).toEqual(
      ['started', 'stopped', 'started', 'stopped'].map((what) => ({ action: `notices.${what}`, details })),
    )
    expect(await stage.run(customerId)).toBe(0)
  })

  it('clears the reason why an earlier mail failed when a member starts it again', async () => {
    const ana = await person('ana', 'admin')
    await ana.set(true)
    const failed = "UPDATE notice_recipients SET failure = '550 No such user', failed_at = now()"
    await stage.database.sql(customerId, failed)
    await ana.set(false)
    await ana.set(true)
    const reasons = await stage.database.sql(
      customerId,
      'SELECT failure, failed_at AS "at" FROM notice_recipients',
    )
    expect(reasons).toEqual([{ failure: null, at: null }])
  })

  it('is set by a member with a valid request only', async () => {
    const ana = await person('ana', 'admin')
    for (const isOn of [undefined, 'yes', 1]) expect((await ana.set(isOn)).status).toBe(400)
    const headers = { Authorization: `Bearer ${await addKey(customerId, ['admin'])}` }
    const answer = await mailRoute.GET(
      new Request('http://console.example/billing/v1/needs-mail', { headers }),
    )
    expect(answer.status).toBe(403)
  })
})
