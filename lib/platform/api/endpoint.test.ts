import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import * as files from '#lib/billing/invoice-files/operations.ts'
import * as invoices from '#lib/billing/invoices/operations.ts'
import { validateKey } from '#lib/identity/keys/operations.ts'
import * as assets from '#lib/licenses/assets/operations.ts'
import * as changes from '#lib/licenses/license-changes/operations.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { lazyPath, mountedBy, route, unknownPath } from './endpoint.ts'
import { readBytes } from './request.ts'

const ROUTES: [RegExp, ReturnType<typeof route>][] = [
  [/^\/billing\/v1\/assets\/?$/, route(assets.listAssets)],
  [/^\/billing\/v1\/assets\/[^/]+\/?$/, route(assets.readAsset, changes.setQuantity)],
  [/^\/billing\/v1\/asset-summary$/, route(assets.summarizeAssets)],
  [/^\/billing\/v1\/invoices\/?$/, route(invoices.listInvoices)],
  [/^\/billing\/v1\/invoices\/[^/]+$/, route(invoices.readInvoice)],
  [/^\/billing\/v1\/invoices\/[^/]+\/file$/, route(files.readInvoiceFile)],
  [/^\/billing\/v1\/invoice-summary$/, route(invoices.summarizeInvoices)],
  [/^\/auth\/v1\/validate$/, route(validateKey)],
]

type Sent = { key?: string; body?: string | Uint8Array; headers?: Record<string, string> }

async function send(method: string, target: string, { key, body, headers = {} }: Sent = {}) {
  const url = new URL(target, 'http://console.example')
  const handlers = ROUTES.find(([path]) => path.test(url.pathname))?.[1] ?? unknownPath()
  const request = new Request(url, {
    method,
    headers: {
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  })
  const response = await handlers[method as 'GET'](request)
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    json: isJson && text ? JSON.parse(text) : undefined,
    text,
  }
}

let database: TestDatabase
const keys = { it: '', finance: '', admin: '', none: '', other: '' }

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  keys.it = await addKey('northwind', ['it-manager'])
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.admin = await addKey('northwind', ['admin'])
  keys.none = await addKey('northwind', [])
  keys.other = await addKey('southwind', ['admin'])
  await addAsset('northwind', 'workspace-suite-1', { purchased: 10, assigned: 4 })
  await addAsset('northwind', 'cloud-platform-1', null)
  await addInvoice('northwind', 'IN/2026 é|1')
  await addInvoice('southwind', 'IN-2')
})
afterAll(() => database.close())

const ASSET = '/billing/v1/assets/workspace-suite-1'

