import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { unzip } from '#lib/platform/files/test-zip.ts'
import { pdfErrors } from '#lib/platform/pdf/test-check.ts'
import { invoice, newCustomer } from '../admin.ts'
import { createDatabase } from '../database.ts'
import { isolatedEnvironment, run, startIsolatedApp } from '../isolated-app.ts'

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    description: `Line ${index} of a service that is billed by use`,
    price: '1.5',
    qty: String(index),
    details: `${index} ${'usage '.repeat(index % 9)}`,
  }))
const many = Array.from({ length: 30 }, (_, index) =>
  invoice(`IN-${1000 + index}`, {
    issuer: { name: 'Cloud Resale', address: 'Kai 1\nZurich' },
    lines: lines(60),
  }),
)

let customer: Awaited<ReturnType<typeof newCustomer>>
let other: Awaited<ReturnType<typeof newCustomer>>
const keys = { finance: '', it: '', other: '' }

test.beforeAll(async () => {
  ;[customer, other] = [await newCustomer('downloads'), await newCustomer('downloadsother')]
  await customer.importInvoices([...many, invoice('A/1 é', { totalAmount: '12.34', lines: lines(1) })])
  await other.importInvoices([invoice('OTHER-1')])
  keys.finance = await customer.key('finance-user')
  keys.it = await customer.key('it-manager')
  keys.other = await other.key('finance-user')
})

const ZIP = '/billing/v1/invoices.zip'
const as = (key: string, more = {}) => ({ headers: { Authorization: `Bearer ${key}`, ...more } })

test('an invoice is a tagged PDF with both parties, and a conditional request gets a 304', async ({
  request: api,
}) => {
  const path = `/billing/v1/invoices/${encodeURIComponent('A/1 é')}/file`
  const answer = await api.get(path, as(keys.finance))
  expect(answer.headers()).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="A-1-.pdf"; filename*=UTF-8''A-1%20%C3%A9.pdf`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'repr-digest': expect.stringMatching(/^sha-256=:.{44}:$/),
  })
  expect(pdfErrors(await answer.body())).toEqual([])
  const again = await api.get(path, as(keys.finance, { 'If-None-Match': answer.headers().etag ?? '' }))
  expect(again.status()).toBe(304)
  expect((await api.get(path, as(keys.other))).status()).toBe(404)
  expect((await api.get(path, as(keys.it))).status()).toBe(403)
})

test('filtered or named invoices are downloaded as one archive', async ({ request: api }) => {
  const answer = await api.get(`${ZIP}?search=in-`, as(keys.finance))
  expect(answer.headers()).toMatchObject({
    'content-type': 'application/zip',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'transfer-encoding': 'chunked',
  })
  const files = unzip(await answer.body())
  expect(files.map(({ name }) => name).sort()).toEqual(many.map(({ id }) => `${id}.pdf`).sort())
  expect(files.flatMap(({ bytes }) => pdfErrors(bytes))).toEqual([])
  const single = await api.get('/billing/v1/invoices/IN-1007/file', as(keys.finance))
  expect(files.find(({ name }) => name === 'IN-1007.pdf')?.bytes.equals(await single.body())).toBe(true)

  const named = await api.get(`${ZIP}?ids=${encodeURIComponent('A/1 é|IN-1000')}`, as(keys.finance))
  expect(
    unzip(await named.body())
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['A-1 é.pdf', 'IN-1000.pdf'])
  const bodiless = await api.head(`${ZIP}?search=in-`, as(keys.finance))
  expect([bodiless.status(), bodiless.headers()['content-type']]).toEqual([200, 'application/zip'])
})

test('files of other customers are not found, and errors are problems', async ({ request: api }) => {
  const download = async (query: string, key: string) => {
    const answer = await api.get(`${ZIP}?${query}`, key ? as(key) : {})
    return [answer.status(), (await answer.json()).code]
  }
  expect(await download('ids=OTHER-1', keys.finance)).toEqual([404, 'not_found'])
  expect(await download('ids=IN-1000', keys.other)).toEqual([404, 'not_found'])
  expect(await download('', keys.it)).toEqual([403, 'permission_denied'])
  expect(await download('', '')).toEqual([401, 'unauthenticated'])
  expect(await download('ids=%25', keys.finance)).toEqual([400, 'invalid_request'])
  expect(await download('filter=x', keys.finance)).toEqual([400, 'filter_invalid'])
})

/** Starts a download and disconnects after its first bytes. */
function leave(url: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      url,
      { headers: { Authorization: `Bearer ${key}` }, agent: false },
      (answer) => {
        answer.once('data', () => {
          clientRequest.destroy()
          resolve()
        })
      },
    )
    clientRequest.once('error', reject).end()
  })
}

test('disconnected clients stop their downloads and leave nothing behind', async ({
  request: api,
  baseURL,
}) => {
  const csv = '/billing/v1/invoices.csv?lines=true'
  // More clients than parallel exports are allowed: if one export stayed, the last client would get no slot.
  for (let round = 0; round < 3; round++)
    await Promise.all([ZIP, csv, csv].map((path) => leave(`${baseURL}${path}`, keys.finance)))
  const statuses = async () => {
    const answers = await Promise.all([csv, csv, csv, csv].map((path) => api.get(path, as(keys.finance))))
    return answers.map((answer) => answer.status())
  }
  // A stalled export is aborted after a minute and a half in any case: the cleanup must be faster.
  await expect.poll(statuses, { timeout: 12_000 }).toEqual([200, 200, 200, 200])
})

test('a process that is asked to stop finishes its downloads', { tag: '@deep' }, async () => {
  const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-downloads-'))
  const database = await createDatabase()
  const env = isolatedEnvironment(data, database.settings)
  const app = await startIsolatedApp(env)
  try {
    const admin = async (args: string[], input = '') => {
      const { code, out, err } = await run('lib/admin/main.ts', env, args, input)
      expect(code, err).toBe(0)
      return out.trim()
    }
    const named = ['--id', 'own', '--name', 'Own Ltd', '--domain', 'own.example']
    await admin(['customers', 'add', ...named, '--contact-email', 'a@own.example'])
    await admin(['import', 'invoices', '-', '--customer', 'own'], JSON.stringify(many))
    const key = await admin([
      'keys',
      'issue',
      '--customer',
      'own',
      '--role',
      'finance-user',
      '--name',
      'test',
    ])
    const answer = await fetch(`${app.url}${ZIP}`, as(key))
    app.kill('SIGTERM')
    expect(unzip(new Uint8Array(await answer.arrayBuffer()))).toHaveLength(30)
    expect(await app.ended).toBe(0)
  } finally {
    app.kill('SIGTERM')
    await app.ended
    await database.drop()
    rmSync(data, { recursive: true, force: true })
  }
})
