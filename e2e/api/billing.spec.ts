import { type APIResponse, expect, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'

type Customer = Awaited<ReturnType<typeof newCustomer>>
let customer: Customer
let other: Customer
const keys = { it: '', finance: '', admin: '', other: '' }

test.beforeAll(async () => {
  customer = await newCustomer('northwind')
  other = await newCustomer('southwind')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Frontline Starter', { purchased: 0 }),
    asset('workspace-suite-3', 'Enterprise', {
      purchased: 60,
      assigned: 60,
      commitmentEnd: '2027-03-01T00:00:00Z',
    }),
    asset('cloud-platform-1', 'Production'),
  ])
  await customer.importInvoices([
    invoice('IN-1', { platform: 'web-services', invoiceDate: '2026-09-30', totalAmount: '39004.92' }),
    invoice('IN/2 é', {
      invoiceDate: '2026-10-31',
      dueDate: '2099-11-30',
      currency: 'EUR',
      totalAmount: '0.1',
    }),
  ])
  await other.importInvoices([invoice('IN-9')])
  keys.it = await customer.key('it-manager')
  keys.finance = await customer.key('finance-user')
  keys.admin = await customer.key('admin')
  keys.other = await other.key('admin')
})

const bearer = (key: string) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })
const problem = async (response: APIResponse) => {
  expect(response.headers()['content-type']).toContain('application/problem+json')
  const body = await response.json()
  expect(body.instance).toBe(response.headers()['request-id'])
  return `${response.status()} ${body.code}`
}

test('4.1 lists assets, with the shape of 2.1', async ({ request, baseURL }) => {
  const all = await request.get('/billing/v1/assets', { headers: bearer(keys.it) })
  const { assets, rowCount } = await all.json()
  expect([all.status(), rowCount]).toEqual([200, 4])
  expect(assets.find(({ id }: { id: string }) => id === 'workspace-suite-2')).toEqual({
    id: 'workspace-suite-2',
    type: 'workspace-suite',
    licenseQty: '0',
    assetName: 'Frontline Starter',
    url: `${baseURL}/assets?filter=type:workspace-suite`,
    name: 'Frontline Starter',
    quantity: 0,
    createTime: Date.parse('2026-01-15T09:00:00Z'),
  })
  expect(assets.find(({ type }: { type: string }) => type === 'cloud-platform').licenseQty).toBe('N/A')
  for (const filter of ['type:cloud-platform|type:web-services', 'type%3Acloud-platform%7Cweb-services']) {
    const some = await request.get(`/billing/v1/assets?filter=${filter}`, { headers: bearer(keys.it) })
    expect((await some.json()).rowCount).toBe(1)
  }
})

test('4.2 sets the total and answers the Asset of 2.2', async ({ request }) => {
  const patch = (id: string, data: unknown) =>
    request.patch(`/billing/v1/assets/${id}`, { headers: bearer(keys.it), data })
  const done = await patch('workspace-suite-1', { quantity: 195 })
  expect(done.status()).toBe(200)
  expect(await done.json()).toMatchObject({
    id: 'workspace-suite-1',
    settings: null,
    properties: {
      subscription: {
        BillingMethod: 'ONLINE',
        PurchaseOrderID: '',
        RenewalSettings: null,
        Plan: { CommitmentInterval: null, IsCommitmentPlan: false, PlanName: 'FLEXIBLE' },
        Seats: { NumberOfSeats: 195, MaximumNumberOfSeats: 195, LicensedNumberOfSeats: 182 },
      },
    },
  })
  expect(await problem(await patch('workspace-suite-1', { quantity: 181 }))).toBe('422 vendor_rejected')
  expect(await problem(await patch('cloud-platform-1', { quantity: 1 }))).toBe('422 quantity_not_supported')
  expect(await problem(await patch('workspace-suite-1', { quantity: '196' }))).toBe('400 invalid_request')
  expect(await problem(await patch('workspace-suite-9', { quantity: 1 }))).toBe('404 not_found')
  const read = await request.get('/billing/v1/assets/workspace-suite-1', { headers: bearer(keys.it) })
  expect((await read.json()).properties.subscription.Seats.NumberOfSeats).toBe(195)
})

