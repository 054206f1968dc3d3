import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from '@playwright/test'
import { exchange } from '../../lib/server/test-exchange.ts'
import { asset, newCustomer } from '../admin.ts'

const port = Number(new URL(process.env.E2E_BASE_URL ?? 'http://localhost').port)
const HOST = `Host: 127.0.0.1:${port}`
let key: string

test.beforeAll(async () => {
  const customer = await newCustomer('door')
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  key = await customer.key('admin')
})

/** Sends one raw request on a connection of its own. */
async function send(line: string, ...headers: string[]) {
  const lines = [`${line} HTTP/1.1`, ...(headers.length ? headers : [HOST]), 'Connection: close']
  const { answers } = await exchange(port, [`${lines.join('\r\n')}\r\n\r\n`])
  const [{ status, headers: got, body } = { status: 0, headers: {}, body: '' }] = answers
  return { status, headers: got, body, code: /"code":"(\w+)"/.exec(body)?.[1] }
}
const withKey = () => [HOST, `Authorization: Bearer ${key}`, 'Content-Type: application/json']

// lib/server tests the refusals of the front door, lib/platform/api the behavior of the API. These tests cover errors
// that only both together, with Next between them, can have.

test('a query reaches the API unchanged', async () => {
  const rejected = await send('GET /billing/v1/assets?search=%FF', ...withKey())
  expect(rejected).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(rejected.body).toContain('"parameter":"search"')
  const accepted = await send('GET /billing/v1/assets?search=%C3%BC&x=%FF&%ZZ=%ZZ&%', ...withKey())
  expect(accepted.status).toBe(200)
})

test('a method that Next does not support gets a 405 with the allowed methods of the path', async () => {
  for (const [line, allow] of [
    ['TRACE /billing/v1/assets', 'GET, HEAD'],
    ['PROPFIND /billing/v1/assets/workspace-suite-1', 'GET, HEAD, PATCH'],
  ] as const) {
    const answer = await send(line, ...withKey())
    expect(answer).toMatchObject({ status: 405, code: 'method_not_allowed', headers: { allow } })
  }
  expect(await send('TRACE /billing/v1/nothing')).toMatchObject({ status: 404, code: 'not_found' })
})

test('local host names are served, and forwarded headers of an untrusted proxy are ignored', async () => {
  expect(await send('GET /sign-in', `Host: localhost:${port}`)).toMatchObject({ status: 200 })
  const foreign = ['Host: evil.example', `X-Forwarded-Host: 127.0.0.1:${port}`]
  expect(await send('GET /sign-in', ...foreign)).toMatchObject({ status: 400 })
})

test("Next's internal headers have no effect", async () => {
  const smuggled = [
    'RSC: 1',
    'Next-Router-State-Tree: x',
    'Next-Action: a',
    'X-Middleware-Subrequest: proxy:proxy',
  ]
  expect(await send('GET /billing/v1/assets', ...withKey(), ...smuggled)).toMatchObject({ status: 200 })
  expect(await send('GET /billing/v1/assets', HOST, ...smuggled)).toMatchObject({ status: 401 })
})

test('a navigation with an invalid router state gets a 400', async () => {
  for (const state of ['x', '%ZZ', '%5B%22%22%5D', 'a'.repeat(5000)]) {
    const answer = await send('GET /sign-in', HOST, 'RSC: 1', `Next-Router-State-Tree: ${state}`)
    expect(answer.status).toBe(400)
  }
})

test('answers of the sign-in are never cached', async () => {
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 0']
  for (const [line, status, ...headers] of [
    ['GET /api/auth/csrf', 200],
    ['GET /api/auth/providers', 404],
    ['POST /api/auth/callback/credentials', 200, ...form],
    ['POST /api/auth/signout', 200, ...form],
  ] as const) {
    const answer = await send(line, HOST, ...headers)
    expect([line, answer.headers['cache-control']]).toEqual([line, 'no-store'])
    expect([line, answer.status < 400 ? 200 : answer.status]).toEqual([line, status])
  }
})

test('a request with two keys is rejected', async () => {
  const twice = await send('GET /billing/v1/assets', ...withKey(), 'Authorization: Bearer another')
  expect(twice).toMatchObject({ status: 400, code: 'invalid_request' })
})

for (const path of [
  '/billing',
  '/billing/',
  '/billing/v1',
  '/billing/v1/',
  '/billing/xyz',
  '/billing/v1/a/b/c',
]) {
  test(`${path} gets the JSON 404`, async () => {
    expect(await send(`GET ${path}`)).toMatchObject({ status: 404, code: 'not_found' })
  })
}
for (const path of ['/auth', '/auth/v1/xyz', '/auth/v2/validate']) {
  test(`${path} gets the JSON 404, too`, async () => {
    expect(await send(`POST ${path}`)).toMatchObject({ status: 404, code: 'not_found' })
  })
}

test('a path with a trailing slash gets the same answer', async () => {
  for (const path of ['/billing/v1/assets', '/billing/v1/assets/workspace-suite-1', '/auth/v1/validate']) {
    const [plain, slash] = [await send(`GET ${path}`, ...withKey()), await send(`GET ${path}/`, ...withKey())]
    expect([plain.status, slash.status]).toEqual([200, 200])
    expect(slash.headers.etag).toBe(plain.headers.etag)
  }
})

test('every answer has a request id and a restrictive policy', async ({ request }) => {
  for (const path of [
    '/billing/v1/assets',
    '/livez',
    '/readyz',
    '/sign-in',
    '/nothing',
    '/_next/static/none.js',
  ]) {
    const headers = (await request.get(path)).headers()
    expect(headers['request-id']).toMatch(/^[\da-f-]{36}$/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
  }
})

for (const path of ['/sign-in', '/nothing']) {
  test(`each answer of ${path} has its own nonce on every script and style`, async ({ request }) => {
    const nonces = []
    for (const _ of [1, 2]) {
      const answer = await request.get(path, { headers: { 'X-Nonce': 'mine' } })
      const nonce = /'nonce-([^']+)'/.exec(answer.headers()['content-security-policy'] ?? '')?.[1]
      const html = await answer.text()
      const tags = html.match(/<(script|style)\b[^>]*>/g) ?? []
      expect(tags.length).toBeGreaterThan(3)
      expect(tags.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([])
      // The policy would block them.
      expect(html.match(/<[^>]+ style="[^>]*>/g) ?? []).toEqual([])
      nonces.push(nonce)
    }
    expect(nonces[0]).not.toBe(nonces[1])
  })
}

test('an assistant lists the tools of its key; other sites, hosts and paths reach none', async ({
  request,
  baseURL,
}) => {
  const headers = { Authorization: `Bearer ${key}` }
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', baseURL), { requestInit: { headers } }),
  )
  const { tools } = await client.listTools().finally(() => client.close())
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_assets', 'list_invoices']))
  const statusWith = async (more: Record<string, string>) =>
    (await request.post('/mcp', { headers: { ...headers, ...more }, data: {} })).status()
  expect(await statusWith({ origin: 'https://evil.example' })).toBe(403)
  expect(await statusWith({ host: 'evil.example' })).toBe(400)
  expect((await request.get('/mcp')).status()).toBe(401)
  expect((await request.get('/mcp/more')).status()).toBe(404)
})
