import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { answer } from '#lib/platform/api/endpoint.ts'
import { readInput } from '#lib/platform/api/request.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addKey, addNewCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { listInvoices } from './operations.ts'

// The list that PostgreSQL writes in JSON has the bytes of the one that a page gets as an object.

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
async function read(search: string): Promise<{ text: string; isWritten: boolean }> {
  let text = ''
  const headers = new Headers({ authorization: `Bearer ${key}` })
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
  for (const totalAmount of ['1000000000000000', '0.00001', '-100000000000000000000000']) {
    const id = `odd-${++count}`
    await addInvoice(customer, id, { totalAmount, balanceAmount: '0', issuer: id })
    const search = `filter=issuer:${id}`
    expect(await read(search)).toEqual({ text: await asObject(search), isWritten: false })
    await scope(caller, (tx) => tx.execute(`UPDATE invoices SET total_amount = 1 WHERE id = '${id}'`))
    expect((await read(search)).isWritten).toBe(true)
  }
})

it('through pages in both directions', async () => {
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  const first = await read('maxResults=2')
  const { pageToken } = JSON.parse(first.text)
  const second = await read(`maxResults=2&pageToken=${pageToken}`)
  const { previousPageToken } = JSON.parse(second.text)
  const back = await read(`maxResults=2&pageToken=${previousPageToken}`)
  expect(JSON.parse(back.text).invoices).toEqual(JSON.parse(first.text).invoices)
  expect(JSON.parse(second.text)).toEqual({
    ...JSON.parse(await asObject(`maxResults=2&pageToken=${pageToken}`)),
    pageToken: expect.any(String),
    previousPageToken: expect.any(String),
  })
  vi.unstubAllEnvs()
})