test('8.1 a commitment plan is never lowered, and the refusal names the minimum and its end', async ({
  request,
}) => {
  const patch = (quantity: number) =>
    request.patch('/billing/v1/assets/workspace-suite-3', { headers: bearer(keys.it), data: { quantity } })
  const rejected = await patch(59)
  expect(await rejected.json()).toMatchObject({
    code: 'decrease_not_allowed',
    status: 409,
    current: 60,
    minimum: 60,
    commitmentEndTime: Date.parse('2027-03-01T00:00:00Z'),
    type: expect.stringMatching(/^http.*\/developers\/errors#decrease_not_allowed$/),
    renewal: {
      url: expect.stringMatching(/^http.*\/billing\/v1\/assets\/workspace-suite-3\/renewal$/),
      decideBy: Date.parse('2027-02-28T00:00:00Z'),
    },
  })
  expect((await patch(80)).status()).toBe(200)
  expect((await patch(79)).status()).toBe(409)
  const read = await request.get('/billing/v1/assets/workspace-suite-3', { headers: bearer(keys.it) })
  expect((await read.json()).properties.subscription.Seats.NumberOfSeats).toBe(80)
})

test('4.3 lists invoices without lines, by platform and time', async ({ request }) => {
  const ids = async (search: string) => {
    const response = await request.get(`/billing/v1/invoices?${search}`, { headers: bearer(keys.finance) })
    const { invoices } = await response.json()
    expect(invoices.every((each: object) => !('lineItems' in each))).toBe(true)
    return invoices.map(({ id }: { id: string }) => id)
  }
  const september = Date.UTC(2026, 8, 30) / 1000
  expect(await ids('')).toEqual(['IN/2 é', 'IN-1'])
  expect(await ids('filter=platform:web-services|workspace-suite')).toEqual(['IN-1'])
  expect(await ids(`minCreationTime=${september}`)).toEqual(['IN/2 é', 'IN-1'])
  expect(await ids(`minCreationTime=${september + 1}`)).toEqual(['IN/2 é'])
  expect(await ids(`minCreationTime=${(september + 1) * 1000}`)).toEqual(['IN/2 é'])
  expect(await ids(`minCreationTime=${september}&filter=platform:web-services`)).toEqual(['IN-1'])
  expect(await ids('filter=status:PAST DUE')).toEqual(['IN-1'])
})

test('additions to 4.3: invoices are sorted, and filtered invoices are summed', async ({ request }) => {
  const get = (path: string) => request.get(`/billing/v1/${path}`, { headers: bearer(keys.finance) })
  const ids = async (sort: string) =>
    (await (await get(`invoices?orderBy=${sort}`)).json()).invoices.map(({ id }: { id: string }) => id)
  expect(await ids('totalAmount')).toEqual(['IN/2 é', 'IN-1'])
  expect(await ids('totalAmount+desc')).toEqual(['IN-1', 'IN/2 é'])
  expect(await ids('dueDate%20asc')).toEqual(['IN-1', 'IN/2 é'])
  const rejected = await get('invoices?orderBy=total')
  expect(await rejected.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ parameter: 'orderBy', detail: expect.stringContaining('invoiceDate, dueDate, totalAmount') }],
  })
  const first = await (await get('invoices?orderBy=totalAmount&maxResults=1')).json()
  expect(await problem(await get(`invoices?pageToken=${first.pageToken}`))).toBe('400 page_token_invalid')
  const { count, currencies } = await (await get('invoice-summary?filter=status:PAST DUE')).json()
  expect([count, currencies.length]).toEqual([1, 1])
  expect(currencies[0]).toMatchObject({
    currency: 'USD',
    count: 1,
    totalAmount: 39004.92,
    balanceAmount: 39004.92,
    pastDue: { count: 1, amount: 39004.92, oldestDueDate: Date.UTC(2026, 9, 30) },
    dueIn30Days: { count: 0, amount: 0 },
    months: [
      {
        month: Date.UTC(2026, 8, 1),
        count: 1,
        totalAmount: 39004.92,
        platforms: [{ platform: 'web-services', count: 1, totalAmount: 39004.92 }],
      },
    ],
  })
})

