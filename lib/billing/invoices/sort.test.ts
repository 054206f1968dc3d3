import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PartialInput } from '#lib/platform/api/client.ts'
import { readInput } from '#lib/platform/api/request.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type Cursor, PAGE_TOKENS, pageToken } from '#lib/platform/lists/paging.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import type { Invoice } from './contract.ts'
import * as contract from './contract.ts'
import { adjacentPageTokens, listInvoices, readInvoice } from './operations.ts'
import { INVOICE_ORDER_KEYS } from './rules.ts'
import { listInvoiceSummaries } from './store.ts'

type Query = NonNullable<PartialInput<typeof contract.listInvoices>['query']>
type Order = NonNullable<Query['orderBy']>
const ORDERS = INVOICE_ORDER_KEYS.flatMap((key): Order[] => [`${key} asc`, `${key} desc`])
const requestMeta = { requestId: 'test-request' }
let database: TestDatabase
let fin: Caller

// Ties in each column; tiny, negative and zero amounts; 15 digits before the point, and more decimals than a cent has.
const DAYS = ['2026-01-31', '2026-02-28', '2026-02-28', '2026-03-31']
const AMOUNTS = [
  '10.00',
  '10',
  '9.99',
  '-50.55',
  '0',
  '0.001',
  '999999999999999',
  '123456789012.34',
  '0.000000123456789',
  '-0.01',
]

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addProfile('northwind', 'emea')
  await addCustomer('southwind')
  await addInvoice('southwind', 'IN-S', { totalAmount: '5' })
  fin = await callerOf('northwind', 'finance-user')
  for (let n = 0; n < 23; n++) await add(`IN-${n}`, n)
})
afterAll(() => database.close())

const add = (id: string, n: number) =>
  addInvoice('northwind', id, {
    invoiceDate: DAYS[n % DAYS.length],
    dueDate: `2026-04-0${1 + ((n * 5) % 7)}`,
    currency: ['USD', 'JPY', 'KWD'][n % 3],
    billingProfileId: n % 4 === 0 ? 'emea' : 'default',
    totalAmount: AMOUNTS[n % AMOUNTS.length],
    balanceAmount: AMOUNTS[(n * 3) % AMOUNTS.length],
  })