describe('permissions of roles (spec 5.3)', () => {
  const calls: [string, string, 'licenses' | 'invoices' | 'any'][] = [
    ['GET', '/billing/v1/assets', 'licenses'],
    ['GET', ASSET, 'licenses'],
    ['PATCH', ASSET, 'licenses'],
    ['GET', '/billing/v1/asset-summary', 'licenses'],
    ['GET', '/billing/v1/invoices', 'invoices'],
    ['GET', `/billing/v1/invoices/${encodeURIComponent('IN/2026 é|1')}`, 'invoices'],
    ['GET', '/billing/v1/invoice-summary', 'invoices'],
    ['GET', '/auth/v1/validate', 'any'],
  ]
  it.each(calls)('%s %s', async (method, target, needs) => {
    const body = method === 'PATCH' ? { body: '{"quantity":10}' } : {}
    const status = async (key: string) => (await send(method, target, { key, ...body })).status
    expect(await status(keys.it)).toBe(needs === 'invoices' ? 403 : 200)
    expect(await status(keys.finance)).toBe(needs === 'licenses' ? 403 : 200)
    expect(await status(keys.admin)).toBe(200)
    expect(await status(keys.none)).toBe(needs === 'any' ? 200 : 403)
    expect((await send(method, target, body)).status).toBe(401)
  })

  it('names the missing permission, and the roles that carry it', async () => {
    const { json, headers } = await send('GET', '/billing/v1/invoices', { key: keys.it })
    expect(json).toMatchObject({ code: 'permission_denied', permission: 'Invoice Viewer' })
    expect(json.detail).toContain('Finance User or Admin')
    expect(json.instance).toBe(headers.get('Request-Id'))
  })

  it.each(['Bearer', 'Bearer x', 'Basic abc', `Bearer lic_${'a'.repeat(36)}`, ''])(
    'answers 401 for the header "%s" and names the scheme',
    async (authorization) => {
      const { status, headers, json } = await send('GET', '/billing/v1/assets', {
        headers: { authorization },
      })
      expect([status, json.code]).toEqual([401, 'unauthenticated'])
      expect(headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
    },
  )

  it.each([
    ['revoked', { revokedAt: new Date() }],
    ['expired', { expiresAt: new Date(Date.now() - 1000) }],
  ])('answers 401 for a key that is %s', async (_, keyFields) => {
    const key = await addKey('northwind', ['admin'], keyFields)
    expect((await send('GET', '/billing/v1/assets', { key })).status).toBe(401)
  })

  it('a key holds no more than its issuer holds now', async () => {
    const issuedBy = await addMember('northwind', { roles: ['it-manager'] })
    const key = await addKey('northwind', ['admin', 'it-manager'], { issuedBy })
    expect((await send('GET', '/billing/v1/assets', { key })).status).toBe(200)
    expect((await send('GET', '/billing/v1/invoices', { key })).status).toBe(403)
    await database.sql('northwind', 'UPDATE members SET roles = $2 WHERE id = $1', [issuedBy, []])
    expect((await send('GET', '/billing/v1/assets', { key })).status).toBe(403)
    await database.sql('northwind', 'UPDATE members SET disabled_at = now() WHERE id = $1', [issuedBy])
    expect((await send('GET', '/billing/v1/assets', { key })).status).toBe(401)
  })
})

describe('the route handler', () => {
  it('answers 405 with Allow, as a problem', async () => {
    const sent: [string, Sent['headers']?][] = [['POST'], ['DELETE'], ['OPTIONS', { 'X-Method': 'TRACE' }]]
    for (const [method, more = {}] of sent) {
      const { status, headers, json } = await send(method, ASSET, { key: keys.it, headers: more })
      expect([status, headers.get('Allow'), json.code]).toEqual([
        405,
        'GET, HEAD, PATCH',
        'method_not_allowed',
      ])
    }
    expect((await send('POST', ASSET)).status).toBe(401)
  })

  it('answers 404 for unknown paths, as a problem', async () => {
    const { status, headers, json } = await send('GET', '/billing/v1/nothing')
    expect([status, json.code]).toEqual([404, 'not_found'])
    expect(headers.get('Content-Type')).toBe('application/problem+json')
  })

  it('answers a foreign id exactly like a missing one', async () => {
    const read = async (target: string, method = 'GET') => {
      const { status, json } = await send(method, target, {
        key: keys.other,
        ...(method === 'PATCH' ? { body: '{"quantity":1}' } : {}),
      })
      return { status, ...json, instance: '' }
    }
    expect(await read(ASSET)).toEqual(await read('/billing/v1/assets/workspace-suite-none'))
    expect(await read(ASSET, 'PATCH')).toEqual(await read('/billing/v1/assets/workspace-suite-none', 'PATCH'))
    expect(await read(`/billing/v1/invoices/${encodeURIComponent('IN/2026 é|1')}`)).toEqual(
      await read('/billing/v1/invoices/x'),
    )
    expect((await read(ASSET)).status).toBe(404)
  })

  it.each(['%ff', '%00', 'a%00b', 'x'.repeat(400), '%E0%80'])('answers 404 for the id %s', async (id) => {
    expect((await send('GET', `/billing/v1/assets/${id}`, { key: keys.it })).status).toBe(404)
  })

  it('reads an id with a slash, a space and more', async () => {
    const { status, json } = await send('GET', `/billing/v1/invoices/${encodeURIComponent('IN/2026 é|1')}`, {
      key: keys.finance,
    })
    expect([status, json.id, json.lineItems.length]).toEqual([200, 'IN/2026 é|1', 1])
    expect(new URL(json.url).pathname).toBe(`/billing/v1/invoices/${encodeURIComponent('IN/2026 é|1')}/file`)
  })

  it.each([
    ['filter=type:%FF', 'invalid_request'],
    ['filter=type:a%00', 'invalid_request'],
    ['filter=type:a&filter=type:b', 'invalid_request'],
    ['filter=name:a', 'filter_invalid'],
    ['filter=', 'filter_invalid'],
    ['maxResults=0', 'invalid_request'],
    ['maxResults=', 'invalid_request'],
    ['maxResults=-1', 'invalid_request'],
    ['maxResults=1.5', 'invalid_request'],
    ['maxResults=1e2', 'invalid_request'],
    ['maxResults=ten', 'invalid_request'],
    ['view=some', 'invalid_request'],
    ['pageToken=x', 'page_token_invalid'],
    ['pageToken=', 'page_token_invalid'],
    [`pageToken=${'x'.repeat(2001)}`, 'page_token_invalid'],
    [`search=${'x'.repeat(201)}`, 'invalid_request'],
  ])('answers 400 for ?%s', async (search, code) => {
    const { status, json } = await send('GET', `/billing/v1/assets?${search}`, { key: keys.it })
    expect([status, json.code]).toEqual([400, code])
    expect(json.errors[0].parameter).toBe(search.split('=')[0])
    expect(json.error).toBe(json.detail)
  })

  it('ignores unknown parameters and a trailing slash', async () => {
    const plain = await send('GET', '/billing/v1/assets', { key: keys.it })
    const odd = await send(
      'GET',
      '/billing/v1/assets/?utm=1&constructor=2&__proto__=3&x=%zz&%zz=%zz&%&=%FF&search%00=x',
      {
        key: keys.it,
      },
    )
    expect(plain.status).toBe(200)
    expect([odd.status, odd.text]).toEqual([200, plain.text])
  })

  it('clamps maxResults, and reads raw and encoded filters the same', async () => {
    for (const more of ['1000', '9'.repeat(40)]) {
      expect((await send('GET', `/billing/v1/assets?maxResults=${more}`, { key: keys.it })).status).toBe(200)
    }
    const raw = await send('GET', '/billing/v1/assets?filter=type:cloud-platform|type:web-services', {
      key: keys.it,
    })
    const encoded = await send(
      'GET',
      '/billing/v1/assets?filter=type%3Acloud-platform%7Ctype%3Aweb-services',
      { key: keys.it },
    )
    expect(raw.json.assets.map(({ id }: { id: string }) => id)).toEqual(['cloud-platform-1'])
    expect(encoded.text).toBe(raw.text)
  })

  it('answers a GET with its ETag, and 304 to a client that has this version', async () => {
    for (const target of ['/billing/v1/assets', ASSET, '/billing/v1/asset-summary']) {
      const first = await send('GET', target, { key: keys.it })
      const etag = first.headers.get('ETag') ?? ''
      for (const matchingTag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await send('GET', target, { key: keys.it, headers: { 'If-None-Match': matchingTag } })
        expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag])
      }
      const other = await send('GET', target, { key: keys.it, headers: { 'If-None-Match': '"other"' } })
      expect([other.status, other.text]).toEqual([200, first.text])
    }
    expect((await send('GET', ASSET, { key: keys.it })).headers.get('ETag')).toMatch(/^"1\.[\w-]{22}"$/)
  })

  it('answers HEAD as GET without a body', async () => {
    const get = await send('GET', ASSET, { key: keys.it })
    const headResponse = await send('HEAD', ASSET, { key: keys.it })
    expect([headResponse.status, headResponse.text, headResponse.headers.get('ETag')]).toEqual([
      200,
      '',
      get.headers.get('ETag'),
    ])
  })
})

