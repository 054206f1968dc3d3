import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import { setBillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
  callerOf,
} from '#lib/platform/db/test-rows.ts'
import { unzip } from '#lib/platform/files/test-zip.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { readFile } from './files.ts'
import { renderInvoicePdf } from './layout.ts'
import { exportInvoiceFiles, readInvoiceFile } from './operations.ts'
import { digestOf, storeFile } from './store.ts'

type Caller = Awaited<ReturnType<typeof callerOf>>
let db: TestDatabase
let caller: Caller
const keys = { finance: '', it: '', other: '', emea: '' }

beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  caller = await callerOf('northwind', 'finance-user')
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.other = await addKey('southwind', ['admin'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(() => db.close())

const write = (query: string, values: unknown[] = []) => db.sql('northwind', query, values)
const kinds = (id: string) =>
  write('SELECT kind FROM invoice_files WHERE invoice_id = $1 ORDER BY kind', [id]).then((rows) =>
    rows.map(({ kind }) => kind),
  )
const bytesOf = async (id: string, render?: typeof renderInvoicePdf) => {
  const file = await readFile(caller, id, undefined, render)
  return Buffer.from(file?.bytes ?? [])
}
const textOf = (bytes: Uint8Array) =>
  readPages(bytes)
    .flat()
    .map(({ text }) => text)
    .join('\n')
const storeDocument = (id: string, kind: 'original-pdf' | 'original-xml', text: string, name: string) =>
  scope(caller, (tx) =>
    storeFile(tx, caller.customerId, { invoiceId: id, kind, name, bytes: Buffer.from(text) }),
  )
const never: typeof renderInvoicePdf = () => Promise.reject(new Error('It is drawn again.'))

const files = route(readInvoiceFile)
function request(id: string, { key = keys.finance, kind = '', headers = {} } = {}) {
  const url = `http://console.example/billing/v1/invoices/${encodeURIComponent(id)}/file`
  const requestHeaders = { ...headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) }
  return files.GET(new Request(kind ? `${url}?kind=${kind}` : url, { headers: requestHeaders }))
}

describe('The bytes of an issued invoice stay the same', () => {
  const edits: [what: string, edit: (id: string) => Promise<unknown>][] = [
    [
      'the issuer has another bank',
      () =>
        scope(caller, (tx) =>
          saveIssuer(tx, caller.customerId, { name: 'Reseller', iban: 'CH9300762011623852957' }, 'test'),
        ),
    ],
    [
      'the billing profile moves',
      () =>
        scope(caller, (tx) =>
          setBillingProfile(tx, caller.customerId, { id: 'default', name: 'Moved', city: 'Zurich' }),
        ),
    ],
    ['a part is paid', (id) => write('UPDATE invoices SET balance_amount = 4 WHERE id = $1', [id])],
    ['all is paid', (id) => write('UPDATE invoices SET balance_amount = 0 WHERE id = $1', [id])],
    [
      'it is voided',
      (id) => write("UPDATE invoices SET document_state = 'voided', balance_amount = 0 WHERE id = $1", [id]),
    ],
  ]

  it.each(edits)('after %s, also where the change precedes the first rendering', async (what, edit) => {
    const id = `A${edits.findIndex(([name]) => name === what)}`
    await addInvoice('northwind', id)
    const first = await bytesOf(id)
    expect(textOf(first)).toContain('10.00 USD')
    await addInvoice('northwind', `${id}-2`)
    await edit(id)
    expect(Buffer.compare(await bytesOf(id, never), first)).toBe(0)
    await edit(`${id}-2`)
    const secondText = textOf(await bytesOf(`${id}-2`)).replaceAll(`${id}-2`, id)
    if (what !== 'it is voided') expect(secondText).toBe(textOf(first))
  })

  it('after a change of our layout', async () => {
    await addInvoice('northwind', 'LAYOUT')
    const first = await bytesOf('LAYOUT')
    const other: typeof renderInvoicePdf = (document, lines) =>
      renderInvoicePdf({ ...document, platform: 'x' }, lines)
    expect(Buffer.compare(await bytesOf('LAYOUT', other), first)).toBe(0)
    await addInvoice('northwind', 'LAYOUT-2')
    const new2 = await bytesOf('LAYOUT-2', other)
    expect(textOf(new2)).not.toBe(textOf(first).replaceAll('LAYOUT', 'LAYOUT-2'))
  })

  it('for parallel first requests, though each renders different bytes', async () => {
    await addInvoice('northwind', 'RACE')
    const both = Promise.withResolvers<void>()
    let renderCount = 0
    const racing = (platform: string): typeof renderInvoicePdf => {
      return async (document, lines) => {
        renderCount += 1
        if (renderCount === 2) both.resolve()
        await both.promise
        return renderInvoicePdf({ ...document, platform }, lines)
      }
    }
    const [one, two] = await Promise.all([bytesOf('RACE', racing('a')), bytesOf('RACE', racing('b'))])
    expect(Buffer.compare(one, two)).toBe(0)
    expect(Buffer.compare(one, await bytesOf('RACE', never))).toBe(0)
    expect(await kinds('RACE')).toEqual(['drawn'])
  })

  it('within the archive', async () => {
    await addInvoice('northwind', 'ZIPPED')
    const query = { ids: ['ZIPPED'] }
    const { body } = await exportInvoiceFiles(
      caller,
      { params: {}, query, body: undefined },
      { requestId: 't' },
    )
    const [file] = unzip(Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>)))
    expect(Buffer.compare(await bytesOf('ZIPPED', never), file?.bytes ?? Buffer.alloc(0))).toBe(0)
  })
})

