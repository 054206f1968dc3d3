import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { listInvoices, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import type { PartialInput } from '#lib/platform/api/client.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { PAGE_TOKENS } from '#lib/platform/lists/paging.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { addDays, epochOfDay } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import type * as contract from './contract.ts'
import type { StatementItem } from './contract.ts'
import { exportStatementPdf, readStatement } from './operations.ts'
import { AGES } from './rules.ts'

type Query = NonNullable<PartialInput<typeof contract.readStatement>['query']>
const PROFILES = ['apac', 'default', 'emea']
const PLATFORMS = ['cloud-platform', 'web-services', 'own-slug']
const requestMeta = { requestId: 'test-request' }
let database: TestDatabase
let fin: Caller
const today = '2026-11-20'

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today })
  for (const id of ['northwind', 'southwind', 'edges']) await addCustomer(id)
  for (const id of ['emea', 'apac']) await addProfile('northwind', id)
  fin = await callerOf('northwind', 'finance-user')
  await addInvoice('southwind', 'IN-S', { totalAmount: '7.77', balanceAmount: '7.77' })
  const rows = fc.sample(someInvoice, { numRuns: 400, seed: 8 }).map((row, n) => ({ ...row, id: `IN-${n}` }))
  await database.sql(
    'northwind',
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
       total_amount, balance_amount)
     SELECT own.customer_id, 'test-party', 'test-party', r.id, r.id, r.profile, r.platform, 'Reseller', $2::date + r.due - r.term, $2::date + r.due,
       r.currency, r.balance::numeric, r.balance::numeric
     FROM parties AS own, json_to_recordset($1::json) AS r(id text, profile text, platform text, due int, term int,
       currency text, balance text)
     WHERE own.customer_id = 'northwind' AND own.id = 'test-party'`,
    [JSON.stringify(rows), today],
  )
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

/** Due on each side of the bounds as often as anywhere; balances below, at and above nothing, with odd decimals. */
const someInvoice = fc.record({
  profile: fc.constantFrom(...PROFILES),
  platform: fc.constantFrom(...PLATFORMS),
  currency: fc.constantFrom('USD', 'USD', 'JPY', 'KWD'),
  due: fc.oneof(fc.constantFrom(0, 1, -1, -30, -31, -60, -61, -90, -91), fc.integer({ min: -400, max: 90 })),
  term: fc.constantFrom(0, 14, 30),
  balance: fc.oneof(
    fc.constant('0'),
    fc.integer({ min: -9_999, max: 9_999_999 }).map((cents) => new Big(cents).div(100).toFixed()),
    fc.integer({ min: -99, max: 999_999 }).map((mills) => new Big(mills).div(1000).toFixed()),
  ),
})

const read = async (query: Query = {}, caller = fin) =>
  (await readStatement(caller, { params: {}, query, body: undefined }, requestMeta)).body
const dayAt = (offset: number) => addDays(today, offset)

/** All items of a query, over all of its pages. */
async function all(query: Query = {}, caller = fin): Promise<StatementItem[]> {
  const { items, pageToken } = await read({ maxResults: 37, ...query }, caller)
  return pageToken ? [...items, ...(await all({ ...query, pageToken }, caller))] : items
}

/** All invoices of a status, by the list. */
async function listed(status: string[], caller = fin, pageToken?: string): Promise<Invoice[]> {
  const query = { filter: { status }, maxResults: 250, pageToken }
  const { body } = await listInvoices(caller, { params: {}, query, body: undefined }, requestMeta)
  return body.pageToken
    ? [...body.invoices, ...(await listed(status, caller, body.pageToken))]
    : body.invoices
}
const payableOf = ({ payableAmount, balanceAmount }: Invoice) => payableAmount ?? balanceAmount
const sum = (amounts: number[]) => Number(amounts.reduce((all, one) => all.plus(one), new Big(0)).toFixed())

describe('The age of an item', () => {
  it.each<[number, string, number]>([
    [1, 'current', 0],
    [0, 'current', 0],
    [-1, 'days1To30', 1],
    [-30, 'days1To30', 30],
    [-31, 'days31To60', 31],
    [-60, 'days31To60', 60],
    [-61, 'days61To90', 61],
    [-90, 'days61To90', 90],
    [-91, 'older', 91],
    [-4000, 'older', 4000],
  ])('due in %i days is %s, past due by %i', async (offset, age, daysPastDue) => {
    const caller = await callerOf('edges', 'finance-user')
    const terms = { invoiceDate: dayAt(offset - 30), dueDate: dayAt(offset) }
    await addInvoice('edges', 'IN', { ...terms, balanceAmount: '0.01' })
    await addInvoice('edges', 'CN', { ...terms, balanceAmount: '-0.02', currency: 'EUR' })
    await addInvoice('edges', 'PAID', { ...terms, balanceAmount: '0.00' })
    const { items, currencies } = await read({}, caller)
    expect(items[1]?.url).toBe('https://console.example/billing/v1/invoices/IN/file')
    expect(items.map((item) => [item.id, item.age, item.daysPastDue])).toEqual([
      ['CN', 'credit', 0],
      ['IN', age, daysPastDue],
    ])
    expect(currencies).toMatchObject([
      { currency: 'EUR', count: 1, balanceAmount: -0.02, credit: { count: 1, amount: -0.02 } },
      { currency: 'USD', count: 1, balanceAmount: 0.01, [age]: { count: 1, amount: 0.01 } },
    ])
    await database.sql('edges', 'DELETE FROM line_items')
    await database.sql('edges', 'DELETE FROM invoices')
  })
})

describe('The totals', () => {
  it('equal those of the list of open items and of all credits', async () => {
    const open = await listed(['OPEN', 'PAST DUE'])
    const credits = (await listed(['PAID'])).filter((one) => payableOf(one) < 0)
    const items = await all()
    expect(open.length).toBeGreaterThan(200)
    expect(credits.length).toBeGreaterThan(5)
    const expected = [...open, ...credits].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(items.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject(expected)
    const { count, currencies } = await read()
    expect(count).toBe(expected.length)
    for (const { currency, balanceAmount, ...totals } of currencies) {
      const payable = (some: Invoice[]) => sum(some.filter((one) => one.currency === currency).map(payableOf))
      expect(balanceAmount).toBe(payable(expected))
      expect(totals.credit.amount).toBe(payable(credits))
      expect(totals.current.amount).toBe(payable(await listed(['OPEN'])))
    }
  })

  it('equal those of the invoice summary', async () => {
    const { body } = await summarizeInvoices(fin, { params: {}, query: {}, body: undefined }, requestMeta)
    const { currencies, today: day } = await read()
    expect(day).toBe(body.today)
    expect(currencies.map(({ currency }) => currency)).toEqual(['JPY', 'KWD', 'USD'])
    for (const summary of currencies) {
      const { current, days1To30, days31To60, days61To90, older, credit } = summary
      const overdue = [days1To30, days31To60, days61To90, older]
      const parts = (some: { count: number; amount: number }[]) => ({
        count: some.reduce((total, { count }) => total + count, 0),
        amount: sum(some.map(({ amount }) => amount)),
      })
      expect(body.currencies.find(({ currency }) => currency === summary.currency)).toMatchObject({
        balanceAmount: summary.balanceAmount,
        outstanding: parts([current, ...overdue]),
        credit,
        pastDue: parts(overdue),
      })
    }
  })

  it('of a currency equal those of its billing profiles and their items', async () => {
    const [items, { currencies }] = [await all(), await read()]
    for (const { currency, billingProfiles, ...whole } of currencies) {
      expect(billingProfiles.map(({ id }) => id)).toEqual(PROFILES)
      for (const age of AGES) {
        expect(sum(billingProfiles.map((one) => one[age].amount))).toBe(whole[age].amount)
        for (const one of billingProfiles) {
          const expected = items.filter(
            (item) => item.currency === currency && item.billingProfileId === one.id,
          )
          const aged = expected.filter((item) => item.age === age).map(payableOf)
          expect([one[age].count, one[age].amount]).toEqual([aged.length, sum(aged)])
          expect([one.count, one.balanceAmount]).toEqual([expected.length, sum(expected.map(payableOf))])
        }
      }
    }
  })
})

describe('The items', () => {
  it('are sorted by currency and billing profile, the longest due first, each once over all pages', async () => {
    const items = await all()
    const key = ({ currency, billingProfileId, dueDate, id }: StatementItem) =>
      [currency, billingProfileId, String(dueDate).padStart(15, '0'), id].join(' ')
    expect(items.map(key)).toEqual(items.map(key).toSorted())
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
    expect(await all({ maxResults: 250 })).toEqual(items)
  })

  it('are paged in both directions, and each page has the totals of all items', async () => {
    const first = await read({ maxResults: 10 })
    const second = await read({ maxResults: 10, pageToken: first.pageToken })
    const back = await read({ maxResults: 10, pageToken: second.previousPageToken })
    expect(back).toEqual(first)
    expect([first.rowCount, first.previousPageToken]).toEqual([10, undefined])
    expect([second.currencies, second.count]).toEqual([first.currencies, first.count])
  })

  it('are not returned for a forged page token, or one of another filter', async () => {
    const { pageToken = '' } = await read({ maxResults: 2 })
    const error = { code: 'page_token_invalid' }
    await expect(read({ pageToken, filter: { currency: ['USD'] } })).rejects.toMatchObject(error)
    const [direction, digest] = JSON.parse(unseal(pageToken, PAGE_TOKENS) ?? '')
    for (const key of [
      [],
      ['USD', 'emea', '2026-99-99', 'x'],
      ['usd', 'emea', dayAt(0), 'x'],
      ['USD', 'a\0'],
    ]) {
      const token = seal(JSON.stringify([direction, digest, key]), PAGE_TOKENS)
      await expect(read({ pageToken: token })).rejects.toMatchObject(error)
    }
  })
})

describe('The filter', () => {
  it.each<[Query['filter'], (item: StatementItem) => boolean]>([
    [{ billingProfile: ['emea'] }, (item) => item.billingProfileId === 'emea'],
    [
      { billingProfile: ['emea', 'apac'], currency: ['USD'] },
      (item) => item.billingProfileId !== 'default' && item.currency === 'USD',
    ],
    [{ platform: ['own-slug', 'nothing'] }, (item) => item.platform === 'own-slug'],
    [{ billingProfile: ["x' OR 'a'='a"] }, () => false],
  ])('%j selects the items that match all conditions', async (filter, fits) => {
    const items = await all({ filter })
    expect(items).toEqual((await all()).filter(fits))
    const { count, currencies } = await read({ filter })
    expect(count).toBe(items.length)
    for (const summary of currencies)
      expect(summary.balanceAmount).toBe(
        sum(items.filter((item) => item.currency === summary.currency).map(payableOf)),
      )
  })
})

describe('Access to the statement', () => {
  it('requires the permission', async () => {
    const it = await callerOf('northwind', 'it-manager')
    await expect(read({}, it)).rejects.toMatchObject({ code: 'permission_denied' })
  })

  it('is an empty statement for a caller without billing profiles or without open items', async () => {
    const nothing = {
      count: 0,
      rowCount: 0,
      creditTransfers: [],
      items: [],
      currencies: [],
      today: epochOfDay(today),
    }
    expect(await read({}, { ...fin, billingProfiles: [] })).toEqual(nothing)
    expect(await read({}, await callerOf('edges', 'admin'))).toEqual(nothing)
  })

  it('treats a hidden billing profile in the filter like an unknown one', async () => {
    const limited = { ...fin, billingProfiles: ['emea'] }
    expect(await read({ filter: { billingProfile: ['apac'] } }, limited)).toMatchObject({
      count: 0,
      items: [],
    })
    const filtered = await read({ filter: { billingProfile: ['emea'] } })
    expect(await read({}, limited)).toMatchObject({ count: filtered.count, currencies: filtered.currencies })
  })

  it('excludes other customers’ items, even without row-level security', async () => {
    const eve = await callerOf('southwind', 'admin')
    await run(database.url, 'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY')
    try {
      const seen = await read({}, { ...eve, billingProfiles: PROFILES })
      expect(seen.items.map(({ id }) => id)).toEqual(['IN-S'])
      expect(seen.currencies).toMatchObject([{ currency: 'USD', count: 1, balanceAmount: 7.77 }])
      const counted = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM invoices'))
      expect(counted.rows[0]?.n).toBeGreaterThan(1)
    } finally {
      await run(database.url, 'ALTER TABLE invoices ENABLE ROW LEVEL SECURITY')
    }
  })
})

it('The PDF prints the balances of the statement, and rejects more items than it can print', async () => {
  const input = { params: {}, query: { filter: { currency: ['KWD'] } }, body: undefined }
  const { body, headers } = await exportStatementPdf(fin, input, requestMeta)
  const texts = readPages(body as Uint8Array)
    .flat()
    .map(({ text }) => text)
  const statement = (await readStatement(fin, input, requestMeta)).body
  expect(texts[texts.indexOf('Balance') + 1]).toBe(
    moneyText(statement.currencies[0]?.balanceAmount ?? '', 'KWD'),
  )
  expect(texts.filter((text) => /^IN-\d+ · Reseller/.test(text)).length).toBe(statement.count)
  expect(headers?.['Content-Disposition']).toMatch(/filename="statement-[\d-]+\.pdf"/)
  const many = await callerOf('southwind', 'finance-user')
  await database.sql(
    'southwind',
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
       due_date, currency, total_amount, balance_amount)
     SELECT customer_id, seller_id, buyer_id, 'M-' || n, 'M-' || n, billing_profile_id, platform, issuer, invoice_date, due_date,
       currency, 1, 1 FROM invoices, generate_series(1, 2000) AS n WHERE customer_id = 'southwind' AND id = 'IN-S'`,
  )
  const all = { params: {}, query: {}, body: undefined }
  await expect(exportStatementPdf(many, all, requestMeta)).rejects.toMatchObject({ code: 'invalid_request' })
})
