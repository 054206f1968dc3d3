import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
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
import { log } from '#lib/platform/runtime/log.ts'
import { registerLeaks } from '#lib/server/leaks.ts'
import * as leaked from '../../../app/auth/v1/leaked-keys/route.ts'
import * as feed from '../../../app/billing/v1/renewal-feed/route.ts'
import * as calendar from '../../../app/calendar/[secret]/route.ts'
import { newFeedSecret } from './secrets.ts'

let db: TestDatabase
let customer: string
let member: string
let headers: Record<string, string>
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-23' })
})
afterAll(() => db.close())

const commitmentEnd = new Date('2026-12-03T00:00:00Z')
const plan = { purchased: 120, assigned: 100, isCommitmentPlan: true, commitmentEnd }

beforeEach(async () => {
  customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  await addAsset(customer, 'workspace-suite-1', plan, { name: 'Business Plus', renewalType: 'AUTO_RENEW' })
  const invoice = { platform: 'workspace-suite', invoiceDate: '2026-10-31', billingProfileId: 'emea' }
  await addInvoice(customer, 'IN-OCT', invoice, [
    { description: 'Business Plus', price: '18', qty: '120', details: '1 Oct – 31 Oct 2026' },
  ])
  ;[member, headers] = await signedIn(['admin'])
})

async function signedIn(
  roles: Role[],
  overrides = {},
): Promise<[id: string, headers: Record<string, string>]> {
  const id = await addMember(customer, { roles, ...overrides })
  return [id, { Cookie: await cookieOf(await addSession(customer, id)), 'Sec-Fetch-Site': 'same-origin' }]
}

