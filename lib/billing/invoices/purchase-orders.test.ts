import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { listInvoices, summarizeInvoices } from './operations.ts'

// A part of a purchase order finds its invoices, including those that name it on a line.

let database: TestDatabase
let ana: Caller
const requestMeta = { requestId: 'test-request' }

beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  ana = await callerOf('northwind', 'finance-user')
  const purchaseOrder = 'PO-4500-0173-AB'
  await addInvoice('northwind', '1', { purchaseOrder: purchaseOrder })
  await addInvoice('northwind', '2', { billingProfileId: 'emea' }, [{}, { purchaseOrder: purchaseOrder }])
  const posting = { buyerReference: '04011000-1234512345-06', costCenter: 'KST 47' }
  await addInvoice('northwind', '3', { ...posting, purchaseOrder: 'Bestellung/7 "Süd" 100%_\\' })
  await addInvoice('southwind', '4', { purchaseOrder: purchaseOrder }, [
    { purchaseOrder: `${purchaseOrder}-2` },
  ])
})
afterAll(() => database.close())

const input = (search: string) => ({ params: {}, query: { search }, body: undefined })
const searchIds = async (search: string, overrides: Partial<Caller> = {}) => {
  const { body } = await listInvoices({ ...ana, ...overrides }, input(search), requestMeta)
  return body.invoices.map(({ id }) => id).sort()
}

it.each([
  ['PO-4500-0173-AB', ['1', '2']],
  ['00-0173', ['1', '2']],
  ['0173-ab', ['1', '2']],
  ['4500-0173-A', ['1', '2']],
  ['4500-0174', []],
  ['4500-0173-AB-2', []],
  ['po', ['1', '2']],
  ['AB', []],
  ['7 "SÜD"', ['3']],
  ['100%', ['3']],
  ['%_\\', ['3']],
  ['0%0', []],
  ["' OR 1=1", []],
  ['04011000-12', ['3']],
  ['1234512345', []],
  ['kst', ['3']],
  ['47', []],
])('The search %j finds %j', async (search, expected) => {
  expect(await searchIds(search)).toEqual(expected)
})

it('A search finds only invoices of the caller’s customer and billing profiles', async () => {
  expect(await searchIds('0173', { billingProfiles: ['default'] })).toEqual(['1'])
  expect(await searchIds('0173', { billingProfiles: ['emea'] })).toEqual(['2'])
  expect((await summarizeInvoices(ana, input('0173'), requestMeta)).body.count).toBe(2)
  const emea = { ...ana, billingProfiles: ['emea'] }
  expect((await summarizeInvoices(emea, input('0173'), requestMeta)).body.count).toBe(1)
  const eve = await callerOf('southwind', 'finance-user')
  expect(await searchIds('0173', eve)).toEqual(['4'])
})

it('A search finds a changed purchase order by its new name only', async () => {
  const write = (query: string) => database.sql('northwind', query)
  await write("UPDATE invoices SET purchase_order = 'NEU-99' WHERE id = '1'")
  await write("UPDATE line_items SET purchase_order = 'NEU-98' WHERE invoice_id = '2' AND position = 1")
  expect([await searchIds('eu-9'), await searchIds('eu-98'), await searchIds('4500')]).toEqual([
    ['1', '2'],
    ['2'],
    [],
  ])
  await write("DELETE FROM line_items WHERE invoice_id = '2'")
  expect(await searchIds('eu-9')).toEqual(['1'])
})