describe('An invoice that is not issued', () => {
  it('is rendered again for each request until its issue', async () => {
    await addInvoice('northwind', 'DRAFT', { documentState: 'draft', balanceAmount: '0' })
    expect(textOf(await bytesOf('DRAFT'))).toMatch(/^Draft\n/)
    await write('UPDATE invoices SET total_amount = 20 WHERE id = $1', ['DRAFT'])
    expect(textOf(await bytesOf('DRAFT'))).toContain('20.00 USD')
    expect(await kinds('DRAFT')).toEqual([])
    await write("UPDATE invoices SET document_state = 'issued' WHERE id = 'DRAFT'")
    expect(textOf(await bytesOf('DRAFT'))).toMatch(/^Invoice\n/)
    expect(await kinds('DRAFT')).toEqual(['drawn'])
  })

  it('is marked as voided when voided, and not stored', async () => {
    await addInvoice('northwind', 'VOID', { documentState: 'voided', balanceAmount: '0' })
    expect(textOf(await bytesOf('VOID'))).toMatch(/^Voided\n/)
    expect(await kinds('VOID')).toEqual([])
  })

  it('is rendered again when it changes during the rendering, and the stale rendering is not stored', async () => {
    await addInvoice('northwind', 'MOVING')
    let renderCount = 0
    const file = await bytesOf('MOVING', async (document, lines) => {
      renderCount += 1
      if (renderCount === 1) await write("UPDATE invoices SET total_amount = 77 WHERE id = 'MOVING'")
      return renderInvoicePdf(document, lines)
    })
    expect([renderCount, textOf(file).includes('77.00 USD')]).toEqual([2, true])
  })
})

describe('The issuer’s document', () => {
  const [PDF, XML] = ['%PDF-1.4\n%%EOF\n', '<?xml version="1.0"?><Invoice/>']

  it('is the invoice’s download, byte for byte under its name; our rendering stays available', async () => {
    await addInvoice('northwind', 'OWN')
    await storeDocument('OWN', 'original-pdf', PDF, 'Rechnung Nr. 7.pdf')
    await storeDocument('OWN', 'original-xml', XML, 'OWN.xml')
    const response = await request('OWN')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': expect.stringMatching(/^attachment; .*''Rechnung%20Nr.%207.pdf$/),
    })
    expect(await response.text()).toBe(PDF)
    expect(await (await request('OWN', { kind: 'original-pdf' })).text()).toBe(PDF)
    const ours = await request('OWN', { kind: 'drawn' })
    expect(textOf(new Uint8Array(await ours.arrayBuffer()))).toContain('10.00 USD')
    expect(ours.headers.get('content-disposition')).toContain('OWN.pdf')
    const { body } = await exportInvoiceFiles(
      caller,
      { params: {}, query: { ids: ['OWN'] }, body: undefined },
      { requestId: 'test' },
    )
    const [file] = unzip(Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>)))
    expect([file?.name, file?.bytes.toString()]).toEqual(['OWN.pdf', PDF])
  })

  it('is sent with headers that keep browsers from opening XML', async () => {
    const response = await request('OWN', { kind: 'original-xml' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename="?OWN.xml"?/),
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toBe(XML)
  })

  it('is not found unless it was stored', async () => {
    await addInvoice('northwind', 'BARE')
    for (const kind of ['original-pdf', 'original-xml'])
      expect((await request('BARE', { kind })).status).toBe(404)
    const odd = await request('BARE', { kind: 'other' })
    expect([odd.status, (await odd.json()).errors]).toMatchObject([400, [{ parameter: 'kind' }]])
  })
})