const handlers = { GET: feed.GET, POST: feed.POST, DELETE: feed.DELETE }
const PATH = 'http://console.example/billing/v1/renewal-feed'
async function request(
  method: 'GET' | 'POST' | 'DELETE',
  requestHeaders = headers,
  body: string | undefined = '{}',
) {
  const json = { ...requestHeaders, 'Content-Type': 'application/json' }
  const init = { method, headers: json, ...(method === 'GET' ? {} : { body }) }
  const response = await handlers[method](new Request(PATH, init))
  return { status: response.status, headers: response.headers, json: await response.json() }
}
const pathOf = (url: string) => new URL(url).pathname
const make = async (requestHeaders = headers) => pathOf((await request('POST', requestHeaders)).json.url)
const read = async (path: string, overrides = {}) => {
  const response = await calendar.GET(new Request(`http://console.example${path}`, { headers: overrides }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const events = () =>
  db.sql(
    customer,
    "SELECT action, subject, actor_id, details FROM audit_events WHERE action LIKE 'calendar-feed.%' ORDER BY id",
  )
const set = (text: string, ...values: unknown[]) => db.sql(customer, text, values)

describe('a link', () => {
  test('is created, read, described, replaced and revoked', async () => {
    expect((await request('GET')).json).toEqual({ isOn: false })
    const made = await request('POST')
    expect(made.headers.get('cache-control')).toBe('no-store')
    const [first, secret] = [pathOf(made.json.url), /cal_\w{36}/.exec(made.json.url)?.[0] ?? '']
    expect(made.json.feed).toMatchObject({ isOn: true, hint: `cal_…${secret.slice(-4)}` })
    const { status, headers: sent, text } = await read(first)
    expect([status, sent.get('content-type'), sent.get('cache-control')]).toEqual([
      200,
      'text/calendar; charset=utf-8',
      'no-store',
    ])
    expect(text).toContain('SUMMARY:Business Plus: Renews\\, 120 licenses')
    expect((await read(first.replace('.ics', ''))).text).toBe(text)
    const response = await request('GET')
    expect(response.json).toMatchObject({ isOn: true, lastReadTime: expect.any(Number) })
    expect(JSON.stringify(response.json)).not.toContain(secret)
    const second = await make()
    expect((await read(first)).status).toBe(404)
    expect((await read(second)).status).toBe(200)
    expect((await request('DELETE')).json).toEqual({ isOn: false })
    expect((await read(second)).status).toBe(404)
    expect((await request('DELETE')).json).toEqual({ isOn: false })
    expect((await events()).map(({ action, subject, actor_id }) => [action, subject, actor_id])).toEqual([
      ['calendar-feed.made', member, member],
      ['calendar-feed.made', member, member],
      ['calendar-feed.revoked', member, member],
    ])
    expect((await events())[1]?.details).toMatchObject({ replaced: `cal_…${secret.slice(-4)}` })
  })

  test('is stored as a digest only: rows and events do not contain its secret', async () => {
    const secret = /cal_\w{36}/.exec(await make())?.[0] ?? ''
    const rows = await Promise.all([
      set('SELECT member_id, last_four, made_at, last_read_at FROM calendar_feeds'),
      set('SELECT * FROM audit_events'),
    ])
    expect(JSON.stringify(rows)).not.toContain(secret)
    await expect(set('SELECT digest FROM calendar_feeds')).rejects.toMatchObject({ code: '42501' })
  })

  test('does not appear in the log', async () => {
    const path = await make()
    const lines = vi.spyOn(log(), 'info')
    await read(path)
    await read('/calendar/cal_nothing')
    const logged = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(logged).toContain('/calendar/{secret}')
    expect(logged).not.toMatch(/cal_/)
  })

  test('is created once by parallel requests of one member', async () => {
    const paths = await Promise.all([make(), make()])
    const responses = await Promise.all(paths.map((path) => read(path)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await set('SELECT FROM calendar_feeds')).toHaveLength(1)
  })
})

describe('creating a link', () => {
  test('is rejected for API keys of any role, which see no link either', async () => {
    const byKey = { Authorization: `Bearer ${await addKey(customer, ['admin'], { issuedBy: member })}` }
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const { status, json } = await request(method, byKey)
      expect([method, status, json.code]).toEqual([method, 403, 'permission_denied'])
    }
    expect(await set('SELECT FROM calendar_feeds')).toEqual([])
  })

  test('requires a session', async () => {
    expect((await request('POST', {})).status).toBe(401)
    expect((await request('GET', {})).status).toBe(401)
  })

  test('is rejected for Finance Users, who can still revoke a link from an earlier role', async () => {
    const [id, finance] = await signedIn(['it-manager'])
    const path = await make(finance)
    await set("UPDATE members SET roles = '{finance-user}' WHERE id = $1", id)
    expect((await request('POST', finance)).json.code).toBe('permission_denied')
    expect((await read(path)).status).toBe(404)
    expect((await request('DELETE', finance)).json).toEqual({ isOn: false })
  })

  test('requires a recent sign-in', async () => {
    await run(
      db.url,
      `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
       UPDATE sessions SET created_at = created_at - interval '11 minutes', proven_at = NULL WHERE member_id = '${member}';
       ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
    )
    for (const method of ['POST', 'DELETE'] as const)
      expect((await request(method)).json.code).toBe('fresh_sign_in_required')
    expect((await request('GET')).status).toBe(200)
  })

  test('is rejected from another site', async () => {
    const { json } = await request('POST', { ...headers, 'Sec-Fetch-Site': 'cross-site' })
    expect(json.code).toBe('cross_origin')
  })

  test('rejects a body that is not empty', async () => {
    expect((await request('POST', headers, '{"name":"x"}')).json.code).toBe('invalid_request')
    expect(await set('SELECT FROM calendar_feeds')).toEqual([])
  })
})

describe('a link ends', () => {
  const ENDS: Record<string, () => Promise<unknown>> = {
    'with its member disabled': () => set('UPDATE members SET disabled_at = now() WHERE id = $1', member),
    'with its member taken away': () =>
      set('UPDATE members SET disabled_at = now(), removed_at = now() WHERE id = $1', member),
    'with their last role': () => set("UPDATE members SET roles = '{}' WHERE id = $1", member),
    'with their role on licenses': () =>
      set("UPDATE members SET roles = '{finance-user}' WHERE id = $1", member),
    'with the customer closed': () =>
      run(
        db.url,
        'ALTER TABLE customers DISABLE ROW LEVEL SECURITY',
        `UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${customer}'`,
        'ALTER TABLE customers ENABLE ROW LEVEL SECURITY',
      ),
  }
  test.each(Object.keys(ENDS))('%s', async (how) => {
    const path = await make()
    expect((await read(path)).status).toBe(200)
    await ENDS[how]?.()
    const { status, text } = await read(path)
    expect([status, text.includes('Business Plus')]).toEqual([404, false])
  })

  test('for a disabled member, and works again once the member is enabled', async () => {
    const path = await make()
    await set('UPDATE members SET disabled_at = now() WHERE id = $1', member)
    await set('UPDATE members SET disabled_at = NULL WHERE id = $1', member)
    expect((await read(path)).status).toBe(200)
  })

  test('An invalid, revoked or unknown link is answered with the same 404', async () => {
    const former = await make()
    await request('DELETE')
    const answers = await Promise.all(
      [
        former,
        `/calendar/${newFeedSecret()}`,
        `/calendar/${newFeedSecret()}.ics`,
        '/calendar/x',
        '/calendar/%20',
      ].map(async (path) => {
        const { status, headers: sent, text } = await read(path, { 'Request-Id': 'always-the-same' })
        return { status, text, type: sent.get('content-type'), cacheControl: sent.get('cache-control') }
      }),
    )
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 404, cacheControl: 'no-store' })
  })

  test('A guessed secret of the wrong format costs no statement', async () => {
    const sent = await sentBy(async () => {
      await read('/calendar/cal_0123456789012345678901234567890123456789')
      await read('/calendar/nothing.ics')
    })
    expect(sent).toEqual([])
  })
})

test('A reported link is revoked, but not the new link that its member created in the meantime', async () => {
  const path = await make()
  const [secret = ''] = /cal_\w{36}/.exec(path) ?? []
  const report = async (token: string) => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ token }]),
    }
    registerLeaks()
    const { status } = await leaked.POST(new Request('http://console.example/auth/v1/leaked-keys', init))
    expect(status).toBe(200)
  }
  await report(newFeedSecret())
  expect((await read(path)).status).toBe(200)
  await report(secret)
  expect((await read(path)).status).toBe(404)
  expect((await request('GET')).json).toEqual({ isOn: false })
  expect((await events()).map(({ action }) => action)).toEqual(['calendar-feed.made', 'calendar-feed.leaked'])
  const next = await make()
  await report(secret)
  expect((await read(next)).status).toBe(200)
})