test('4.4 reads an invoice with its lines, and its file', async ({ request, baseURL }) => {
  const response = await request.get('/billing/v1/invoices/IN-1', { headers: bearer(keys.finance) })
  const body = await response.json()
  const { itemization, files, ...specified } = body
  expect(files).toMatchObject([{ kind: 'drawn', url: expect.stringMatching(/\/IN-1\/file\?kind=drawn$/) }])
  expect(itemization).toMatchObject({ addsUp: true, priceReading: 'PER_UNIT' })
  expect(specified).toEqual({
    id: 'IN-1',
    number: 'IN-1',
    issuer: 'Reseller Ltd',
    documentState: 'issued',
    billingProfileId: 'default',
    form: 'invoice',
    correctedBy: [],
    payments: [],
    invoiceDate: Date.UTC(2026, 8, 30),
    platform: 'web-services',
    dueDate: Date.UTC(2026, 9, 30),
    status: 'PAST DUE',
    totalAmount: 39004.92,
    balanceAmount: 39004.92,
    currency: 'USD',
    url: `${baseURL}/billing/v1/invoices/IN-1/file`,
    lineItems: [
      {
        type: 'web-services',
        description: 'Compute',
        price: 39004.92,
        qty: 1,
        currency: 'USD',
        amount: 39004.92,
      },
    ],
  })
  const file = await request.get(body.url, { headers: bearer(keys.finance) })
  expect(file.headers()).toMatchObject({ 'content-type': 'application/pdf', 'cache-control': 'no-store' })
  expect((await file.body()).subarray(0, 5).toString()).toBe('%PDF-')
  expect(await problem(await request.get(body.url, { headers: bearer(keys.it) }))).toBe(
    '403 permission_denied',
  )
  const odd = encodeURIComponent('IN/2 é')
  const read = await request.get(`/billing/v1/invoices/${odd}`, { headers: bearer(keys.finance) })
  expect((await read.json()).id).toBe('IN/2 é')
  expect(
    (await request.get(`/billing/v1/invoices/${odd}/file`, { headers: bearer(keys.finance) })).status(),
  ).toBe(200)
})

test('5 each call needs a key with its permission; a foreign record looks missing', async ({ request }) => {
  for (const [path, permission] of [
    ['/billing/v1/assets', 'licenses'],
    ['/billing/v1/assets/workspace-suite-1', 'licenses'],
    ['/billing/v1/asset-summary', 'licenses'],
    ['/billing/v1/invoices', 'invoices'],
    ['/billing/v1/invoices/IN-1', 'invoices'],
    ['/billing/v1/invoices/IN-1/file', 'invoices'],
    ['/billing/v1/invoice-summary', 'invoices'],
  ] as const) {
    const status = async (key: string) => (await request.get(path, { headers: bearer(key) })).status()
    expect([path, await status(keys.it)]).toEqual([path, permission === 'licenses' ? 200 : 403])
    expect([path, await status(keys.finance)]).toEqual([path, permission === 'invoices' ? 200 : 403])
    expect([path, await status(keys.admin)]).toEqual([path, 200])
    expect(await problem(await request.get(path))).toBe('401 unauthenticated')
  }
  const foreign = await request.get('/billing/v1/invoices/IN-1', { headers: bearer(keys.other) })
  expect(await problem(foreign)).toBe('404 not_found')
  const list = await request.get('/billing/v1/invoices?filter=platform:a|cloud-platform', {
    headers: bearer(keys.other),
  })
  expect((await list.json()).invoices.map(({ id }: { id: string }) => id)).toEqual(['IN-9'])
  const validate = await request.get('/auth/v1/validate', { headers: bearer(keys.it) })
  expect(await validate.json()).toEqual({ domain: customer.domain, email: `billing@${customer.domain}` })
})

test('the OpenAPI document names every call and every problem', async ({ request }) => {
  const document = await (await request.get('/billing/v1/openapi.json')).json()
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  // Calls of the specification and the first additions; test/architecture/routes.test.ts checks that none is missing.
  expect(calls).toEqual(
    expect.arrayContaining([
      'GET /auth/v1/validate',
      'GET /billing/v1/asset-summary',
      'GET /billing/v1/assets',
      'GET /billing/v1/assets/{asset_id}',
      'GET /billing/v1/invoice-summary',
      'GET /billing/v1/invoices',
      'GET /billing/v1/invoices/{invoice_id}',
      'GET /billing/v1/invoices/{invoice_id}/file',
      'GET /billing/v1/license-changes',
      'GET /billing/v1/openapi.json',
      'PATCH /billing/v1/assets/{asset_id}',
    ]),
  )
  expect(document.components.schemas.Problem.discriminator.mapping).toHaveProperty('decrease_not_allowed')
  const refs = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? []
  const schemas = Object.keys(document.components.schemas)
  expect(refs.filter((ref) => !schemas.includes(ref.split('/').at(-1) ?? ''))).toEqual([])
})