const list = async (query: Query, caller = fin) =>
  (await listInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body

/** Sorts by the value, then by the id, both in the same direction: the order expected of the database. */
function sorted(rows: readonly Invoice[], sort: Order): string[] {
  const [by, direction] = sort.split(' ') as [(typeof INVOICE_ORDER_KEYS)[number], string]
  const sign = direction === 'asc' ? 1 : -1
  return rows.toSorted((a, b) => sign * (a[by] - b[by] || (a.id < b.id ? -1 : 1))).map(({ id }) => id)
}

async function walk(query: Query, onPage = async () => {}): Promise<Invoice[][]> {
  const pages: Invoice[][] = []
  for (let pageToken: string | undefined; ; ) {
    const page = await list({ ...query, pageToken })
    pages.push(page.invoices)
    if (!page.pageToken) return pages
    pageToken = page.pageToken
    await onPage()
  }
}

describe.each(ORDERS)('orderBy=%s', (orderBy) => {
  it('sorts all rows, by number regardless of currency', async () => {
    const rows = (await list({ maxResults: 250 })).invoices
    const { invoices } = await list({ orderBy, maxResults: 250 })
    expect(invoices.map(({ id }) => id)).toEqual(sorted(rows, orderBy))
  })

  it.each([1, 4, 7])('pages by %i through each row once, and back', async (maxResults) => {
    const query = { orderBy, maxResults }
    const whole = (await list({ orderBy, maxResults: 250 })).invoices
    const pages = await walk(query)
    expect(pages.flat()).toEqual(whole)
    const { newer: token } = await adjacentPageTokens(fin, whole.at(-1) as Invoice, query)
    let back = await list({ ...query, pageToken: token })
    const seen = [back.invoices]
    while (back.previousPageToken) {
      back = await list({ ...query, pageToken: back.previousPageToken })
      seen.unshift(back.invoices)
    }
    expect(seen.flat()).toEqual(whole.slice(0, -1))
  })

  it('links the neighbors of each row', async () => {
    const whole = (await list({ orderBy, maxResults: 250 })).invoices
    for (const at of [0, 1, 11, 22]) {
      const input = { params: { invoice_id: whole[at]?.id ?? '' }, query: {}, body: undefined }
      const { body } = await readInvoice(fin, input, requestMeta)
      const { newer, older } = await adjacentPageTokens(fin, body, { orderBy })
      const first = async (pageToken: string) =>
        (await list({ orderBy, maxResults: 1, pageToken })).invoices[0]?.id
      expect([await first(newer), await first(older)]).toEqual([whole[at - 1]?.id, whole[at + 1]?.id])
    }
  })

  it('pages without repeating or skipping rows while rows are added', async () => {
    const before = (await list({ orderBy, maxResults: 250 })).invoices
    let next = 0
    const pages = await walk({ orderBy, maxResults: 5 }, () => add(`NEW-${next++}`, next * 7))
    const ids = pages.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !id.startsWith('NEW'))).toEqual(before.map(({ id }) => id))
    await database.sql('northwind', "DELETE FROM invoices WHERE id LIKE 'NEW-%'")
  })

  it('accepts page tokens of the same order only, and no forged token', async () => {
    const { pageToken: token } = await list({ orderBy, maxResults: 2 })
    const error = expect.objectContaining({ code: 'page_token_invalid' })
    for (const other of [undefined, ...ORDERS.filter((one) => one !== orderBy)]) {
      await expect(list({ orderBy: other, maxResults: 2, pageToken: token })).rejects.toEqual(error)
    }
    const [direction, digest] = JSON.parse(unseal(token ?? '', PAGE_TOKENS) ?? '')
    const forge = (key: unknown) => seal(JSON.stringify([direction, digest, key]), PAGE_TOKENS)
    const tries = [
      'NaN',
      'Infinity',
      '1e9',
      '',
      '-',
      '0x10',
      '1'.repeat(200),
      '2026-13-45',
      "1'",
      '0000-01-01',
    ]
    for (const value of tries) {
      await expect(list({ orderBy, pageToken: forge([value, 'IN-1']) })).rejects.toEqual(error)
    }
  })

  it('stays limited to the customer and the billing profiles, with filters too', async () => {
    const limited = { ...fin, billingProfiles: ['emea'] }
    const rows = (await list({ maxResults: 250 }, limited)).invoices
    expect(rows).toHaveLength(6)
    expect((await list({ orderBy }, limited)).invoices.map(({ id }) => id)).toEqual(sorted(rows, orderBy))
    const open = (await list({ orderBy, filter: { status: ['PAST DUE'] } })).invoices
    expect(open.length).toBeGreaterThan(3)
    expect(open.map(({ id }) => id)).toEqual(sorted(open, orderBy))
    expect(open.every(({ balanceAmount }) => balanceAmount > 0)).toBe(true)
  })
})

