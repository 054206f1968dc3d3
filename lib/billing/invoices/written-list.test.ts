import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answer } from '#lib/platform/api/endpoint.ts'
import { readInput } from '#lib/platform/api/request.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addKey, addNewCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { listInvoices } from './operations.ts'
import { INVOICE_ORDER_KEYS } from './rules.ts'

// The list that PostgreSQL writes in JSON has the bytes of the one that a page gets as an object.

const SORTS = INVOICE_ORDER_KEYS.flatMap((key) => [`${key} asc`, `${key} desc`])
let database: TestDatabase
let customer: string
let caller: Caller
let key: string
beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
  customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  caller = await callerOf(customer, 'finance-user')
  key = await addKey(customer, ['finance-user'])
})
afterAll(() => database.close())

/** Returns the answer of the API, and whether it was written by the database. */
async function read(search: string, by = key): Promise<{ text: string; isWritten: boolean }> {
  let text = ''
  const headers = new Headers({ authorization: `Bearer ${by}` })
  const sent = await sentBy(async () => {
    const { status, body } = await answer([listInvoices], {
      ...{ method: 'GET', path: '/billing/v1/invoices', search, headers, read: async () => new Uint8Array() },
    })
    expect(status).toBe(200)
    text = String(body)
  })
  const lists = sent.filter(({ text }) => /from "invoices"/.test(text))
  return { text, isWritten: lists.length === 1 && (lists[0]?.text.includes('to_json') ?? false) }
}

/** Returns the answer as the console's pages get it, in JSON. */
async function asObject(search: string): Promise<string> {
  const request = { method: 'GET', path: '/billing/v1/invoices', search, headers: new Headers() }
  const input = await readInput(listInvoices.contract, { ...request, read: async () => new Uint8Array() })
  return JSON.stringify((await listInvoices(caller, input, { requestId: 'r' })).body)
}

const amount = fc.oneof(
  fc.constantFrom(
    '0',
    '0.00',
    '-0.5',
    '10.50',
    '1.10',
    '123456789012.345678',
    '99999999999999',
    '0.0001',
    '0.1',
  ),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value.toFixed(4)),
)
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((one) => !one.includes('\0'))

