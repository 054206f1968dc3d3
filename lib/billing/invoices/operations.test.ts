import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import type { PartialInput } from '#lib/platform/api/client.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
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
import { PAGE_TOKENS } from '#lib/platform/lists/paging.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { addDays } from '#lib/platform/values/days.ts'
import * as contract from './contract.ts'
import { adjacentPageTokens, listInvoices, readInvoice, summarizeInvoices } from './operations.ts'

const requestMeta = { requestId: 'test-request' }
const TODAY = '2026-11-20'
const day = (offset: number) => addDays(TODAY, offset)
let database: TestDatabase
let fin: Caller
let eve: Caller

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  fin = await callerOf('northwind', 'finance-user')
  eve = await callerOf('southwind', 'admin')
  const add = (id: string, overrides: Parameters<typeof addInvoice>[2]) =>
    addInvoice('northwind', id, overrides)
  const due = { invoiceDate: '2026-09-30', dueDate: day(-1) }
  await add('IN-1', { ...due, platform: 'web-services', totalAmount: '100.10', balanceAmount: '0.10' })
  await add('IN-2', { ...due, dueDate: day(0), totalAmount: '200.20', balanceAmount: '200.20' })
  await add('IN-3', { ...due, totalAmount: '300', balanceAmount: '0' })
  await add('IN-4', { ...due, currency: 'EUR', totalAmount: '-50.55', balanceAmount: '-50.55' })
  await add('in-5', {
    invoiceDate: '2026-10-31',
    dueDate: day(9),
    billingProfileId: 'emea',
    totalAmount: '0.30',
  })
  await addInvoice('southwind', 'IN-9', {})
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