describe('A page at any depth is read from an index', () => {
  const ROWS = 4_000
  let client: PoolClient
  beforeAll(async () => {
    await addCustomer('large')
    await database.insertMany(
      'large',
      ROWS,
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
         total_amount, balance_amount)
       SELECT 'large', 'test-party', 'test-party', 'IN-' || n, 'IN-' || n, 'default', 'cloud-platform', 'R', date '2020-01-01' + n % 2000,
         date '2026-01-01' + n * 7 % 2000, 'USD', n * 37 % 4999 / 100.0, CASE WHEN n % 9 = 0 THEN n * 41 % 997 ELSE 0 END
       FROM generate_series($1::int, $2::int) n`,
    )
    await run(database.url, 'VACUUM ANALYZE invoices')
    client = await database.opened.reads.connect()
  })
  afterAll(() => client.release())

  /** Runs the list's own statements, and the last one again for how the database found its rows. */
  async function planOf(orderBy: Order, cursor?: Cursor) {
    const queries: { query: string; params: unknown[] }[] = []
    const logger = { logQuery: (query: string, params: unknown[]) => void queries.push({ query, params }) }
    const owner = { customerId: 'large' as Caller['customerId'], billingProfiles: ['default'] }
    await client.query("SELECT set_config('console.customer', 'large', false)")
    const rows = await listInvoiceSummaries(
      drizzle(client, { logger }),
      owner,
      {},
      { limit: 51, orderBy, cursor },
    )
    const { query, params } = queries.at(-1) ?? { query: '', params: [] }
    const { rows: lines } = await client.query(`EXPLAIN (ANALYZE, COSTS OFF) ${query}`, params)
    return { rows, plan: lines.map((line) => line['QUERY PLAN']).join('\n') }
  }

  it.each(ORDERS)('orderBy=%s', async (orderBy) => {
    const first = await planOf(orderBy)
    const [by = ''] = orderBy.split(' ')
    const sort =
      { invoiceDate: 'invoice_date', dueDate: 'due_date', totalAmount: 'total_amount' }[by] ??
      'balance_amount'
    const middle = await database.sql(
      'large',
      `SELECT ${sort}::text AS value, id FROM invoices ORDER BY ${sort}, id OFFSET $1 LIMIT 1`,
      [ROWS / 2],
    )
    const key = [String(middle[0]?.value), String(middle[0]?.id)]
    const deep = await planOf(orderBy, { key, direction: 'older' })
    const back = await planOf(orderBy, { key, direction: 'newer' })
    for (const { rows, plan } of [first, deep, back]) {
      expect(rows).toHaveLength(51)
      expect(plan).toMatch(/Index Scan( Backward)? using invoices_(newest|due|total|balance) /)
      expect(plan).not.toMatch(/Sort|Removed by Filter|Seq Scan/)
    }
  })
})

describe('The order in the address', () => {
  const read = (text: string) => {
    const search = `orderBy=${encodeURIComponent(text)}`
    const request = { method: 'GET', path: contract.listInvoices.path, search, headers: new Headers() }
    return readInput(contract.listInvoices, { ...request, read: async () => new Uint8Array() })
  }

  it.each([
    ['totalAmount', 'totalAmount asc'],
    ['totalAmount desc', 'totalAmount desc'],
    ['  dueDate   asc ', 'dueDate asc'],
    ['invoiceDate desc', 'invoiceDate desc'],
  ])('%j is %s', async (text, sort) => {
    expect((await read(text)).query.orderBy).toBe(sort)
  })

  it('is rejected with 400 and the list of keys for any other text', async () => {
    const detail = /orderBy: must be one of invoiceDate, dueDate, totalAmount, balanceAmount/
    for (const text of [
      '',
      'id',
      'totalAmount up',
      'totalAmount desc, id',
      'TotalAmount',
      'totalAmount DESC',
    ]) {
      const error = { code: 'invalid_request', message: expect.stringMatching(detail) }
      await expect(read(text)).rejects.toMatchObject(error)
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const sort = await read(text).then(
          ({ query }) => query.orderBy,
          ({ status }) => status,
        )
        expect([400, ...ORDERS]).toContain(sort)
      }),
    )
  })

  it('defaults to the list and page tokens from before orderBy existed', async () => {
    const plain = await list({ maxResults: 2, search: 'IN' })
    const last = plain.invoices[1] as Invoice
    const key = [dayOf(last.invoiceDate), last.id]
    expect(plain.pageToken).toBe(
      pageToken({ key, direction: 'older' }, ['northwind', 'invoices', { search: 'IN' }]),
    )
    const named = await list({ maxResults: 2, search: 'IN', orderBy: 'invoiceDate desc' })
    expect(named.invoices).toEqual(plain.invoices)
  })
})