let count = 0
it('for any invoices', async () => {
  const invoice = fc.record({
    total: amount,
    balance: amount,
    payable: fc.option(amount),
    issuer: text,
    name: fc.oneof(text, fc.constantFrom('"', '\\', '\u007f', '\u2028', '\b\f\n\r\t\u001f', 'a b', 'Ü/é?#')),
    days: fc.integer({ min: -40, max: 40 }),
    profile: fc.constantFrom('default', 'emea'),
    state: fc.constantFrom('issued', 'issued', 'draft', 'voided'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(invoice, { minLength: 1, maxLength: 6 }), async (invoices) => {
      for (const { total, balance, payable, issuer, name, days, profile, state } of invoices) {
        const dueDate = new Date(Date.UTC(2026, 10, 20 + days)).toISOString().slice(0, 10)
        await addInvoice(customer, `${name}-${++count}`, {
          ...{
            totalAmount: total,
            invoiceDate: '2026-09-01',
            issuer,
            dueDate,
            billingProfileId: profile,
            documentState: state as 'issued',
          },
          ...(state === 'issued'
            ? { balanceAmount: balance, payableAmount: payable }
            : { balanceAmount: '0' }),
        })
      }
      for (const search of [
        'maxResults=250',
        'maxResults=3&orderBy=totalAmount%20asc',
        'filter=status:PAST%20DUE|OPEN&maxResults=100',
        'filter=state:draft|voided|billingProfile:emea&minAmount=-5',
      ])
        expect(await read(search)).toEqual({ text: await asObject(search), isWritten: true })
    }),
    { numRuns: 20 },
  )
}, 120_000)

it('and is made of objects where JavaScript writes a number in another way', async () => {
  for (const odd of [
    { totalAmount: '1000000000000000' },
    { totalAmount: '0.00001' },
    { totalAmount: '-100000000000000000000000' },
    { totalAmount: '20', balanceAmount: '0.00002' },
    { totalAmount: '20', balanceAmount: '5', payableAmount: '0.00002' },
  ]) {
    const issuer = `odd-${++count}`
    await addInvoice(customer, issuer, { balanceAmount: '0', ...odd, issuer })
    const search = `filter=issuer:${issuer}`
    expect(await read(search)).toEqual({ text: await asObject(search), isWritten: false })
    const even = 'total_amount = 1, balance_amount = 0, payable_amount = NULL'
    await scope(caller, (tx) => tx.execute(`UPDATE invoices SET ${even} WHERE id = '${issuer}'`))
    expect((await read(search)).isWritten).toBe(true)
  }
})

it('an invoice beyond the page does not prevent that the page is written', async () => {
  const issuer = `beyond-${++count}`
  for (const [id, totalAmount] of Object.entries({ a: '0.00001', b: '1', c: '2' }))
    await addInvoice(customer, `${issuer}-${id}`, { totalAmount, balanceAmount: '0', issuer })
  const rest = `orderBy=totalAmount%20desc&filter=issuer:${issuer}`
  expect((await read(`maxResults=2&${rest}`)).isWritten).toBe(true)
  expect((await read(`maxResults=3&${rest}`)).isWritten).toBe(false)
})

it('the ids of all invoices are encoded in their addresses', async () => {
  const issuer = `encoded-${++count}`
  for (const id of ['a/b c:d', 'charges:9', '100%', 'Ü', '𝄞~', "(a)'*!", 'a+b&c=d?#', '日本'])
    await addInvoice(customer, `${issuer} ${id}`, { issuer })
  const search = `filter=issuer:${issuer}`
  const { text, isWritten } = await read(search)
  expect(text).toBe(await asObject(search))
  expect(isWritten).toBe(true)
})

describe('pages of it', () => {
  const baseUrl = 'https://console.example.com:8443'
  const issuer = 'paged'
  beforeAll(async () => {
    const totals = ['10', '10.00', '9.99', '-50.55', '0', '10', '123456789012.34', '9.990', '7']
    for (const [n, totalAmount] of totals.entries())
      await addInvoice(customer, `paged-${n}`, {
        ...{ issuer, totalAmount, balanceAmount: '0', billingProfileId: n % 2 ? 'emea' : 'default' },
        ...{ invoiceDate: `2026-0${1 + (n % 3)}-01`, dueDate: `2026-05-0${1 + (n % 4)}` },
      })
    vi.stubEnv('BASE_URL', baseUrl)
  })
  afterAll(() => vi.unstubAllEnvs())

  it.each(SORTS)('sorted by %s lead to each other, with the bytes of objects', async (sort) => {
    for (const size of [1, 2, 3, 9, 10]) {
      const rest = `maxResults=${size}&orderBy=${encodeURIComponent(sort)}&filter=issuer:${issuer}`
      const same = async (token: string | undefined) => {
        const search = token ? `${rest}&pageToken=${token}` : rest
        const { text, isWritten } = await read(search)
        expect(text).toBe(await asObject(search))
        expect(isWritten).toBe(true)
        return JSON.parse(text)
      }
      const pages = [await same(undefined)]
      while (pages.at(-1).pageToken) pages.push(await same(pages.at(-1).pageToken))
      expect(pages.flatMap(({ invoices }) => invoices)).toHaveLength(9)
      for (let at = pages.length - 1; at > 0; at--)
        expect((await same(pages[at].previousPageToken)).invoices).toEqual(pages[at - 1].invoices)
      expect(pages[0].previousPageToken).toBeUndefined()
    }
  })

  it('are empty without invoices, and beyond the last one', async () => {
    for (const search of ['filter=issuer:nobody', 'maxResults=8&filter=issuer:gone']) {
      const { text, isWritten } = await read(search)
      expect(text).toBe('{"invoices":[],"rowCount":0}')
      expect(isWritten).toBe(true)
    }
    await addInvoice(customer, 'gone-1', { issuer: 'gone', invoiceDate: '2026-03-01' })
    await addInvoice(customer, 'gone-2', { issuer: 'gone', invoiceDate: '2026-02-01' })
    const { pageToken } = JSON.parse((await read('maxResults=1&filter=issuer:gone')).text)
    await scope(caller, (tx) => tx.execute("DELETE FROM invoices WHERE id = 'gone-2'"))
    const search = `maxResults=1&filter=issuer:gone&pageToken=${pageToken}`
    expect(await read(search)).toEqual({ text: await asObject(search), isWritten: true })
    expect(JSON.parse(await asObject(search)).invoices).toEqual([])
  })

  it('show the invoices of the billing profiles and of the customer that the key may see', async () => {
    const other = await addNewCustomer()
    await addInvoice(other, 'paged-0', { issuer, totalAmount: '1', balanceAmount: '0' })
    const ids = async (key: string) =>
      JSON.parse((await read(`filter=issuer:${issuer}`, key)).text).invoices.map(
        ({ id }: { id: string }) => id,
      )
    const limited = await addKey(customer, ['finance-user'], { billingProfiles: ['emea'] })
    expect((await ids(limited)).toSorted()).toEqual(['paged-1', 'paged-3', 'paged-5', 'paged-7'])
    expect(await ids(await addKey(other, ['finance-user']))).toEqual(['paged-0'])
  })

  it('are the same for more shapes than are built once, and for those that never are', async () => {
    const some = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => `|${name}-${index}`).join('')
    for (let n = 0; n < 110; n++) {
      const platforms = `platform:cloud-platform${some('p', n % 40)}`
      const issuers = `issuer:${issuer}${some('i', Math.floor(n / 40))}`
      const search = `maxResults=2&filter=${issuers}|${platforms}`
      const { text, isWritten } = await read(search)
      expect(isWritten).toBe(true)
      if (n % 20 === 9) expect(text).toBe(await asObject(search))
    }
    const search = `maxResults=2&filter=issuer:${issuer}&product=Usage`
    expect(await read(search)).toEqual({ text: await asObject(search), isWritten: true })
  })

  it('have the present address of the console', async () => {
    const search = `maxResults=1&filter=issuer:${issuer}`
    expect((await read(search)).text).toContain('"url":"https://console.example.com:8443/billing')
    vi.stubEnv('BASE_URL', 'https://other.example.com')
    expect((await read(search)).text).toContain('"url":"https://other.example.com/billing')
    expect((await read(search)).text).toBe(await asObject(search))
    vi.stubEnv('BASE_URL', baseUrl)
  })
})