type Query = NonNullable<PartialInput<typeof contract.listInvoices>['query']>
const list = async (query: Query, caller = fin) =>
  (await listInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body
const ids = async (query: Query, caller = fin) => (await list(query, caller)).invoices.map(({ id }) => id)
const summary = async (query: Query, caller = fin) =>
  (await summarizeInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body
const named = (invoice_id: string) => ({ params: { invoice_id }, query: {}, body: undefined })

describe('listInvoices (spec 4.3)', () => {
  it('accepts a status in any case, and lists the three statuses in the error', () => {
    const read = (filter: string) => z.safeDecode(contract.listInvoices.query, { filter })
    expect(read('status:past due|Paid').data?.filter).toEqual({ status: ['PAST DUE', 'PAID'] })
    expect(read('status:LOST').error?.issues).toMatchObject([
      { path: ['filter'], message: expect.stringContaining('OPEN, PAST DUE, PAID') },
    ])
  })

  it('sorts by date, newest first, then by id descending', async () => {
    expect(await ids({})).toEqual(['in-5', 'IN-4', 'IN-3', 'IN-2', 'IN-1'])
  })

  it.each<[Query, string[]]>([
    [{ filter: { platform: ['web-services'] } }, ['IN-1']],
    [{ filter: { platform: ['web-services', 'cloud-platform'] } }, ['in-5', 'IN-4', 'IN-3', 'IN-2', 'IN-1']],
    [{ filter: { status: ['PAST DUE'] } }, ['IN-1']],
    [{ filter: { status: ['OPEN'] } }, ['in-5', 'IN-2']],
    [{ filter: { status: ['PAID'] } }, ['IN-4', 'IN-3']],
    [{ filter: { status: ['PAID', 'PAST DUE'], platform: ['web-services'] } }, ['IN-1']],
    [{ filter: { status: ['LOST'] } }, []],
    [{ filter: { platform: ["x' OR 'a'='a"] } }, []],
    [{ filter: { dueDate: [String(Date.parse(day(0)) + 3_600_000)] } }, ['IN-2']],
    [{ search: 'IN-4' }, ['IN-4']],
    [{ search: 'in-' }, ['in-5', 'IN-4', 'IN-3', 'IN-2', 'IN-1']],
    [{ search: '%' }, []],
    [{ minCreationTime: Date.UTC(2026, 8, 30) }, ['in-5', 'IN-4', 'IN-3', 'IN-2', 'IN-1']],
    [{ minCreationTime: Date.UTC(2026, 8, 30) + 1000 }, ['in-5']],
    [{ maxCreationTime: Date.UTC(2026, 8, 30) }, ['IN-4', 'IN-3', 'IN-2', 'IN-1']],
    [{ maxCreationTime: Date.UTC(2026, 8, 30) - 1000 }, []],
    [{ minCreationTime: Date.UTC(2026, 9, 31), maxCreationTime: Date.UTC(2026, 8, 1) }, []],
    [{ minCreationTime: Number.MAX_SAFE_INTEGER }, []],
    [
      { minCreationTime: 0, maxCreationTime: Number.MAX_SAFE_INTEGER },
      ['in-5', 'IN-4', 'IN-3', 'IN-2', 'IN-1'],
    ],
  ])('returns for %j the invoices %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
    expect((await summary(query)).count).toBe(expected.length)
  })

  it('pages through one day by id, in both directions', async () => {
    const first = await list({ maxResults: 2 })
    const second = await list({ maxResults: 2, pageToken: first.pageToken })
    const third = await list({ maxResults: 2, pageToken: second.pageToken })
    expect([first, second, third].flatMap(({ invoices }) => invoices.map(({ id }) => id))).toEqual(
      await ids({}),
    )
    expect([first.previousPageToken, third.pageToken]).toEqual([undefined, undefined])
    const back = await list({ maxResults: 2, pageToken: third.previousPageToken })
    expect(back).toMatchObject({ invoices: second.invoices, pageToken: second.pageToken })
  })

  it('pages without repeating or skipping rows while rows are added', async () => {
    const first = await list({ maxResults: 2, filter: { platform: ['cloud-platform'] } })
    await addInvoice('northwind', 'IN-NEW', { invoiceDate: day(0), dueDate: day(30) })
    const query = { maxResults: 2, filter: { platform: ['cloud-platform'] }, pageToken: first.pageToken }
    expect(await ids(query)).toEqual(['IN-3', 'IN-2'])
    await database.sql('northwind', "DELETE FROM invoices WHERE id = 'IN-NEW'")
  })

  it('rejects a page token of other filters, or one forged with an impossible date', async () => {
    const { pageToken } = await list({ maxResults: 2 })
    const error = expect.objectContaining({ code: 'page_token_invalid' })
    await expect(ids({ search: 'IN', pageToken })).rejects.toEqual(error)
    const [direction, digest, key] = JSON.parse(unseal(pageToken ?? '', PAGE_TOKENS) ?? '')
    const days = [
      ['2026-99-99', key[1]],
      ['0000-01-01', key[1]],
      ['', ''],
      ['now', 'x'],
    ]
    for (const forged of [...days, [key[0]], [key[0], 'a\0']]) {
      const token = seal(JSON.stringify([direction, digest, forged]), PAGE_TOKENS)
      await expect(ids({ pageToken: token })).rejects.toEqual(error)
    }
  })

  it('rejects an invalid due date as an invalid filter', async () => {
    await expect(ids({ filter: { dueDate: ['tomorrow'] } })).rejects.toMatchObject({ code: 'filter_invalid' })
    expect(await ids({ filter: { dueDate: ['999999999999999'] } })).toEqual([])
  })
})

describe('adjacentPageTokens', () => {
  it.each<[string, Query, [string | undefined, string | undefined]]>([
    ['IN-3', {}, ['IN-4', 'IN-2']],
    ['in-5', {}, [undefined, 'IN-4']],
    ['IN-1', {}, ['IN-2', undefined]],
    ['IN-2', { filter: { status: ['OPEN'] } }, ['in-5', undefined]],
    // Not from the list itself: only the position matters.
    [
      'IN-3',
      { filter: { status: ['PAST DUE'] }, maxResults: 9, pageToken: 'of another page' },
      [undefined, 'IN-1'],
    ],
  ])('leads from %s in %j to %j', async (id, query, expected) => {
    const { body } = await readInvoice(fin, named(id), requestMeta)
    const { newer, older } = await adjacentPageTokens(fin, body, query)
    const first = async (pageToken: string) => (await ids({ ...query, maxResults: 1, pageToken }))[0]
    expect([await first(newer), await first(older)]).toEqual(expected)
  })
})

describe('summarizeInvoices', () => {
  it('adds exactly, and never adds two currencies', async () => {
    expect(await summary({})).toMatchObject({
      count: 5,
      currencies: [
        { currency: 'USD', count: 4, totalAmount: 600.6, balanceAmount: 210.3 },
        { currency: 'EUR', count: 1, totalAmount: -50.55, balanceAmount: -50.55 },
      ],
    })
  })
})

describe('readInvoice (spec 4.4)', () => {
  it('returns exactly the fields of spec 2.3 and 2.4 and the charges’ comparison', async () => {
    await addInvoice(
      'northwind',
      'IN-FULL',
      { invoiceDate: '2026-01-31', dueDate: '2026-03-02', platform: 'web-services' },
      [
        { description: 'Compute', price: '0.123456789', qty: '2.5', details: 'Usage' },
        { description: 'Support' },
      ],
    )
    const { body } = await readInvoice(fin, named('IN-FULL'), requestMeta)
    expect(body).toEqual({
      id: 'IN-FULL',
      number: 'IN-FULL',
      payments: [],
      issuer: 'Reseller',
      documentState: 'issued',
      billingProfileId: 'default',
      invoiceDate: Date.UTC(2026, 0, 31),
      platform: 'web-services',
      dueDate: Date.UTC(2026, 2, 2),
      status: 'PAST DUE',
      totalAmount: 10,
      balanceAmount: 10,
      currency: 'USD',
      url: 'https://console.example/billing/v1/invoices/IN-FULL/file',
      lineItems: [
        {
          type: 'web-services',
          description: 'Compute',
          price: 0.123456789,
          qty: 2.5,
          currency: 'USD',
          Details: 'Usage',
          amount: 0.31,
        },
        { type: 'web-services', description: 'Support', price: 10, qty: 1, currency: 'USD', amount: 10 },
      ],
      itemization: {
        addsUp: false,
        lineItemsAmount: 10.31,
        notItemizedAmount: -0.31,
        roundingAmount: 0,
        otherCurrencyLines: 0,
      },
      form: 'invoice',
      correctedBy: [],
      files: [
        {
          kind: 'drawn',
          name: 'IN-FULL.pdf',
          mediaType: 'application/pdf',
          url: 'https://console.example/billing/v1/invoices/IN-FULL/file?kind=drawn',
        },
      ],
    })
    await database.sql('northwind', "DELETE FROM invoices WHERE id = 'IN-FULL'")
  })
})

describe('A caller sees the invoices of visible billing profiles only', () => {
  it('in the list, the sums, the read and the file', async () => {
    const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
    const key = await addKey('northwind', ['finance-user'], { issuedBy })
    const limited = (await findKeyCaller(digestOf(key))) as Caller
    expect(limited.billingProfiles).toEqual(['emea'])
    expect(await ids({}, limited)).toEqual(['in-5'])
    expect((await summary({}, limited)).count).toBe(1)
    await expect(readInvoice(limited, named('IN-1'), requestMeta)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(readInvoiceFile(limited, named('IN-1'), requestMeta)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await readInvoice(limited, named('in-5'), requestMeta)).body.id).toBe('in-5')
  })

  it('A caller without billing profiles gets an empty list', async () => {
    expect(await ids({}, { ...fin, billingProfiles: [] })).toEqual([])
  })
})

describe('Each of the two layers of tenant isolation works without the other', () => {
  it('row-level security', async () => {
    for (const table of ['invoices', 'line_items', 'billing_profiles', 'customers']) {
      const seen = await scope(eve, (tx) => tx.execute(`SELECT count(*)::int AS n FROM ${table}`))
      expect([table, seen.rows[0]?.n]).toEqual([table, 1])
    }
  })

  it('the customer in every query', async () => {
    const tables = ['invoices', 'line_items']
    for (const table of tables) await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      const both = { ...eve, billingProfiles: ['default', 'emea'] }
      expect(await ids({}, both)).toEqual(['IN-9'])
      expect(await ids({ filter: { platform: ['a', 'cloud-platform'] } }, both)).toEqual(['IN-9'])
      expect((await summary({}, both)).count).toBe(1)
      await expect(readInvoice(both, named('IN-1'), requestMeta)).rejects.toMatchObject({ code: 'not_found' })
      const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM invoices'))
      expect(seen.rows[0]?.n).toBeGreaterThan(1)
    } finally {
      for (const table of tables) await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })
})
