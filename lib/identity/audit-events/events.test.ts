import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import { changePassword } from '#lib/identity/access/operations.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { type BrowserClient, signIn } from '#lib/identity/access/sign-in.ts'
import { signOut } from '#lib/identity/access/sign-ins/session-life.ts'
import { exportAssets, listAssets } from '#lib/licenses/assets/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { drainAnonymousRejections, recordRepetitions } from '#lib/platform/history/requests.ts'
import { onMeasured, runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { persistAnonymousRejections } from '#lib/server/audit/anonymous-rejections.ts'

// Requests that leave an audit event, and requests that leave none.

let db: TestDatabase
let customer: string
let key: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
  key = await addKey(customer, ['it-manager'], { name: 'nightly' })
})

const events = () =>
  db.sql(
    customer,
    `SELECT action, subject, actor_kind AS kind, actor_name AS name, address, agent, session, details
     FROM audit_events ORDER BY id`,
  )
const CONTEXT = { requestId: 'request-1', address: '192.0.2.9', agent: 'curl/8' }

/** Calls an operation with the headers that the HTTP server adds. */
function callApi(
  handler: Parameters<typeof route>[0],
  path: string,
  options: { method?: string; key?: string; body?: object } = {},
) {
  const { method = 'GET' } = options
  const headers = {
    authorization: `Bearer ${options.key ?? key}`,
    'request-id': 'request-1',
    ...(options.body ? { 'Content-Type': 'application/json' } : {}),
  }
  const body = options.body ? JSON.stringify(options.body) : null
  const request = new Request(`http://localhost${path}`, { method, headers, body })
  return runWithRequestContext(CONTEXT, () => route(handler)[method as 'GET'](request))
}

describe('an export', () => {
  test('is recorded before its first byte, with caller, address and selection', async () => {
    await addAsset(customer, 'cloud-platform-1', null)
    const response = await callApi(exportAssets, '/billing/v1/assets.csv?search=acme')
    expect(await events()).toEqual([
      {
        action: 'export.begun',
        subject: '/billing/v1/assets.csv',
        kind: 'key',
        name: 'nightly',
        address: '192.0.2.9',
        agent: 'curl/8',
        session: null,
        details: { call: 'exportAssets', query: 'search=acme' },
      },
    ])
    expect(await response.text()).toContain('id,type')
  })

  test('does not start without its audit event', async () => {
    await run(db.url, 'REVOKE INSERT ON audit_chain FROM console_app')
    try {
      const response = await callApi(exportAssets, '/billing/v1/assets.csv')
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('id,type')
    } finally {
      await run(db.url, 'GRANT INSERT ON audit_chain TO console_app')
    }
    expect(await events()).toEqual([])
  })

  test('leaves no event when it is not sent, and neither does a read', async () => {
    const finance = await addKey(customer, ['finance-user'])
    await callApi(exportAssets, '/billing/v1/assets.csv', { method: 'HEAD' })
    await callApi(readInvoiceFile, '/billing/v1/invoices/none/file', { key: finance })
    await callApi(listAssets, '/billing/v1/assets')
    expect(await events()).toEqual([])
  })
})

