import { type IncomingHttpHeaders, request } from 'node:http'
import { expect, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { startNextAlone } from '../next-alone.ts'

// The route files are mounted twice: by our server without Next's router, and by Next. Answers must be byte-identical,
// except for dates, request ids and the headers of the front door. Only in a deep run: callers meet only our server.

let alone: Awaited<ReturnType<typeof startNextAlone>>
let keys: Record<'admin' | 'finance' | 'it' | 'none' | 'other', string>

test.beforeAll(async () => {
  const customer = await newCustomer('twoways')
  const other = await newCustomer('elsewhere')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('cloud-platform-1', 'Production'),
  ])
  await customer.importInvoices([
    invoice('IN-1'),
    invoice('IN/2 é'),
    invoice('IN-3', { totalAmount: '12.5' }),
  ])
  keys = {
    admin: await customer.key('admin'),
    finance: await customer.key('finance-user'),
    it: await customer.key('it-manager'),
    none: await customer.key('it-manager'),
    other: await other.key('admin'),
  }
  alone = await startNextAlone()
})
test.afterAll(() => alone?.stop())

type Call = { method?: string; path: string; headers?: Record<string, string>; body?: string }
type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }

function send(base: string, { method = 'GET', path, headers = {}, body }: Call): Promise<Answer> {
  const { hostname, port, host } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { host, ...headers } }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () =>
        resolve({ status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Headers that depend on the connection, the clock or the front door. */
const NOT_COMPARED = [
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'request-id',
  // Each server reports its own remaining shares; the policies are compared.
  'ratelimit',
  'vary',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'permissions-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-frame-options',
]

function plain({ status, headers, body }: Answer) {
  const id = headers['request-id']
  const text = body.toString('latin1')
  // Our own front door reports the limit of strangers' addresses.
  const isAnonymousLimit = String(headers['ratelimit-policy']).startsWith('"strangers"')
  const stable = Object.entries(headers).filter(
    ([name]) => !NOT_COMPARED.includes(name) && !(isAnonymousLimit && name.startsWith('ratelimit')),
  )
  // Ids and times of changes differ.
  const same = (id ? text.replaceAll(String(id), 'ID') : text)
    .replace(/"(id|time|settleTime|createTime)":("[0-9a-f-]{36}"|\d{13})/g, '"$1":0')
    .replaceAll('workspace-suite-2', 'workspace-suite-1')
    // Each export is recorded as an event.
    .replace(/^.*,export\.begun,.*\r\n/gm, '')
  return { status, headers: Object.fromEntries(stable), body: same }
}

async function compare(base: string, call: Call, other = call) {
  const [ours, nexts] = [await send(base, call), await send(alone.url, other)]
  // The ETag depends on the id.
  if (other !== call) nexts.headers.etag = ours.headers.etag
  const title = `${call.method ?? 'GET'} ${call.path}`
  expect({ call: title, ...plain(ours) }).toEqual({ call: title, ...plain(nexts) })
  expect(String(ours.headers.vary ?? '')).not.toMatch(/rsc|next/i)
  return ours
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test('both servers give the same answers for each documented path, and refusals', { tag: '@deep' }, async ({
  baseURL,
}) => {
  const base = baseURL as string
  const { body } = await send(base, { path: '/billing/v1/openapi.json' })
  const { paths } = JSON.parse(body.toString()) as { paths: Record<string, Record<string, unknown>> }
  const parameters: Record<string, string> = {
    asset_id: 'workspace-suite-1',
    invoice_id: 'IN%2F2%20%C3%A9',
    change_id: 'none',
  }
  expect(Object.keys(paths).length).toBeGreaterThan(15)
  // Each export is recorded as an event: the CSV is compared without these.
  const compared = Object.keys(paths).filter((path) => path !== '/billing/v1/audit-events.xlsx')
  for (const template of compared) {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'none')
    await compare(base, { path, headers: bearer(keys.admin) })
    const others: Call[] = [
      // Roles are decided behind both: an allowed, a refused and an unknown caller are enough.
      { path, headers: bearer(keys.other) },
      { path, headers: bearer('lik_nobody') },
      { path },
      { path: `${path}/`, headers: bearer(keys.admin) },
      // Except for invalid UTF-8, which Next decodes with replacement characters.
      { path: `${path}?filter=x&maxResults=0&pageToken=x`, headers: bearer(keys.admin) },
      { path, method: 'HEAD', headers: bearer(keys.admin) },
      { path, method: 'PUT', headers: bearer(keys.admin), body: '{}' },
      { path, method: 'OPTIONS', headers: bearer(keys.admin) },
    ]
    for (const call of others) await compare(base, call)
  }
})

test('lists, pages, files and streams are byte-identical', { tag: '@deep' }, async ({ baseURL }) => {
  const base = baseURL as string
  const headers = bearer(keys.admin)
  for (const path of [
    '/billing/v1/invoices?maxResults=1',
    '/billing/v1/invoices?filter=status%3APAST%20DUE%7COPEN&orderBy=totalAmount+desc',
    '/billing/v1/invoices?search=in%2F2&minCreationTime=1',
    '/billing/v1/invoices.csv?lines=true',
    '/billing/v1/invoices.zip?ids=IN-1%7CIN-3',
    '/billing/v1/invoices/IN-1/file',
    '/billing/v1/invoice-comparison?from=IN-1&to=IN-3',
    '/billing/v1/invoice-explanation?month=2026-10',
    '/billing/v1/assets?view=full&filter=type:workspace-suite',
  ]) {
    const { headers: answered } = await compare(base, { path, headers })
    const etag = answered.etag
    if (etag) await compare(base, { path, headers: { ...headers, 'if-none-match': etag } })
  }
})

test('both servers give the same answers to changes and to refused changes', { tag: '@deep' }, async ({
  baseURL,
}) => {
  const base = baseURL as string
  const path = '/billing/v1/assets/workspace-suite-1'
  const json = { ...bearer(keys.it), 'content-type': 'application/json' }
  const patch = (body: string, headers: Record<string, string> = json): Call => ({
    method: 'PATCH',
    path,
    headers,
    body,
  })
  for (const call of [
    patch('{}'),
    patch('{"quantity":'),
    patch('{"quantity":"5"}'),
    patch('{"quantity":5,"odd":1}'),
    patch('{"quantity":5}', bearer(keys.it)),
    patch('{"quantity":5}', { ...json, 'if-match': '"x"' }),
    patch('{"quantity":5}', { ...json, ...bearer(keys.finance) }),
    patch(`{"quantity":5,"note":"${'x'.repeat(20_000)}"}`),
    { method: 'DELETE', path, headers: json },
    { method: 'POST', path: '/billing/v1/nowhere', headers: json, body: '{}' },
    { method: 'DELETE', path: '/billing/v1/sessions/none', headers: bearer(keys.admin) },
    { method: 'DELETE', path: '/billing/v1/sessions', headers: bearer(keys.admin) },
  ])
    await compare(base, call)
  const twin = { ...patch('{"quantity":250}'), path: '/billing/v1/assets/workspace-suite-2' }
  const done = await compare(base, patch('{"quantity":250}'), twin)
  expect(done.status).toBe(200)
})

test('unknown paths get the same answers', { tag: '@deep' }, async ({ baseURL }) => {
  for (const path of [
    '/billing',
    '/billing/',
    '/billing/v1',
    '/billing/v2/invoices',
    '/billing/v1/invoices/IN-1/file/more',
    '/billing/v1/Invoices',
    '/auth',
    '/auth/v1/validate/more',
  ])
    for (const headers of [{}, bearer(keys.admin)]) await compare(baseURL as string, { path, headers })
})
