import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey, addMember, addProfile } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addDays, dayOf } from '#lib/platform/values/days.ts'
import type { Statement, StatementItem } from './contract.ts'
import { exportStatement, readStatement } from './operations.ts'

type Row = Record<string, string>
const MANY = 2345
const TODAY = '2026-11-20'
const day = (offset: number) => addDays(TODAY, offset)
const textOf = (ms: number) => dayOf(ms)
let database: TestDatabase
const keys = { finance: '', emea: '', it: '', eve: '', many: '' }

beforeAll(async () => {
  // The name of a file is of the server's day.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(TODAY) })
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind', 'eastwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  await database.sql('northwind', "UPDATE billing_profiles SET name = '=1+1' WHERE id = 'emea'")
  const overdue = { invoiceDate: day(-50), dueDate: day(-31) }
  const add = (id: string, overrides: Parameters<typeof addInvoice>[2]) =>
    addInvoice('northwind', id, overrides)
  await add('IN-1', { ...overdue, totalAmount: '100.10', balanceAmount: '0.1' })
  await add('IN-2', { invoiceDate: day(-9), dueDate: day(0), totalAmount: '200.2', balanceAmount: '200.20' })
  await add('IN-PAID', { ...overdue, balanceAmount: '0.00' })
  await add('IN-JPY', { ...overdue, currency: 'JPY', totalAmount: '85300', balanceAmount: '85300' })
  await add('IN-KWD', { ...overdue, currency: 'KWD', totalAmount: '7.5', balanceAmount: '7.125' })
  await add('CN-3', { ...overdue, totalAmount: '-50.55', balanceAmount: '-50.55' })
  await add('@SUM(1)', { ...overdue, billingProfileId: 'emea', issuer: '=cmd', platform: '-x' })
  await addInvoice('southwind', 'IN-9', {})
  await database.sql(
    'eastwind',
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
       total_amount, balance_amount)
     SELECT 'eastwind', 'test-party', 'test-party', 'M-' || n, 'M-' || n, 'default', 'web-services', 'Reseller', $1::date - n % 40, $1::date, 'USD', n, n
     FROM generate_series(1, $2::int) AS n`,
    [day(-3), MANY],
  )
  for (const [name, customer, role] of [
    ['finance', 'northwind', 'finance-user'],
    ['it', 'northwind', 'it-manager'],
    ['eve', 'southwind', 'admin'],
    ['many', 'eastwind', 'finance-user'],
  ] as const)
    keys[name] = await addKey(customer, [role])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(async () => {
  vi.useRealTimers()
  await database.close()
})

function request(operation: AnyOperation, search = '', key = keys.finance): Promise<Response> {
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  return route(operation).GET(new Request(`http://console.example/x?${search}`, { headers }))
}
const csv = async (search?: string, key?: string): Promise<Row[]> =>
  parse(await (await request(exportStatement, search, key)).text(), { bom: true, columns: true })
const json = async (search?: string): Promise<Statement> =>
  (await request(readStatement, `maxResults=250&${search}`)).json()
const idsOf = (rows: Row[]) => rows.map(({ id }) => id)

describe('GET /billing/v1/statement.csv', () => {
  it.each([
    '',
    'filter=currency:USD',
    'filter=billingProfile:default|platform:cloud-platform',
    'filter=platform:none',
  ])('has the items of the statement, in the same order: %s', async (search) => {
    const { items, currencies } = await json(search)
    const rows = await csv(search)
    const names = new Map(
      currencies.flatMap((one) => one.billingProfiles.map(({ id, name }) => [id, name] as const)),
    )
    expect(rows.map((row) => ({ ...row, issuer: '' }))).toEqual(
      items.map((item: StatementItem) => ({
        currency: item.currency,
        billingProfileId: item.billingProfileId,
        billingProfileName: (names.get(item.billingProfileId) ?? '').replace(/^=/, "'="),
        id: item.id.replace(/^@/, "'@"),
        invoiceDate: textOf(item.invoiceDate),
        dueDate: item.totalAmount < 0 ? '' : textOf(item.dueDate),
        issuer: '',
        platform: item.platform.replace(/^-/, "'-"),
        status: item.status,
        age: item.age,
        daysPastDue: String(item.daysPastDue),
        totalAmount: expect.any(String),
        balanceAmount: expect.any(String),
        number: item.number.replace(/^@/, "'@"),
        payableAmount: expect.any(String),
      })),
    )
    expect(rows.map((row) => [Number(row.totalAmount), Number(row.balanceAmount)])).toEqual(
      items.map((item) => [item.totalAmount, item.balanceAmount]),
    )
  })

  it('writes each currency with its number of decimals, a credit as a plain negative number, and no formula', async () => {
    const rows = await csv()
    expect(rows.map((row) => [row.id, row.balanceAmount, row.age, row.daysPastDue])).toEqual([
      ['IN-JPY', '85300', 'days31To60', '31'],
      ['IN-KWD', '7.125', 'days31To60', '31'],
      ['CN-3', '-50.55', 'credit', '0'],
      ['IN-1', '0.10', 'days31To60', '31'],
      ['IN-2', '200.20', 'current', '0'],
      ["'@SUM(1)", '10.00', 'days31To60', '31'],
    ])
    const cells = rows.flatMap((row) => Object.values(row)).filter((cell) => /^[=+\-@]/.test(cell))
    expect(cells).toEqual(['-50.55', '-50.55', '-50.55'])
  })

  it('is a download with the date in its name', async () => {
    const { headers } = await request(exportStatement)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).toContain(`filename="statement-${day(0)}.csv"`)
  })

  it('contains each open item once, across all its queries', async () => {
    const ids = idsOf(await csv('', keys.many))
    expect([ids.length, new Set(ids).size]).toEqual([MANY, MANY])
  })
})

describe.each([
  ['JSON', () => readStatement],
  ['CSV', () => exportStatement],
])('The statement as %s', (_, operation) => {
  it.each([
    ['no key', () => '', 401, 'unauthenticated'],
    ['another role', () => keys.it, 403, 'permission_denied'],
  ])('returns an error to %s', async (__, key, status, code) => {
    const response = await request(operation(), '', key())
    expect([response.status, (await response.json()).code]).toEqual([status, code])
  })

  it.each(['color:red', 'status:OPEN', 'billingProfile:', 'currency'])(
    'refuses the filter %s',
    async (filter) => {
      const response = await request(operation(), `filter=${filter}`)
      expect([response.status, (await response.json()).code]).toEqual([400, 'filter_invalid'])
    },
  )

  it('contains only items visible to the caller', async () => {
    expect(await (await request(operation(), '', keys.emea)).text()).not.toContain('IN-')
    await run(database.url, 'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY')
    try {
      for (const search of ['', 'filter=billingProfile:emea|default', 'filter=currency:USD|JPY|KWD']) {
        const text = await (await request(operation(), search, keys.eve)).text()
        expect(text).toContain('IN-9')
        expect(text.match(/\b(IN-\w+|CN-\w+|M-\d+|@SUM)/g)?.filter((id) => id !== 'IN-9') ?? []).toEqual([])
      }
    } finally {
      await run(database.url, 'ALTER TABLE invoices ENABLE ROW LEVEL SECURITY')
    }
  })
})