describe('a rejection', () => {
  test('is recorded once a minute for a known caller, however often it is repeated', async () => {
    const finance = await addKey(customer, ['finance-user'], { name: 'books' })
    const answers = await Promise.all(
      [1, 2, 3].map(() => callApi(listAssets, '/billing/v1/assets', { key: finance })),
    )
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    const [denied, ...others] = await events()
    expect(others).toEqual([])
    expect(denied).toMatchObject({
      action: 'access.denied',
      subject: 'listAssets',
      name: 'books',
      details: { code: 'permission_denied', permission: 'Licenses Manager', path: '/billing/v1/assets' },
    })
  })

  test('is recorded with the number, the times and the reasons of its repetitions, after the minute or at the end', async () => {
    const finance = await addKey(customer, ['finance-user'], { name: 'books' })
    const reject = () => callApi(listAssets, '/billing/v1/assets', { key: finance })
    for (let n = 0; n < 4; n++) await reject()
    await recordRepetitions()
    expect(await events()).toHaveLength(1)
    const began = Date.now()
    await recordRepetitions({ isAll: true })
    const [, repeated, ...others] = await events()
    expect(others).toEqual([])
    expect(repeated).toMatchObject({
      action: 'access.denied',
      subject: 'listAssets',
      details: { count: 3, reasons: ['permission_denied'], permission: 'Licenses Manager' },
    })
    const { since, until } = (repeated as { details: Record<string, string> }).details
    expect([Date.parse(since ?? '') <= Date.parse(until ?? ''), Date.parse(until ?? '') <= began]).toEqual([
      true,
      true,
    ])
    await recordRepetitions({ isAll: true })
    expect(await events()).toHaveLength(2)
    // A rejection after the repeated event is recorded immediately again.
    await reject()
    expect(await events()).toHaveLength(3)
  })

  test('is sent even where its event cannot be stored', async () => {
    const finance = await addKey(customer, ['finance-user'])
    await run(db.url, 'REVOKE INSERT ON audit_chain FROM console_app')
    const { status } = await callApi(listAssets, '/billing/v1/assets', { key: finance })
    await run(db.url, 'GRANT INSERT ON audit_chain TO console_app')
    expect(status).toBe(403)
  })

  test('is recorded as well where the operation itself rejects', async () => {
    const body = { currentPassword: 'a long password', newPassword: 'another long password' }
    const { status } = await callApi(changePassword, '/auth/v1/password', { method: 'PUT', body })
    expect(status).toBe(403)
    expect(await events()).toMatchObject([
      {
        action: 'access.denied',
        subject: 'changePassword',
        name: 'nightly',
        details: { code: 'permission_denied' },
      },
    ])
  })

  test('is recorded once a minute for each limit, and counted each time', async () => {
    const hit: string[] = []
    onMeasured('limit', ({ limit }) => hit.push(limit))
    await db.sql(customer, 'INSERT INTO customer_limits (customer_id, exports) VALUES ($1, 1)', [customer])
    const statuses: number[] = []
    for (let n = 0; n < 4; n++) {
      const answer = await callApi(exportAssets, '/billing/v1/assets.csv')
      await answer.text()
      statuses.push(answer.status)
    }
    // The minute may have ended in between.
    const throttledCount = statuses.filter((status) => status === 429).length
    expect([2, 3]).toContain(throttledCount)
    expect(hit).toEqual(Array(throttledCount).fill('exports'))
    const throttled = (await events()).filter(({ action }) => action === 'access.throttled')
    expect(throttled).toMatchObject([
      { subject: 'exports', kind: 'key', name: 'nightly', address: '192.0.2.9' },
    ])
  })

  test('is counted by minute and kind for an unknown caller', async () => {
    drainAnonymousRejections()
    const wrong = `lic_${'a'.repeat(36)}`
    for (let n = 0; n < 3; n++) {
      expect((await callApi(listAssets, '/billing/v1/assets', { key: wrong })).status).toBe(401)
    }
    await signIn({ email: 'nobody@nowhere.example', password: 'x' }, client)
    await persistAnonymousRejections()
    await callApi(listAssets, '/billing/v1/assets', { key: wrong })
    await persistAnonymousRejections()
    const { rows } = await db.opened.jobs.query(
      'SELECT kind, sum(count)::int AS count FROM refused_strangers GROUP BY kind ORDER BY kind',
    )
    expect(rows).toEqual([
      { kind: 'unknown-account', count: 1 },
      { kind: 'unknown-key', count: 4 },
    ])
    expect(await events()).toEqual([])
  })
})

const client: BrowserClient = { address: '192.0.2.9', userAgent: 'Firefox', cookies: '' }

test('sign-ins, failed sign-ins and sign-outs are recorded', async () => {
  const email = `${customer}@a.example`
  const passwordHash = await hashPassword('a long password')
  const id = await addMember(customer, { roles: ['admin'], name: 'Ana', email, passwordHash })
  const enter = (password: string) =>
    runWithRequestContext(CONTEXT, () => signIn({ email, password }, client))
  await enter('wrong')
  const entered = await enter('a long password')
  if (entered.kind !== 'signed-in') throw new Error('not signed in')
  await runWithRequestContext(CONTEXT, () => signOut(entered.sid))
  const from = { address: '192.0.2.9', agent: 'curl/8', subject: id }
  const member = { ...from, kind: 'member', name: 'Ana', session: expect.stringMatching(/^.{12}$/) }
  // The record of the failure is not awaited, so that the response time is the same for all accounts (timing attack).
  await vi.waitFor(async () => expect(await events()).toHaveLength(3))
  expect(await events()).toEqual(
    expect.arrayContaining([
      {
        ...from,
        action: 'sign-in.failed',
        kind: 'stranger',
        name: 'Somebody',
        session: null,
        details: { account: 'Ana' },
      },
      { ...member, action: 'session.opened', details: {} },
      { ...member, action: 'session.ended', details: { why: 'signed out' } },
    ]),
  )
})
