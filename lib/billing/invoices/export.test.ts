import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
  callerOf,
} from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addDays, dayOf } from '#lib/platform/values/days.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Invoice, InvoiceWithLines } from './contract.ts'
import { exportInvoices, listInvoices, readInvoice } from './operations.ts'

type Row = Record<string, string>
const MANY = 2345
const TODAY = '2026-11-20'
const day = (offset: number) => addDays(TODAY, offset)
let database: TestDatabase
const keys = { finance: '', emea: '', it: '', eve: '', many: '' }

beforeAll(async () => {
  // The name of a file is of the server's day.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(TODAY) })
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind', 'eastwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  const add = (id: string, ...args: [Parameters<typeof addInvoice>[2]?, Parameters<typeof addInvoice>[3]?]) =>
    addInvoice('northwind', id, ...args)
  const overdue = { invoiceDate: '2026-09-30', dueDate: day(-1) }
  await add(
    '=HYPERLINK("http://evil.example")',
    { issuer: '@SUM(1+9)*cmd', invoiceDate: '2026-12-31', dueDate: '2027-01-01' },
    [
      { description: "=cmd|' /C calc'!A0", details: '\tx;=1+1', price: '-12.5', qty: '2' },
      { description: '-1+2, "quoted"\r\n+3', details: '＝1', price: '35' },
      { description: 'é 請求書', price: '0.0000125', qty: '0.5' },
    ],
  )
  await add('IN-1', { ...overdue, platform: 'web-services', totalAmount: '100.10', balanceAmount: '0.10' })
  await add('IN-2', { ...overdue, dueDate: day(0), totalAmount: '200.2', balanceAmount: '200.20' })
  await add('IN-JPY', { ...overdue, currency: 'JPY', totalAmount: '85300', balanceAmount: '0' }, [
    { price: '85300' },
  ])
  await add('IN-KWD', { ...overdue, currency: 'KWD', totalAmount: '7.5', balanceAmount: '7.125' }, [
    { price: '1.2345', qty: '3' },
    { price: '3.7965' },
  ])
  await add('CN-3', { ...overdue, currency: 'EUR', totalAmount: '-50.55', balanceAmount: '-50.55' }, [
    { price: '-50.55' },
  ])
  await add('EMEA', {
    billingProfileId: 'emea',
    invoiceDate: '2026-10-31',
    dueDate: day(9),
    totalAmount: '0.3',
  })
  await addInvoice('southwind', 'IN-9', {})
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.eve = await addKey('southwind', ['admin'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(async () => {
  vi.useRealTimers()
  await database.close()
})
afterEach(() => vi.unstubAllEnvs())

function request(search = '', { key = keys.finance, method = 'GET' as 'GET' | 'HEAD' | 'PATCH' } = {}) {
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  const url = `http://console.example/billing/v1/invoices.csv?${search}`
  return route(exportInvoices)[method](new Request(url, { method, headers }))
}
const parsed = (text: string): Row[] => parse(text, { bom: true, columns: true, record_delimiter: '\r\n' })
const rows = async (search?: string, key?: string) =>
  parsed(await (await request(search, key ? { key } : {})).text())
const idsOf = (exported: Row[]) => exported.map(({ id }) => id)
/** A cell that would be a formula has an apostrophe that JSON has not. */
const armed = (text = '') => text.replaceAll(/(^|[;\t\r\n])'(?=[=+\-@＝\t])/g, '$1')

async function listed(search: string, key = keys.finance): Promise<Invoice[]> {
  const url = `http://console.example/billing/v1/invoices?maxResults=250&${search}`
  const response = await route(listInvoices).GET(
    new Request(url, { headers: { Authorization: `Bearer ${key}` } }),
  )
  return (await response.json()).invoices
}

const SELECTIONS = [
  '',
  'filter=platform:web-services',
  'filter=status:OPEN|PAST%20DUE',
  'filter=status:PAID|platform:cloud-platform',
  'search=in-',
  'search=%3D',
  'minCreationTime=1790726400&maxCreationTime=1793404800',
  'filter=platform:none',
  'orderBy=totalAmount',
  'orderBy=balanceAmount%20desc&filter=status:OPEN',
  'orderBy=dueDate%20asc',
]

describe('GET /billing/v1/invoices.csv', () => {
  it.each(SELECTIONS)(
    'has exactly the rows of the list, in the same order, to the minor unit: %s',
    async (search) => {
      const list = await listed(search)
      const exported = await rows(search)
      expect(idsOf(exported).map(armed)).toEqual(list.map(({ id }) => id))
      for (const [index, row] of exported.entries()) {
        const { invoiceDate, dueDate, platform, status, currency, totalAmount, balanceAmount } = list[
          index
        ] as Invoice
        // Credit notes are not payable.
        const due = totalAmount < 0 ? '' : dayOf(dueDate)
        expect([row.invoiceDate, row.dueDate]).toEqual([dayOf(invoiceDate), due])
        expect([row.platform, row.status, row.currency]).toEqual([platform, status, currency])
        for (const [text = '', amount] of [
          [row.totalAmount, totalAmount],
          [row.balanceAmount, balanceAmount],
        ] as const) {
          expect(text).toMatch(/^-?\d+(\.\d+)?$/)
          expect([new Big(text).eq(amount), text.split('.')[1]?.length ?? 0]).toEqual([
            true,
            minorUnit(currency),
          ])
        }
      }
    },
  )

  it('writes each currency with its number of decimals, and a credit as a plain negative number', async () => {
    const exported = new Map((await rows()).map((row) => [row.id, row]))
    expect(['IN-2', 'IN-JPY', 'IN-KWD', 'CN-3'].map((id) => exported.get(id)?.totalAmount)).toEqual([
      '200.20',
      '85300',
      '7.500',
      '-50.55',
    ])
  })

  it('contains with lines each line of each invoice, equal to a read of the invoice', async () => {
    const exported = await rows('lines=true&filter=platform:cloud-platform&orderBy=totalAmount')
    const list = await listed('filter=platform:cloud-platform&orderBy=totalAmount')
    expect([...new Set(idsOf(exported))].map(armed)).toEqual(list.map(({ id }) => id))
    const eve: Caller = await callerOf('northwind', 'finance-user')
    for (const { id, totalAmount } of list) {
      const input = { params: { invoice_id: id }, query: {}, body: undefined }
      const { lineItems } = (await readInvoice(eve, input, { requestId: 'test' })).body as InvoiceWithLines
      const invoiceRows = exported.filter((row) => armed(row.id) === id)
      expect(
        invoiceRows.map((row) => [
          row.line,
          row.lineType,
          armed(row.lineDescription),
          armed(row.lineDetails),
        ]),
      ).toEqual(
        lineItems.map((line, at) => [String(at + 1), line.type, line.description, line.Details ?? '']),
      )
      expect(
        invoiceRows.map((row) => [Number(row.lineQty), Number(row.linePrice), row.lineCurrency]),
      ).toEqual(lineItems.map((line) => [line.qty, line.price, line.currency]))
      expect(new Set(invoiceRows.map((row) => Number(row.totalAmount)))).toEqual(new Set([totalAmount]))
    }
    const amounts = exported.filter((row) => row.id === 'IN-KWD').map((row) => row.lineAmount)
    expect(amounts).toEqual(['3.704', '3.797'])
  })

  it('starts no cell with a formula character, except for negative numbers', async () => {
    for (const search of ['', 'lines=true']) {
      const text = await (await request(search)).text()
      const cells: string[] = parse(text, { bom: true }).flat()
      const formulas = cells.filter((cell) => /^[\p{Z}\p{C}]*[=+\-@\t\r\n＝＋－＠]/u.test(cell))
      expect(formulas.filter((cell) => !/^-\d+(\.\d+)?$/.test(cell))).toEqual([])
      expect(formulas.length).toBeGreaterThan(0)
    }
    const [row] = await rows('lines=true&search=%3D')
    expect([row?.id, row?.lineDescription, row?.lineDetails]).toEqual([
      `'=HYPERLINK("http://evil.example")`,
      `'=cmd|' /C calc'!A0`,
      "'\tx;'=1+1",
    ])
  })

  it('is a download with the date in its name, in UTF-8 with a byte order mark and CRLF', async () => {
    const response = await request()
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(response.headers.get('content-disposition')).toContain(`filename="invoices-${day(0)}.csv"`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(new TextDecoder().decode(bytes).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('contains only the column names if there are no rows', async () => {
    const text = await (await request('filter=platform:none')).text()
    expect(text).toBe(
      'id,invoiceDate,dueDate,platform,status,currency,totalAmount,balanceAmount,billingProfileId,issuer,number,documentState,corrects,billingAccount,periodStart,periodLastDay,typeCode,netAmount,taxAmount,purchaseOrder,buyerReference,costCenter,paymentTerms,sellerCountry,buyerCountry,payableAmount\r\n',
    )
  })

  it.each([
    ['no key', () => '', 401],
    ['another role', () => keys.it, 403],
  ])('rejects %s', async (_, key, status) => {
    expect((await request('', { key: key() })).status).toBe(status)
  })

  it.each([
    ['filter=color:red', 'filter_invalid'],
    ['filter=dueDate:tomorrow', 'filter_invalid'],
    ['minCreationTime=x', 'invalid_request'],
    ['lines=yes', 'invalid_request'],
    ['orderBy=issuer', 'invalid_request'],
  ])('responds with a problem instead of a file: %s', async (search, code) => {
    const response = await request(search)
    expect([response.status, (await response.json()).code]).toEqual([400, code])
  })

  it('contains only the billing profile’s rows for a member of one billing profile', async () => {
    expect(idsOf(await rows('', keys.emea))).toEqual(['EMEA'])
    expect(idsOf(await rows('lines=true', keys.emea))).toEqual(['EMEA'])
  })

  it('contains no rows of another customer, even without row-level security', async () => {
    const tables = ['invoices', 'line_items']
    expect(idsOf(await rows('', keys.eve))).toEqual(['IN-9'])
    for (const table of tables) await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      for (const search of [
        '',
        'lines=true',
        'filter=platform:a|cloud-platform',
        'lines=true&orderBy=totalAmount',
      ])
        expect(idsOf(await rows(search, keys.eve))).toEqual(['IN-9'])
    } finally {
      for (const table of tables) await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })

  it('responds to HEAD without a body, and to PATCH with 405', async () => {
    const response = await request('', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      '',
    ])
    const patch = await request('', { method: 'PATCH' })
    expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each([
    ['Pacific/Kiritimati', -840],
    ['Pacific/Pago_Pago', 660],
  ])('contains the same dates in %s', async (zone, offset) => {
    const usual = await rows('lines=true')
    vi.stubEnv('TZ', zone)
    expect(new Date(2026, 11, 31).getTimezoneOffset()).toBe(offset)
    const there = await rows('lines=true')
    expect(there).toEqual(usual)
    expect([there[0]?.invoiceDate, there[0]?.dueDate]).toEqual(['2026-12-31', '2027-01-01'])
  })
})

describe('A large export', () => {
  beforeAll(async () => {
    const invoices = Array.from({ length: MANY }, (_, index) => ({
      number: `M-${index}`,
      platform: 'web-services',
      issuer: 'Reseller',
      currency: 'USD',
      invoiceDate: day(-(index % 40)),
      dueDate: day(30),
      totalAmount: `${index % 100}.00`,
      lines: Array.from({ length: index === 7 ? 6000 : 1 + (index % 5) }, (_none, at) => ({
        type: 'web-services',
        description: `Line ${at}`,
        price: '1',
        qty: '1',
      })),
    }))
    const eve = await callerOf('eastwind', 'admin')
    await scope(eve, (tx) => importInvoices(tx, eve.customerId, invoices))
    keys.many = await addKey('eastwind', ['finance-user'])
  })

  it.each(['', 'orderBy=totalAmount'])('has each row once, across all its queries (%s)', async (search) => {
    const ids = idsOf(await rows(search, keys.many))
    expect([ids.length, new Set(ids).size]).toEqual([MANY, MANY])
  })

  it('contains each line once', async () => {
    const exported = await rows('lines=true', keys.many)
    const expected = Array.from({ length: MANY }, (_, index) => (index === 7 ? 6000 : 1 + (index % 5)))
    const names = exported.map((row) => `${row.id} ${row.line}`)
    expect([names.length, new Set(names).size]).toEqual(Array(2).fill(expected.reduce((a, b) => a + b)))
  })

  it.each(['', 'lines=true'])(
    'stops the work of the database when the download is aborted (%s)',
    async (search) => {
      const response = await request(search, { key: keys.many })
      const reader = response.body?.getReader()
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
      const { streams } = database.opened
      expect(streams.totalCount - streams.idleCount).toBe(1)
      await reader?.cancel()
      await vi.waitFor(() => expect(streams.totalCount - streams.idleCount).toBe(0))
    },
  )
})
