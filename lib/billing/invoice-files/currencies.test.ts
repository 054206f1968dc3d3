import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportInvoices, exportInvoicesXlsx, readInvoice } from '#lib/billing/invoices/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, callerOf } from '#lib/platform/db/test-rows.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { PUBLISHED } from '#lib/platform/values/test-iso-4217.ts'
import { readInvoiceFile } from './operations.ts'

const requestMeta = { requestId: 'test' }
let database: TestDatabase
let fin: Caller

/** One currency per number of decimal places: scripts/survival/ has them all. */
const CURRENCIES = [...new Map(PUBLISHED.map((one) => [one.unit, one])).values()]
/** One whole and one smallest amount in each currency: `1234.01`, in JPY `1234`. */
const INVOICES = CURRENCIES.map(({ code, unit }) => ({
  id: code,
  currency: code,
  amount: new Big(1234).plus(unit === 0 ? 0 : new Big(10).pow(-unit)).toFixed(unit),
}))
/** Stored before imports refused them. */
const OLD = ['XXX', 'XTS', 'ABC'].map((code) => ({ id: code, currency: code, amount: '1234.01' }))

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  fin = await callerOf('northwind', 'finance-user')
  for (const { id, currency, amount } of [...INVOICES, ...OLD])
    await addInvoice('northwind', id, { currency, totalAmount: amount, balanceAmount: amount }, [
      { price: amount },
    ])
})
afterAll(() => database.close())

async function rowsOf(lines: 'true' | 'false') {
  const { body } = await exportInvoices(fin, { params: {}, query: { lines }, body: undefined }, requestMeta)
  const text = await new Response(body as ReadableStream).text()
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the amounts of a workbook, which are numbers. */
async function cellsOf(lines: 'true' | 'false') {
  const { body } = await exportInvoicesXlsx(
    fin,
    { params: {}, query: { lines }, body: undefined },
    requestMeta,
  )
  const { sheets } = await readXlsx(await new Response(body as ReadableStream).bytes())
  const [names = [], ...rows] = sheets[0]?.rows ?? []
  const all = rows.map((row) => Object.fromEntries(row.map((cell, at) => [String(names[at]), cell])))
  return new Map(all.map((row) => [row.id, row]))
}

describe('An amount is equal in JSON, PDF, CSV and XLSX, to its minor unit', () => {
  test('for each number of decimal places, and for a stored code that is not a currency', async () => {
    const [rows, lines] = [await rowsOf('false'), await rowsOf('true')]
    const [cells, lineCells] = [await cellsOf('false'), await cellsOf('true')]
    for (const { id, currency, amount } of [...INVOICES, ...OLD]) {
      const input = { params: { invoice_id: id }, query: {}, body: undefined }
      const { body: json } = await readInvoice(fin, input, requestMeta)
      expect([json.totalAmount, json.balanceAmount, json.lineItems[0]?.amount]).toEqual(
        Array(3).fill(Number(amount)),
      )
      const [row, line] = [rows.get(id), lines.get(id)]
      expect([row?.totalAmount, row?.balanceAmount, line?.lineAmount]).toEqual(Array(3).fill(amount))
      const [cell, lineCell] = [cells.get(id), lineCells.get(id)]
      expect([cell?.totalAmount, cell?.balanceAmount, lineCell?.lineAmount]).toEqual(
        Array(3).fill(Number(amount)),
      )
      const formatted = amount.replace('1234', '1,234')
      const texts = readPages((await readInvoiceFile(fin, input, requestMeta)).body)
        .flat()
        .map(({ text }) => text)
      // Price, amount and line items; then the total.
      expect(texts.filter((text) => text === formatted)).toHaveLength(3)
      expect(texts.filter((text) => text === `${formatted} ${currency}`)).toHaveLength(1)
    }
  })
})
