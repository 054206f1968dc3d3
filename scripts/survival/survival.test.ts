import { afterAll, beforeAll, expect, test } from 'vitest'
import { readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import { readInvoice } from '#lib/billing/invoices/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { isFiner } from '#lib/platform/values/money.ts'
import { DEEP } from '../../test/fakes/deep.ts'
import { disagreements } from './agreement.ts'
import { CURRENCIES, unitOf } from './currencies.ts'
import { survivors } from './invoices.ts'
import { store, survive } from './run.ts'

const all = [...survivors(CURRENCIES.length)]
/** Every twelfth invoice, including a long one, and every third in a currency without cents; or all of them. */
const invoices = DEEP
  ? all
  : all.filter(({ currency }, index) => index % 12 === 3 || (unitOf(currency) !== 2 && index % 3 === 0))

let database: TestDatabase
let caller: Caller
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('survival')
  caller = await callerOf('survival', 'finance-user')
  await store(caller.customerId, invoices)
})
afterAll(() => database.close())

test('JSON, PDF and CSV agree on invoices of all kinds to the minor unit of their currency, and no file has active content', async () => {
  const { differences, ...found } = await survive(caller, invoices)
  expect(differences).toEqual([])
  const lines = invoices.reduce((sum, invoice) => sum + invoice.lines.length, 0)
  expect(found).toEqual({ invoices: invoices.length, lines })
}, 120_000)

test('the invoices are of all kinds', () => {
  const kinds = new Set(all.map(({ currency }) => currency))
  expect(kinds.size).toBe(178 - 2 + 129)
  expect(invoices.some(({ balanceAmount = '0', currency }) => isFiner(balanceAmount, currency))).toBe(true)
  expect(invoices.some(({ totalAmount }) => totalAmount.startsWith('-'))).toBe(true)
  expect(invoices.some(({ lines }) => lines.length > 199)).toBe(true)
})

test('a difference of one cent is found in any form', async () => {
  const [invoice] = invoices
  if (!invoice) throw new Error('There is no invoice.')
  const input = { params: { invoice_id: invoice.number }, query: {}, body: undefined }
  const { body: json } = await readInvoice(caller, input, { requestId: 'test' })
  const { body: pdf } = await readInvoiceFile(caller, input, { requestId: 'test' })
  const csv = {
    id: invoice.number,
    totalAmount: invoice.totalAmount,
    balanceAmount: invoice.balanceAmount ?? '',
  }
  const csvLines = invoice.lines.map(({ description }, index) => ({
    lineDescription: description,
    lineAmount: String(json.lineItems[index]?.amount),
  }))
  const forms = { input: invoice, json, pdf, csv, csvLines }
  expect(disagreements(forms)).toEqual([])
  const cent = (amount: string | number) => String(Number(amount) + 0.01)
  const firstDifference = (changed: Partial<typeof forms>) => disagreements({ ...forms, ...changed })[0]
  expect(firstDifference({ csv: { ...csv, totalAmount: cent(csv.totalAmount) } })).toMatch(
    /^CSV: totalAmount/,
  )
  expect(firstDifference({ json: { ...json, balanceAmount: json.balanceAmount + 0.01 } })).toMatch(
    /^JSON: balance/,
  )
  const other = { ...invoice, totalAmount: cent(invoice.totalAmount) }
  expect(
    disagreements({ ...forms, input: other }).filter((difference) => difference.startsWith('PDF')),
  ).not.toEqual([])
  expect(firstDifference({ csvLines: csvLines.slice(1) })).toBe('lines are missing')
})
