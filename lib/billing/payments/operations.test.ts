import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readCopy, readFile } from '#lib/billing/invoice-files/files.ts'
import { renderInvoicePdf } from '#lib/billing/invoice-files/layout.ts'
import { readInvoice } from '#lib/billing/invoices/operations.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addKey, addNewCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { type NewPayment, recordPayment, reversePayment } from './ledger.ts'
import { exportPayments, listPayments } from './operations.ts'
import { sumCredits } from './read.ts'

// Payments as callers see them: by role, by billing profile, and on an invoice.

let db: TestDatabase
let all: Caller
let emea: Caller
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => db.close())
beforeEach(async () => {
  const customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  all = await callerOf(customer, 'finance-user')
  const key = await addKey(customer, ['finance-user'], { billingProfiles: ['emea'] })
  emea = (await findKeyCaller(digestOf(key))) as Caller
  await addInvoice(customer, 'IN-1', { billingProfileId: 'emea', totalAmount: '100', balanceAmount: '100' })
  await addInvoice(customer, 'IN-2', { totalAmount: '50', balanceAmount: '50' })
})

const context = { requestId: 't' }
const pay = (reference: string, amount: string, ids: string[], more: Partial<NewPayment> = {}) =>
  scope(all, (tx) =>
    recordPayment(
      tx,
      all.customerId,
      {
        ...{ kind: 'payment', paidOn: '2026-11-10', currency: 'USD', method: 'bank transfer' },
        ...{ reference, amount, remittance: ids.join(' '), endToEndId: ids.join('+') || undefined },
        invoices: ids.map((id) => ({ id })),
        ...more,
      },
      'r',
    ),
  )
const list = async (caller: Caller, query: object = {}) =>
  (await listPayments(caller, { params: {}, query, body: undefined } as never, context)).body
const referencesOf = async (caller: Caller, query: object = {}) =>
  (await list(caller, query)).payments.map(({ reference }) => reference)

describe('a caller who is limited to a billing profile', () => {
  test('sees of a payment only the parts for invoices of that profile, and not the whole', async () => {
    await pay('B-1', '170', ['IN-1', 'IN-2'])
    const [whole] = (await list(all)).payments
    expect(whole).toMatchObject({ amount: 170, creditAmount: 20, remittance: 'IN-1 IN-2' })
    expect(whole?.allocations).toMatchObject([
      { invoiceId: 'IN-1', amount: 100 },
      { invoiceId: 'IN-2', amount: 50 },
    ])
    const { payments } = await list(emea)
    expect(payments).toMatchObject([{ reference: 'B-1', allocations: [{ invoiceId: 'IN-1', amount: 100 }] }])
    expect(JSON.stringify(payments)).not.toMatch(/IN-2|170|creditAmount/)
  })

  test('sees no payment without an invoice, nor one of another profile', async () => {
    await pay('B-1', '10', [])
    await pay('B-2', '10', ['IN-2'])
    await pay('B-3', '10', ['IN-1'])
    expect(await referencesOf(all)).toHaveLength(3)
    expect(await referencesOf(emea)).toEqual(['B-3'])
    expect(await referencesOf(emea, { filter: { invoice: ['IN-2'] } })).toEqual([])
  })

  test('does not learn from a filter whether a payment has credit', async () => {
    await pay('B-1', '170', ['IN-1', 'IN-2'])
    const unassigned = { filter: { state: ['unassigned'] } }
    expect(await referencesOf(all, unassigned)).toEqual(['B-1'])
    expect(await referencesOf(emea, unassigned)).toEqual([])
    expect(await referencesOf(emea, { filter: { state: ['unassigned', 'recorded'] } })).toEqual(['B-1'])
  })
})

test('the credit of payments without an invoice is added up for callers who see all billing profiles', async () => {
  await pay('B-1', '170', ['IN-1', 'IN-2'])
  await pay('B-2', '7', [], { currency: 'EUR' })
  const creditsOf = (caller: Caller, currencies?: string[]) =>
    scope(caller, (tx) => sumCredits(tx, caller, currencies))
  expect(await creditsOf(all)).toEqual([
    { currency: 'EUR', amount: '7' },
    { currency: 'USD', amount: '20' },
  ])
  expect(await creditsOf(all, ['EUR'])).toEqual([{ currency: 'EUR', amount: '7' }])
  expect(await creditsOf(emea)).toEqual([])
})

test('a caller without the role is refused', async () => {
  const it = await callerOf(all.customerId, 'it-manager')
  await expect(list(it)).rejects.toMatchObject({ code: 'permission_denied' })
})

