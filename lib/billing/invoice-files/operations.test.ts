import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey, addMember, addProfile } from '#lib/platform/db/test-rows.ts'
import { unzip } from '#lib/platform/files/test-zip.ts'
import { formatList } from '#lib/platform/lists/format-filter.ts'
import { pdfErrors } from '#lib/platform/pdf/test-check.ts'
import { exportInvoiceFiles, readInvoiceFile } from './operations.ts'

let database: TestDatabase
const keys = { finance: '', it: '', other: '', emea: '' }
let finance: Caller

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind', 'crowd']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.other = await addKey('southwind', ['admin'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
  finance = (await findKeyCaller(digestOf(keys.finance))) as Caller
  await addInvoice('northwind', 'A/1', { invoiceDate: '2026-10-03', platform: 'web-services' })
  await addInvoice('northwind', 'a-1', { invoiceDate: '2026-10-02' })
  await addInvoice('northwind', 'x|y %7C', { invoiceDate: '2026-10-01' })
  await addInvoice('northwind', 'EM-1', { invoiceDate: '2026-09-30', billingProfileId: 'emea' })
  await addInvoice('southwind', 'SW-1')
})
afterAll(() => database.close())

const handlers = route(exportInvoiceFiles)
async function request(query: Record<string, string> = {}, key = keys.finance, init: RequestInit = {}) {
  const url = `http://console.example/billing/v1/invoices.zip?${new URLSearchParams(query)}`
  return handlers.GET(new Request(url, { ...init, headers: key ? { Authorization: `Bearer ${key}` } : {} }))
}
const filesOf = async (response: Response) => unzip(new Uint8Array(await response.arrayBuffer()))
const namesOf = async (response: Response) => (await filesOf(response)).map(({ name }) => name)

describe('The archive', () => {
  it('contains the filtered invoices in list order, under unique names', async () => {
    const response = await request()
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(/^attachment; filename="invoices-\d{4}-\d\d-\d\d\.zip"/),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(await namesOf(response)).toEqual(['A-1.pdf', 'a-1 (2).pdf', 'x-y %7C.pdf', 'EM-1.pdf'])
    expect(await namesOf(await request({ filter: 'platform:web-services' }))).toEqual(['A-1.pdf'])
    expect(await namesOf(await request({ search: 'em', orderBy: 'dueDate' }))).toEqual(['EM-1.pdf'])
  })

  it('contains each invoice’s own file, and is the same each time', async () => {
    const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
    const archive = await bytesOf(await request())
    expect(Buffer.compare(archive, await bytesOf(await request()))).toBe(0)
    const input = { params: { invoice_id: 'A/1' }, query: {}, body: undefined }
    const { body } = await readInvoiceFile(finance, input, { requestId: 'test' })
    const files = unzip(archive)
    expect(Buffer.compare(Buffer.from(body), files[0]?.bytes ?? Buffer.alloc(0))).toBe(0)
    expect(files.flatMap(({ bytes }) => pdfErrors(bytes))).toEqual([])
  })

  it('contains the invoices of ids once each, whatever their numbers', async () => {
    const ids = formatList(['x|y %7C', 'A/1', 'A/1'])
    expect(await namesOf(await request({ ids }))).toEqual(['A-1.pdf', 'x-y %7C.pdf'])
  })
})

describe('No caller receives', () => {
  it.each([
    ['a number that is not there', 'A/1|missing'],
    ["another customer's", 'A/1|SW-1'],
  ])('%s: the same 404', async (_, ids) => {
    const response = await request({ ids })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not_found', detail: 'Not found' })
  })

  it('invoices of another billing profile', async () => {
    expect(await namesOf(await request({}, keys.emea))).toEqual(['EM-1.pdf'])
    expect((await request({ ids: 'A/1' }, keys.emea)).status).toBe(404)
    expect(await namesOf(await request({ ids: 'EM-1' }, keys.emea))).toEqual(['EM-1.pdf'])
    expect(await namesOf(await request({}, keys.other))).toEqual(['SW-1.pdf'])
  })

  it('anything without a key, or without the role', async () => {
    expect((await request({}, '')).status).toBe(401)
    expect((await request({}, keys.it)).status).toBe(403)
  })

  it('an empty archive instead of an error', async () => {
    expect((await request({ filter: 'platform:none' })).status).toBe(404)
    expect((await request({ ids: 'A/1', filter: 'platform:none' })).status).toBe(404)
  })
})

describe('The archive rejects', () => {
  it.each([
    ['ids', ''],
    ['ids', 'A|'],
    ['ids', '%zz'],
    ['ids', 'a%00'],
    ['ids', Array.from({ length: 251 }, (_, index) => index).join('|')],
    ['ids', 'x'.repeat(6001)],
    ['filter', 'nothing:x'],
    ['orderBy', 'id'],
  ])('%s=%s', async (name, value) => {
    const response = await request({ [name]: value })
    expect(response.status).toBe(400)
    expect((await response.json()).errors).toMatchObject([{ parameter: name }])
  })

  it('more than 500 invoices, and more line items than can be drawn', async () => {
    const key = await addKey('crowd', ['finance-user'])
    await database.sql(
      'crowd',
      `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
         currency, total_amount, balance_amount)
       SELECT own.customer_id, own.id, own.id, 'C-' || n, 'C-' || n, 'default', 'web-services', 'Reseller', '2026-10-01', '2026-10-31', 'USD', 1, 1
       FROM parties own, generate_series(1, 501) n WHERE own.customer_id = 'crowd' AND own.id = 'test-party'`,
    )
    await database.sql(
      'crowd',
      "INSERT INTO line_items VALUES ('crowd', 'C-1', 0, 'web-services', 'Line', 1, 1, 'USD')",
    )
    const many = await request({}, key)
    expect([many.status, (await many.json()).detail]).toEqual([400, expect.stringContaining('500 invoices')])
    await database.sql(
      'crowd',
      `INSERT INTO line_items SELECT own.customer_id, 'C-' || i, n, 'web-services', 'Line', 1, 1, 'USD'
       FROM parties own, generate_series(2, 11) i, generate_series(0, 5999) n
       WHERE own.customer_id = 'crowd' AND own.id = 'test-party'`,
    )
    const long = await request(
      { ids: Array.from({ length: 11 }, (_, index) => `C-${index + 1}`).join('|') },
      key,
    )
    expect([long.status, (await long.json()).detail]).toEqual([
      400,
      expect.stringContaining('50,000 line items'),
    ])
  })
})

describe('An interrupted download', () => {
  const busy = () => database.opened.reads.totalCount - database.opened.reads.idleCount
  const many = async (prefix: string) => {
    const lines = Array.from({ length: 200 }, (_, index) => ({
      description: `${crypto.randomUUID()} ${index}`,
    }))
    for (let n = 100; n < 112; n++) await addInvoice('crowd', `${prefix}-${n}`, {}, lines)
    return addKey('crowd', ['finance-user'])
  }

  it('stops its work when the client aborts', async () => {
    const key = await many('GONE')
    const leaving = new AbortController()
    const response = await request({ search: 'GONE' }, key, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await expect.poll(busy).toBe(0)
  })

  it('never looks complete when an invoice was removed in the meantime', async () => {
    const key = await many('LOST')
    const response = await request({ search: 'LOST' }, key)
    await database.sql('crowd', "DELETE FROM invoices WHERE id = 'LOST-100'")
    await expect(response.arrayBuffer()).rejects.toThrow()
    await expect.poll(busy).toBe(0)
  })
})