describe('a link shows the data that its member may see at that time', () => {
  test('with prices while the member sees prices', async () => {
    const [id, it] = await signedIn(['it-manager'])
    const path = await make(it)
    expect((await read(path)).text).toContain('USD a month at the last price')
    await set('UPDATE customers SET hides_prices = true WHERE id = $1', customer)
    const hidden = await read(path)
    expect([hidden.status, /USD|price/.test(hidden.text)]).toEqual([200, false])
    expect(hidden.text).toContain('Business Plus')
    await set("UPDATE members SET roles = '{it-manager,finance-user}' WHERE id = $1", id)
    expect((await read(path)).text).toContain('USD')
    await set("UPDATE members SET billing_profiles = '{default}' WHERE id = $1", id)
    expect((await read(path)).text).not.toContain('USD')
  })

  test('never of another customer, with either wall on its own', async () => {
    const path = await make()
    const mine = customer
    customer = await addNewCustomer()
    await addAsset(customer, 'workspace-suite-other', plan, { name: 'Foreign Product' })
    const [, theirs] = await signedIn(['admin'])
    const their = await make(theirs)
    customer = mine
    const tables = ['assets', 'calendar_feeds', 'customers', 'invoices', 'line_items', 'members']
    const each = (what: string) => tables.map((table) => `ALTER TABLE ${table} ${what} ROW LEVEL SECURITY`)
    expect((await read(path)).text).not.toContain('Foreign')
    expect((await read(their)).text).toContain('Foreign')
    await run(db.url, ...each('DISABLE'))
    try {
      expect((await read(path)).text).not.toContain('Foreign')
      await request('DELETE')
      expect((await read(their)).status).toBe(200)
    } finally {
      await run(db.url, ...each('ENABLE'))
    }
    await set('DELETE FROM calendar_feeds')
    expect((await read(their)).status).toBe(200)
  })
})

test('One link is rate-limited per minute, without affecting others', async () => {
  const path = await make()
  const [, others] = await signedIn(['it-manager'])
  const other = await make(others)
  const answers = []
  for (let time = 0; time < 11; time++) answers.push(await read(path))
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
  expect(Number(answers[10]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await read(other)).status).toBe(200)
})