describe('A response with a file', () => {
  it('contains the digest, and is a 304 for a client that has the file', async () => {
    await addInvoice('northwind', 'DIGEST')
    const response = await request('DIGEST')
    const [etag, digest] = ['etag', 'repr-digest'].map((name) => response.headers.get(name) ?? '')
    const hex = digestOf(new Uint8Array(await response.arrayBuffer()))
    expect(digest).toBe(`sha-256=:${Buffer.from(hex, 'hex').toString('base64')}:`)
    expect((await request('DIGEST', { headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect(await write("SELECT digest FROM invoice_files WHERE invoice_id = 'DIGEST'")).toEqual([
      { digest: hex },
    ])
  })

  it('is a 500 where the stored bytes are damaged, as a single file and in the archive', async () => {
    await addInvoice('northwind', 'DAMAGED')
    await write(
      `INSERT INTO invoice_files (customer_id, invoice_id, kind, digest, bytes)
       VALUES ('northwind', 'DAMAGED', 'drawn', $1, '%PDF-damaged')`,
      [digestOf(Buffer.from('%PDF-whole'))],
    )
    const response = await request('DAMAGED')
    expect([response.status, (await response.json()).code]).toEqual([500, 'internal_error'])
    await expect(bytesOf('DAMAGED')).rejects.toThrow(
      'The stored file drawn of the invoice DAMAGED is damaged',
    )
    const query = { ids: ['DAMAGED'] }
    const { body } = await exportInvoiceFiles(
      caller,
      { params: {}, query, body: undefined },
      { requestId: 't' },
    )
    await expect(Array.fromAsync(body as AsyncIterable<Uint8Array>)).rejects.toThrow('damaged')
  })

  it('requires a key, the role, the customer and the billing profile', async () => {
    await addInvoice('northwind', 'EM', { billingProfileId: 'emea' })
    for (const id of ['EM', 'OWN']) {
      for (const kind of ['', 'drawn', 'original-pdf']) {
        expect((await request(id, { kind, key: '' })).status).toBe(401)
        expect((await request(id, { kind, key: keys.it })).status).toBe(403)
        expect((await request(id, { kind, key: keys.other })).status).toBe(404)
      }
    }
    expect((await request('EM', { key: keys.emea })).status).toBe(200)
    for (const kind of ['', 'drawn', 'original-pdf', 'original-xml'])
      expect((await request('OWN', { kind, key: keys.emea })).status).toBe(404)
    await storeDocument('EM', 'original-pdf', '%PDF-emea', 'EM.pdf')
    await addInvoice('southwind', 'EM')
    expect(await (await request('EM', { key: keys.other, kind: 'original-pdf' })).json()).toMatchObject({
      code: 'not_found',
    })
  })
})

it('Documents are append-only: the app may neither change nor delete one', async () => {
  await expect(write("UPDATE invoice_files SET bytes = ''")).rejects.toThrow('permission denied')
  await expect(write('DELETE FROM invoice_files')).rejects.toThrow('permission denied')
  await expect(write("UPDATE parties SET content = '{}'")).rejects.toThrow('permission denied')
  await expect(write('DELETE FROM parties')).rejects.toThrow('permission denied')
})