describe('the body of a PATCH', () => {
  const patch = (sent: Sent) => send('PATCH', ASSET, { key: keys.it, ...sent })
  const quantity = async () =>
    (await send('GET', ASSET, { key: keys.it })).json.properties.subscription.Seats.NumberOfSeats

  it.each([
    ['{}', '/quantity'],
    ['{"quantity":"11"}', '/quantity'],
    ['{"quantity":10.5}', '/quantity'],
    ['{"quantity":-1}', '/quantity'],
    ['{"quantity":1000001}', '/quantity'],
    ['{"quantity":1e999}', '/quantity'],
    ['{"quantity":null}', '/quantity'],
    ['{"quantity":[11]}', '/quantity'],
    ['{"quantity":true}', '/quantity'],
    ['{"quantity":11,"delta":1}', '/delta'],
    ['{"quantity":11,"__proto__":{"x":1}}', '/__proto__'],
    ['{"quantity":NaN}', ''],
    ['{"quantity":11', ''],
    ['[]', ''],
    ['null', ''],
    ['"11"', ''],
    [`{"quantity":${'['.repeat(5000)}${']'.repeat(5000)}}`, '/quantity'],
  ])('answers 400 for %.40s, names the field and changes nothing', async (body, pointer) => {
    const { status, json } = await patch({ body })
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
    expect(await quantity()).toBe(10)
  })

  it('answers 400 for a thousand unknown fields, and names a few of them', async () => {
    const fields = Array.from({ length: 1000 }, (_, index) => `"f${index}":1`)
    const { status, json } = await patch({ body: `{"quantity":11,${fields.join()}}` })
    expect([status, json.errors.length]).toEqual([400, 20])
  })

  it('answers 400 without a body, and for invalid UTF-8', async () => {
    expect((await patch({})).json.errors[0].pointer).toBe('/quantity')
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    expect((await patch({ body: bytes })).status).toBe(400)
  })

  it('answers 413 over 16 KiB and 415 for another type, each only after the permission check', async () => {
    const large = `{"quantity":11,"x":"${'x'.repeat(17_000)}"}`
    expect((await patch({ body: large })).json.code).toBe('body_too_large')
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      '',
    ]) {
      const { json } = await patch({ body: '{"quantity":11}', headers: { 'Content-Type': type } })
      expect(json.code).toBe('unsupported_media_type')
    }
    expect((await send('PATCH', ASSET, { key: keys.finance, body: large })).status).toBe(403)
    expect(await quantity()).toBe(10)
  })

  it('takes application/json with a charset', async () => {
    const { status } = await patch({
      body: '{"quantity":10}',
      headers: { 'Content-Type': 'application/json; charset=UTF-8' },
    })
    expect(status).toBe(200)
  })
})

