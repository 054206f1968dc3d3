import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { addEvent } from '#lib/platform/history/test-rows.ts'
import { exportAuditEvents, listAuditEvents } from './operations.ts'
import { readPeople } from './people.ts'

let db: TestDatabase
const keys = { admin: '', it: '', finance: '', other: '' }
const at = (day: number) => new Date(Date.UTC(2026, 4, day, 12))
beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('birch')
  keys.admin = await addKey('northwind', ['admin'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.other = await addKey('birch', ['admin'])
  await addEvent('northwind', { at: at(1), action: 'session.opened', subject: 'M1' })
  await addEvent('northwind', { at: at(2), action: 'key.issued', subject: 'K1', actor: OPERATOR })
  await addEvent('northwind', { at: at(3), action: 'sign-in.failed', subject: 'M1' })
  await addEvent('northwind', {
    at: at(4),
    action: 'license-change.applied',
    subject: 'C1',
    details: { to: 5, assetId: 'A1' },
  })
  await addEvent('birch', { at: at(5), subject: 'of birch', details: { name: '=cmd|x' } })
})
afterAll(() => db.close())

type CallOptions = { key?: string; format?: 'json' | 'csv' }

async function callApi(search = '', { key = keys.admin, format = 'json' }: CallOptions = {}) {
  const operation = format === 'csv' ? exportAuditEvents : listAuditEvents
  const url = `http://localhost/billing/v1/audit-events?${search}`
  const headers = new Headers(key ? { authorization: `Bearer ${key}` } : {})
  const response = await route(operation as typeof listAuditEvents).GET(new Request(url, { headers }))
  const text = await response.text()
  return { status: response.status, text, json: format === 'json' ? JSON.parse(text) : undefined }
}
const subjects = async (search: string, key?: string) =>
  (
    await callApi(`${search}${search ? '&' : ''}maxCreationTime=1780000000`, { key: key ?? keys.admin })
  ).json.auditEvents.map(({ subject }: { subject: string }) => subject)

describe('the audit log', () => {
  it('lists events newest first, each with its actor and address', async () => {
    expect(await subjects('')).toEqual(['C1', 'M1', 'K1', 'M1'])
    const [newest] = (await callApi('filter=subject:C1')).json.auditEvents
    expect(newest).toMatchObject({
      place: 4,
      createTime: at(4).getTime(),
      actor: { kind: 'member', id: 'M1', name: 'Ana Ruiz' },
      address: '192.0.2.7',
      device: 'Firefox on macOS',
      details: { to: 5, assetId: 'A1' },
    })
    const [byOperator] = (await callApi('filter=subject:K1')).json.auditEvents
    expect(byOperator.actor).toEqual({ kind: 'operator', id: 'operator', name: 'Operator' })
  })

  it.each([
    ['filter=kind:sign-ins', ['M1', 'M1']],
    ['filter=kind:refused', ['M1']],
    ['filter=kind:LICENSES|access', ['C1', 'K1']],
    ['filter=kind:sign-ins|action:session.opened', ['M1']],
    ['filter=actor:operator', ['K1']],
    ['filter=subject:C1|K1', ['C1', 'K1']],
    ['filter=asset:A1|M1', ['C1', 'M1', 'M1']],
    ['filter=kind:notices', []],
    [`minCreationTime=${at(2).getTime() / 1000}`, ['C1', 'M1', 'K1']],
    ['maxCreationTime=0&minCreationTime=5', []],
  ])('filters events by %s', async (search, expected) => {
    const matches = search.includes('maxCreationTime')
      ? (await callApi(search)).json.auditEvents
      : await subjects(search)
    expect(matches).toEqual(expected)
  })

  it('offers the actors of its newest events, by name', async () => {
    const { actors, names } = await readPeople({ customerId: newCustomerId('northwind') }, [])
    expect(actors.map(({ name }) => name)).toEqual(expect.arrayContaining(['Ana Ruiz', 'Operator']))
    expect(actors.map(({ name }) => name)).toEqual(actors.map(({ name }) => name).toSorted())
    expect(names).toEqual({})
  })

  it('pages by key in both directions', async () => {
    const page = async (token?: string) =>
      (await callApi(`maxResults=3&maxCreationTime=1780000000${token ? `&pageToken=${token}` : ''}`)).json
    const first = await page()
    expect(first).toMatchObject({ rowCount: 3, pageToken: expect.any(String) })
    const second = await page(first.pageToken)
    expect(second.auditEvents.map(({ subject }: { subject: string }) => subject)).toEqual(['M1'])
    expect(second.pageToken).toBeUndefined()
    expect(await page(second.previousPageToken)).toEqual(first)
  })

  it('exports CSV with spreadsheet formulas disarmed (CSV injection)', async () => {
    const { text } = await callApi('maxCreationTime=1780000000', { key: keys.other, format: 'csv' })
    const [header, line, end] = text.split('\r\n')
    expect(header).toMatch(/^\uFEFF?time,action,subject,/)
    expect(line).toContain('2026-05-05T12:00:00.000Z,key.revoked,of birch')
    expect(end).toBe('')
    expect(text).not.toMatch(/(^|[,;\n])=/)
  })
})

describe('the audit log is readable by Admins only', () => {
  it.each(['json', 'csv'] as const)('as %s', async (format) => {
    for (const key of [keys.it, keys.finance]) {
      const { status, text } = await callApi('', { key, format: format === 'csv' ? 'csv' : 'json' })
      expect([status, text]).toEqual([403, expect.stringContaining('Audit Viewer')])
    }
    expect((await callApi('', { key: '', format })).status).toBe(401)
    expect((await callApi('', { key: `lic_${'a'.repeat(36)}`, format })).status).toBe(401)
  })
})

it.each([
  'filter=kind:weather',
  'filter=when:now',
  'filter=',
  'maxResults=0',
  'minCreationTime=soon',
  'minCreationTime=-1',
  'pageToken=x',
  'pageToken=',
  `pageToken=${Buffer.from('["older","0123456789abcdef",["1","x"]]').toString('base64url')}`,
  'filter=actor:%00',
])('%s is rejected with the wrong parameter', async (search) => {
  const { status, json } = await callApi(search)
  expect(status).toBe(400)
  expect(json.errors[0].parameter).toBe(search.split('=')[0])
})

describe('two independent mechanisms isolate customers', () => {
  const token = async (key: string) => (await callApi('maxResults=1', { key })).json.pageToken
  it('row-level security and the customer in each statement', async () => {
    expect(await subjects('', keys.other)).toEqual(['of birch'])
    expect(await subjects('filter=subject:C1', keys.other)).toEqual([])
    expect(await db.sql('birch', 'SELECT subject FROM audit_events WHERE subject = $1', ['C1'])).toEqual([])
  })

  it('a statement names its customer even without row-level security', async () => {
    const tables = ['audit_events', 'audit_chain']
    for (const table of tables) await run(db.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      expect(await subjects('', keys.other)).toEqual(['of birch'])
      const { text } = await callApi('maxCreationTime=1780000000', { key: keys.other, format: 'csv' })
      expect(text).not.toContain('C1')
      expect(
        (await callApi(`maxResults=1&pageToken=${await token(keys.admin)}`, { key: keys.other })).text,
      ).not.toContain('C1')
      // Row-level security was really disabled.
      expect(await db.sql('birch', "SELECT FROM audit_events WHERE subject = 'C1'")).toHaveLength(1)
    } finally {
      for (const table of tables) await run(db.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })
})
