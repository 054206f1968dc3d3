import { createHash } from 'node:crypto'
import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { exportInvoices, exportInvoicesXlsx } from './operations.ts'

type Row = Record<string, string>
let database: TestDatabase
let key: string

/** A due date before every day on which this test can run, so that no status depends on the day. */
const PAST = '2026-11-15'
const posted = (fields: object) => ({ type: 'office-suite', unit: 'C62', ...fields })
const standard = { taxCategory: 'S', taxRate: '19' }

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  const add = (id: string, fields: object, lines?: object[]) =>
    addInvoice('northwind', id, { dueDate: PAST, ...fields }, lines)
  const period = { periodStart: '2026-09-01', periodEnd: '2026-10-01' }
  const net = { currency: 'EUR', netAmount: '100.10', taxAmount: '19.02', totalAmount: '119.12' }
  await add('IN-NET', { ...net, ...period, purchaseOrder: 'PO-1' }, [
    posted({ description: 'Business Plus', qty: '10', price: '5.005', ...standard }),
    posted({ description: 'Copilot', qty: '5', price: '10.01', purchaseOrder: 'PO-2', ...standard }),
  ])
  await add('IN-GROSS', { currency: 'EUR', netAmount: '100', taxAmount: '19', totalAmount: '119' }, [
    { description: 'Compute', qty: '2', price: '59.5', unit: 'HUR', ...standard },
  ])
  await add('IN-TAX', { currency: 'USD', netAmount: '100', taxAmount: '8.25', totalAmount: '108.25' }, [
    { description: 'Compute', qty: '1', price: '100' },
  ])
  await add('IN-MORE', { currency: 'JPY', totalAmount: '1200' }, [{ description: 'Storage', price: '1000' }])
  await add('IN-PLAIN', { currency: 'KWD', totalAmount: '7.5' }, [{ price: '2.5', qty: '3' }])
  key = await addKey('northwind', ['finance-user'])
})
afterAll(() => database.close())

function request(kind: 'csv' | 'xlsx', search: string) {
  const operation = kind === 'csv' ? exportInvoices : exportInvoicesXlsx
  const url = `http://console.example/billing/v1/invoices.${kind}?${search}`
  return route(operation).GET(new Request(url, { headers: { Authorization: `Bearer ${key}` } }))
}
const READABLE = 'lines=true&columns=words'
const text = async (search: string) => (await request('csv', search)).text()
const rows = async (search = READABLE): Promise<Row[]> =>
  parse(await text(search), { bom: true, columns: true })
const bytes = async (search: string) => new Uint8Array(await (await request('xlsx', search)).arrayBuffer())
const ofInvoice = async (number: string) => (await rows()).filter((row) => row['Invoice number'] === number)
const amounts = (row: Row | undefined) => [row?.Net, row?.Tax, row?.Total]

it('The readable columns have names, units and periods as people write them', async () => {
  const [row, other] = await ofInvoice('IN-NET')
  expect(Object.keys(row ?? {})).toEqual([
    'Company',
    'Invoice number',
    'Invoice date',
    'Product',
    'Details',
    'Period from',
    'Period to',
    'Quantity',
    'Unit',
    'Unit price',
    'Net',
    'Tax',
    'Total',
    'Currency',
    'Purchase order',
    'Cost center',
  ])
  expect(row).toMatchObject({
    Product: 'Business Plus',
    'Period from': '2026-09-01',
    'Period to': '2026-09-30',
    Quantity: '10',
    Unit: 'licenses',
    'Unit price': '5.005',
    Currency: 'EUR',
    'Purchase order': 'PO-1',
  })
  expect(other?.['Purchase order']).toBe('PO-2')
  expect((await ofInvoice('IN-GROSS'))[0]?.Unit).toBe('hours')
})

it('Each line has net, tax and total, whether its price is with or without tax, and the tax is rounded once', async () => {
  expect((await ofInvoice('IN-NET')).map(amounts)).toEqual([
    ['50.05', '9.51', '59.56'],
    ['50.05', '9.51', '59.56'],
  ])
  expect((await ofInvoice('IN-GROSS')).map(amounts)).toEqual([['100.00', '19.00', '119.00']])
  expect((await ofInvoice('IN-PLAIN')).map(amounts)).toEqual([['', '', '7.500']])
})

it('Amounts of an invoice without a line are a separate row', async () => {
  expect((await ofInvoice('IN-TAX')).map((row) => [row.Product, ...amounts(row)])).toEqual([
    ['Compute', '100.00', '0.00', '100.00'],
    ['Tax, not itemized', '0.00', '8.25', '8.25'],
  ])
  expect((await ofInvoice('IN-MORE')).map((row) => [row.Product, row.Total])).toEqual([
    ['Storage', '1000'],
    ['Not itemized', '200'],
  ])
})

it('The totals of the rows add up to the totals of their invoices, and the workbook has a sum per currency', async () => {
  const sums = new Map<string, Big>()
  for (const { currency = '', totalAmount = '0' } of await rows('orderBy=totalAmount'))
    sums.set(currency, (sums.get(currency) ?? new Big(0)).plus(totalAmount))
  const readable = await rows()
  for (const [currency, sum] of sums) {
    const totals = readable.filter((row) => row.Currency === currency).map((row) => row.Total ?? 'x')
    expect(totals.reduce((all, total) => all.plus(total), new Big(0)).toString()).toBe(sum.toString())
  }
  const { sheets } = await readXlsx(await bytes(READABLE))
  const [names = [], ...cells] = sheets[0]?.rows ?? []
  const last = cells.slice(-sums.size).map((row) => [row[0], row[names.indexOf('Total')]])
  expect(last).toEqual([...sums].sort().map(([currency, sum]) => [`Total ${currency}`, sum.toNumber()]))
})

it('The workbook has the rows of the CSV file', async () => {
  const { sheets } = await readXlsx(await bytes(READABLE))
  const readable = await rows()
  const [names = [], ...cells] = sheets[0]?.rows ?? []
  expect(names).toEqual(Object.keys(readable[0] ?? {}))
  expect(cells.slice(0, readable.length).map((row) => [row[1], row[3], row[12]])).toEqual(
    readable.map((row) => [row['Invoice number'], row.Product, Number(row.Total)]),
  )
})

it('Without the parameter, the CSV file is the same bytes as before, and the workbook has its columns', async () => {
  const csv = await text('lines=true')
  expect(createHash('sha256').update(csv).digest('hex').slice(0, 16)).toBe('d88a0af7d6bc4a01')
  const { sheets } = await readXlsx(await bytes('lines=true'))
  expect(sheets[0]?.rows[0]?.join()).toBe(csv.split('\r\n')[0])
})

it.each(['columns=words', 'lines=false&columns=words', 'lines=true&columns=wire'])(
  'Readable columns of anything but line items are refused: %s',
  async (search) => {
    for (const kind of ['csv', 'xlsx'] as const) {
      const response = await request(kind, search)
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_request'])
    }
  },
)
