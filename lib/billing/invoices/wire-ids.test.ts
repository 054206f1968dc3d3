import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { listInvoices, readInvoice } from './operations.ts'

// The bare number leads to the valid invoice; voided ones have a version suffix.

let db: TestDatabase
let customer: string
let finance: Caller
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
  finance = await callerOf(customer, 'finance-user')
})

const trace = { requestId: 'test-request' }
const invoice = (number: string, fields: Partial<NewInvoice> = {}): NewInvoice => ({
  number,
  platform: 'web-services',
  issuer: 'AWS',
  invoiceDate: '2026-09-30',
  dueDate: '2099-10-30',
  currency: 'USD',
  totalAmount: '10.00',
  lines: [{ type: 'web-services', description: 'Compute', price: '10', qty: '1' }],
  ...fields,
})
const load = (...invoices: NewInvoice[]) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, (tx) => importInvoices(tx, customerId, invoices, { correct: true }))
}
const read = async (invoice_id: string) => {
  const { body, headers } = await readInvoice(
    finance,
    { params: { invoice_id }, query: {}, body: undefined },
    trace,
  )
  return { body, at: headers?.['Content-Location'] }
}
const readVersion = async (id: string) => {
  const { id: wireId, totalAmount, documentState } = (await read(id)).body
  return [wireId, totalAmount, documentState]
}
const listed = async (state: string) => {
  const query = { filter: { state: [state] } }
  const { body } = await listInvoices(finance, { params: {}, query, body: undefined }, trace)
  return body.invoices.map(({ id }) => id).sort()
}
const missing = { code: 'not_found' }

describe('A corrected invoice', () => {
  beforeEach(async () => {
    for (const totalAmount of ['10.00', '12.00', '15.00']) await load(invoice('ID-1', { totalAmount }))
  })

  test('has the bare number as its id, and its former versions have a count', async () => {
    expect(await readVersion('ID-1')).toEqual(['ID-1', 15, 'issued'])
    expect(await readVersion('ID-1~1')).toEqual(['ID-1~1', 10, 'voided'])
    expect(await readVersion('ID-1~2')).toEqual(['ID-1~2', 12, 'voided'])
    expect(await listed('issued')).toEqual(['ID-1'])
    expect(await listed('voided')).toEqual(['ID-1~1', 'ID-1~2'])
    await expect(read('ID-1~4')).rejects.toMatchObject(missing)
    await expect(read('ID')).rejects.toMatchObject(missing)
  })

  test('has the same body at both addresses, with the canonical one', async () => {
    const [bare, version] = [await read('ID-1'), await read('ID-1~3')]
    expect(version).toEqual(bare)
    expect(bare.at).toBe('/billing/v1/invoices/ID-1')
    expect(bare.body.url).toMatch(/\/billing\/v1\/invoices\/ID-1\/file$/)
    expect([bare.body.replaces, (await read('ID-1~2')).body.replacedBy]).toEqual(['ID-1~2', 'ID-1'])
  })

  test('has a file under its number, and each voided version has a file, too', async () => {
    const file = async (invoice_id: string) =>
      (await readInvoiceFile(finance, { params: { invoice_id }, query: {}, body: undefined }, trace)).headers
    expect((await file('ID-1'))?.['Content-Disposition']).toContain('ID-1.pdf')
    expect(await file('ID-1~3')).toEqual(await file('ID-1'))
    expect((await file('ID-1~1'))?.['Content-Disposition']).toContain('ID-1~1.pdf')
  })

  test('leaves its number to the last version when voided, and keeps its key', async () => {
    await load(invoice('ID-1', { totalAmount: '15.00', documentState: 'voided' }))
    expect(await readVersion('ID-1')).toEqual(['ID-1~3', 15, 'voided'])
    expect((await db.sql(customer, 'SELECT id FROM invoices ORDER BY id')).map(({ id }) => id)).toEqual([
      'ID-1',
      'ID-1~2',
      'ID-1~3',
    ])
  })
})

describe('A summary of numbered charges', () => {
  const summary = invoice('N-1', { form: 'summary' })

  test('is marked as a summary, and has the number until the invoice is imported', async () => {
    await load(summary)
    expect(await listed('issued')).toEqual(['charges:N-1'])
    expect(await readVersion('N-1')).toEqual(['charges:N-1', 10, 'issued'])
    expect(await read('N-1')).toEqual(await read('charges:N-1'))
    const category = { ...invoice('N-1').lines[0], chargeCategory: 'Usage' } as NewInvoice['lines'][number]
    await load(invoice('N-1', { form: 'invoice', lines: [category] }))
    expect(await readVersion('N-1')).toEqual(['N-1', 10, 'issued'])
    expect((await readVersion('charges:N-1'))[0]).toBe('N-1~1')
    expect(await listed('issued')).toEqual(['N-1'])
  })

  test('has a number from us if the charges have none', async () => {
    await load(invoice('2026-09-1a2b3c4d', { form: 'summary', isNumbered: false }))
    expect(await readVersion('2026-09-1a2b3c4d')).toEqual(['2026-09-1a2b3c4d', 10, 'issued'])
  })
})

test('The invoice of a second issuer has the issuer as a prefix of its id', async () => {
  await load(invoice('7'), invoice('7', { issuer: 'Cloud Resale Ltd', totalAmount: '3' }))
  await load(invoice('7', { issuer: 'Cloud Resale Ltd', totalAmount: '4' }))
  expect(await readVersion('7')).toEqual(['7', 10, 'issued'])
  expect(await readVersion('cloud-resale-ltd:7')).toEqual(['cloud-resale-ltd:7', 4, 'issued'])
  expect(await readVersion('cloud-resale-ltd:7~1')).toEqual(['cloud-resale-ltd:7~1', 3, 'voided'])
})

test('Two issuers with one sequence of counts have different ids', async () => {
  await addInvoice(customer, 'resale:7', { number: '7', issuer: 'Resale+' })
  await addInvoice(customer, 'resale:7~2', { number: '7', issuer: 'Resale-' })
  expect(await listed('issued')).toEqual(['resale:7', 'resale:7~2'])
  expect((await read('resale:7~2')).body.issuer).toBe('Resale-')
})

test('An issuer’s number that ends like a version is not a version', async () => {
  await load(invoice('A~2'))
  expect(await readVersion('A~2')).toEqual(['A~2', 10, 'issued'])
  await expect(read('A')).rejects.toMatchObject(missing)
  await load(invoice('A~2', { totalAmount: '11' }))
  expect(await readVersion('A~2')).toEqual(['A~2', 11, 'issued'])
  expect(await readVersion('A~2~1')).toEqual(['A~2~1', 10, 'voided'])
})

test('The versions of another customer’s invoices are not found', async () => {
  await load(invoice('ID-1'))
  finance = await callerOf(await addNewCustomer(), 'finance-user')
  for (const id of ['ID-1', 'ID-1~1', 'charges:ID-1']) await expect(read(id)).rejects.toMatchObject(missing)
})
