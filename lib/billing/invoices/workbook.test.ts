import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { XLSX } from '#lib/platform/files/workbook.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { exportInvoices, exportInvoicesXlsx } from './operations.ts'

let database: TestDatabase
let key: string

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  const add = (...invoice: [string, object, object[]?]) => addInvoice('northwind', ...invoice)
  await add('IN-KWD', { currency: 'KWD', totalAmount: '7.5', balanceAmount: '7.125' }, [
    { price: '1.2345', qty: '3' },
    { price: '3.7965' },
  ])
  await add('IN-JPY', { currency: 'JPY', totalAmount: '85300', balanceAmount: '0' }, [{ price: '85300' }])
  await add('CN-3', { currency: 'EUR', totalAmount: '-50.55', balanceAmount: '-50.55' }, [
    { price: '-50.55', description: '=HYPERLINK("http://evil.example")', details: '\tx;=1+1' },
  ])
  await add('2026-09-30', { issuer: '0012', totalAmount: '0.10' })
  key = await addKey('northwind', ['finance-user'])
})
afterAll(() => database.close())

function request(kind: 'csv' | 'xlsx', search = '') {
  const operation = kind === 'csv' ? exportInvoices : exportInvoicesXlsx
  const url = `http://console.example/billing/v1/invoices.${kind}?${search}`
  return route(operation).GET(new Request(url, { headers: { Authorization: `Bearer ${key}` } }))
}
const table = async (search?: string) => {
  const { sheets } = await readXlsx(new Uint8Array(await (await request('xlsx', search)).arrayBuffer()))
  return sheets[0]?.rows ?? []
}
const lines = async (search?: string, delimiter = ','): Promise<string[][]> =>
  parse(await (await request('csv', search)).text(), { bom: true, delimiter })

it.each(['', 'lines=true', 'lines=true&orderBy=totalAmount', 'filter=currency:KWD', 'filter=platform:none'])(
  'A workbook contains the cells of the CSV file, without apostrophes: %s',
  async (search) => {
    const [names, ...rows] = await table(search)
    const [header, ...expected] = await lines(search)
    expect([names, rows.length]).toEqual([header, expected.length])
    for (const [at, row] of rows.entries())
      for (const [column, cell] of row.entries()) {
        const text = expected[at]?.[column] ?? ''
        if (typeof cell === 'number') expect(new Big(text).eq(cell)).toBe(true)
        else if (cell instanceof Date) expect(dayOf(cell.getTime())).toBe(text)
        else expect(cell ?? '').toBe(text.replaceAll(/(^|[;\t])'(?=[=\t])/g, '$1'))
      }
  },
)

it('A workbook contains numbers and days as such, and text that looks like them as text', async () => {
  const [names = [], ...rows] = await table('orderBy=totalAmount')
  const cell = (row: number, name: string) => rows[row]?.[names.indexOf(name)]
  expect([cell(0, 'totalAmount'), cell(2, 'totalAmount'), cell(2, 'balanceAmount')]).toEqual([
    -50.55, 7.5, 7.125,
  ])
  expect(cell(0, 'invoiceDate')).toBeInstanceOf(Date)
  expect([cell(1, 'id'), cell(1, 'issuer')]).toEqual(['2026-09-30', '0012'])
})

it('A workbook is a download with the date in its name', async () => {
  const { headers } = await request('xlsx', 'lines=true')
  expect(headers.get('content-type')).toBe(XLSX)
  expect(headers.get('content-disposition')).toMatch(/filename="invoice-lines-\d{4}-\d\d-\d\d\.xlsx"/)
  expect(headers.get('cache-control')).toBe('no-store')
})

it('A CSV file is formatted for the requested spreadsheet program', async () => {
  const german = await lines('separator=semicolon&decimal=comma&orderBy=totalAmount', ';')
  expect(german[3]).toEqual(expect.arrayContaining(['KWD', '7,500', '7,125']))
  const pointed = german.map((row) => row.map((cell) => cell.replace(/^(-?\d+),(\d+)$/, '$1.$2')))
  expect(pointed).toEqual(await lines('orderBy=totalAmount'))
  for (const search of ['separator=pipe', 'decimal=.'])
    expect((await request('csv', search)).status).toBe(400)
})