describe('failures of the database', () => {
  it.each([
    new Error('Connection terminated unexpectedly'),
    // Error of a primary that has just become a standby.
    Object.assign(new Error('Connection terminated: read-only transaction'), { code: '25006' }),
    Object.assign(new Error('postmaster was shut down, exiting: terminated'), { code: 'XX000' }),
  ])('answers 503 with Retry-After, and nothing internal in the body: %s', async (lost) => {
    const { opened } = database
    const { connect } = opened.keys
    opened.keys.connect = ((done: (error: Error) => void) => done(lost)) as never
    try {
      const { status, headers, json } = await send('GET', '/billing/v1/assets', { key: keys.it })
      expect([status, json.code, headers.get('Retry-After')]).toEqual([503, 'service_unavailable', '2'])
      expect(JSON.stringify(json)).not.toContain('terminated')
    } finally {
      opened.keys.connect = connect
    }
  })

  it('answers 500 for an unexpected error, with the request id only', async () => {
    const { opened } = database
    const { connect } = opened.keys
    const unexpected = new Error('relation "secret" does not exist')
    opened.keys.connect = ((done: (error: Error) => void) => done(unexpected)) as never
    try {
      const { status, json } = await send('GET', '/billing/v1/assets', { key: keys.it })
      expect([status, json.code]).toEqual([500, 'internal_error'])
      expect(JSON.stringify(json)).not.toContain('secret')
    } finally {
      opened.keys.connect = connect
    }
  })
})

test('bodies that are being received have a budget, and unknown clients a smaller one', async () => {
  const hold = Promise.withResolvers<void>()
  const slow = async function* () {
    yield Buffer.alloc(16 * 1024)
    await hold.promise
  }
  const read = (isAnonymous: boolean) => readBytes(slow(), 20 * 1024, isAnonymous)
  const anonymous = Array.from({ length: 256 }, () => read(true))
  await expect(read(true)).rejects.toMatchObject({
    code: 'service_unavailable',
    more: { headers: { 'Retry-After': '2' } },
  })
  const caller = read(false)
  hold.resolve()
  expect((await caller).length).toBe(16 * 1024)
  await Promise.all(anonymous)
  expect((await read(true)).length).toBe(16 * 1024)
})

test('the code of a lazy path is loaded with its first request, and not before', async () => {
  const answer = { status: 200, headers: {}, body: 'loaded' }
  const load = vi.fn(async () => async () => answer)
  const { GET } = lazyPath('/lazy', load)
  expect(mountedBy(GET)?.path).toBe('/lazy')
  expect(load).not.toHaveBeenCalled()
  expect(await (await GET(new Request('http://console.example/lazy'))).text()).toBe('loaded')
  expect(load).toHaveBeenCalledOnce()
})