test('filters, days and pages select payments, the newest first', async () => {
  for (const [at, day] of ['2026-11-01', '2026-11-02', '2026-11-03'].entries())
    await pay(`B-${at}`, '10', at === 1 ? [] : ['IN-1'], { paidOn: day })
  await scope(all, (tx) =>
    reversePayment(tx, all.customerId, { reference: 'B-0', reason: 'returned by the bank' }, 'r'),
  )
  expect(await referencesOf(all)).toEqual(['B-2', 'B-1', 'B-0'])
  expect(await referencesOf(all, { filter: { state: ['reversed'] } })).toEqual(['B-0'])
  expect(await referencesOf(all, { filter: { state: ['unassigned'] } })).toEqual(['B-1'])
  expect(await referencesOf(all, { filter: { state: ['recorded'], kind: ['payment'] } })).toEqual([
    'B-2',
    'B-1',
  ])
  expect(await referencesOf(all, { filter: { currency: ['EUR'] } })).toEqual([])
  const days = { minPaidDate: epochOfDay('2026-11-02'), maxPaidDate: epochOfDay('2026-11-02') }
  expect(await referencesOf(all, days)).toEqual(['B-1'])
  const first = await list(all, { maxResults: 2 })
  const second = await list(all, { maxResults: 2, pageToken: first.pageToken })
  expect(second.payments.map(({ reference }) => reference)).toEqual(['B-0'])
  const back = await list(all, { maxResults: 2, pageToken: second.previousPageToken })
  expect(back.payments).toEqual(first.payments)
})

test('the file has a row for each part, which add up to the amount, as far as its caller sees them', async () => {
  await pay('B-1', '170', ['IN-1', 'IN-2'])
  const rowsFor = async (caller: Caller) => {
    const { body } = await exportPayments(
      caller,
      { params: {}, query: {}, body: undefined } as never,
      context,
    )
    const lines = (await Array.fromAsync(body as AsyncIterable<string>)).join('').trim().split('\r\n')
    const names = lines[0]?.replace('\uFEFF', '').split(',') ?? []
    return lines.slice(1).map((line) => {
      const cells = line.split(',')
      return ['amount', 'invoiceId', 'partAmount', 'endToEndId'].map((name) => cells[names.indexOf(name)])
    })
  }
  expect(await rowsFor(all)).toEqual([
    ['170.00', 'IN-1', '100.00', 'IN-1+IN-2'],
    ['170.00', 'IN-2', '50.00', 'IN-1+IN-2'],
    ['170.00', '', '20.00', 'IN-1+IN-2'],
  ])
  expect(await rowsFor(emea)).toEqual([['', 'IN-1', '100.00', '']])
})

test('an invoice has its payments, and its copy prints them, while its document keeps its bytes', async () => {
  const read = async () =>
    (await readInvoice(all, { params: { invoice_id: 'IN-1' }, query: {}, body: undefined }, context)).body
  const render: typeof renderInvoicePdf = renderInvoicePdf
  const before = await readFile(all, 'IN-1', undefined, render)
  await pay('B-1', '40', ['IN-1'])
  await pay('B-2', '5', ['IN-1'])
  await scope(all, (tx) => reversePayment(tx, all.customerId, { reference: 'B-2', reason: 'returned' }, 'r'))
  expect(await read()).toMatchObject({
    balanceAmount: 60,
    payments: [
      { kind: 'payment', amount: 40, reference: 'B-1', method: 'bank transfer' },
      { kind: 'payment', amount: 5, reference: 'B-2', reversalReason: 'returned' },
    ],
  })
  const copy = await readCopy(emea, 'IN-1', render)
  const texts = readPages(copy?.bytes ?? new Uint8Array())
    .flat()
    .map(({ text }) => text)
    .join('\n')
  expect(texts).toContain('Payments and credits')
  expect(texts).toMatch(/−40\.00/)
  expect(texts).toMatch(/60\.00 USD/)
  expect(texts).not.toContain('B-2')
  expect(await readFile(all, 'IN-1', undefined, render)).toEqual(before)
  expect(await readCopy(emea, 'IN-2', render)).toBeUndefined()
})

test('the database refuses entries that can not be right', async () => {
  await pay('B-1', '40', ['IN-1'])
  const add = (values: string) =>
    db.sql(
      all.customerId,
      `INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
       SELECT customer_id, id, ${values} FROM payments WHERE reference = 'B-1'`,
    )
  await expect(add("7, 'IN-2', 5, '2026-11-10', 'assigned'")).rejects.toThrow('do not add up to its amount')
  await expect(
    db.sql(
      all.customerId,
      `INSERT INTO payment_entries (customer_id, payment_id, position, invoice_id, amount, booked_on, cause)
       SELECT p.customer_id, p.id, v.position, v.invoice, v.amount, '2026-11-10', 'assigned' FROM payments p
       CROSS JOIN (VALUES (7, NULL, -5), (8, 'IN-2', 5)) AS v (position, invoice, amount) WHERE reference = 'B-1'`,
    ),
  ).rejects.toThrow('is used or refunded')
  for (const query of [
    'UPDATE payment_entries SET amount = 1',
    'DELETE FROM payments',
    'UPDATE payments SET amount = 1',
  ])
    await expect(db.sql(all.customerId, query)).rejects.toThrow('permission denied')
  await expect(
    db.sql(all.customerId, "UPDATE payments SET reversed_on = NULL, reversal_reason = 'x'"),
  ).rejects.toThrow('row-level security')
})
