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

/** One request as it is, on a connection of its own. */
async function ask(line: string, ...headers: string[]) {
  const head = [`${line} HTTP/1.1`, ...(headers.length ? headers : [HOST]), 'Connection: close']
  const { answers } = await exchange(port, [`${head.join('\r\n')}\r\n\r\n`])
  const [{ status, headers: got, body } = { status: 0, headers: {}, body: '' }] = answers
  return { status, headers: got, body, code: /"code":"(\w+)"/.exec(body)?.[1] }
}
const withKey = () => [HOST, `Authorization: Bearer ${key}`, 'Content-Type: application/json']

test('a path that is no UTF-8 text is a 400', async () => {
  expect(await ask('GET /billing/v1/assets/%ZZ')).toMatchObject({ status: 400, code: 'invalid_request' })
  const page = await ask('GET /assets/%ZZ')
  expect([page.status, page.headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8'])
})

test('a parameter that is no UTF-8 text is a 400 that names it, one that nobody knows is ignored', async () => {
  for (const query of ['search=%FF', 'search=%', 'filter=type:%ZZ', 'filter=type:%ED%A0%80']) {
    const answer = await ask(`GET /billing/v1/assets?${query}`, ...withKey())
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.body).toContain(`"parameter":"${query.split('=')[0]}"`)
  }
  const own = await ask('GET /billing/v1/assets?search=%C3%BC&x=%FF', ...withKey(), 'X-Query: search=%FF')
  expect(own.status).toBe(200)
})

test('a method that HTTP knows and we do not is a 405 that says which we do', async () => {
  const answer = await ask('TRACE /billing/v1/assets')
  expect(answer).toMatchObject({ status: 405, code: 'method_not_allowed' })
  expect(answer.headers.allow).toContain('PATCH')
})

test('an absolute target is answered for our own hosts, and never with a redirect', async () => {
  const own = await ask(
    `GET http://localhost:${port}/billing/v1/assets`,
    'Host: evil.example',
    ...withKey().slice(1),
  )
  expect(own.status).toBe(200)
  expect(await ask('GET http://evil.example/billing/v1/assets')).toMatchObject({ status: 400 })
})

test('a foreign host gets nothing', async () => {
  expect(await ask('GET /billing/v1/openapi.json', 'Host: evil.example')).toMatchObject({ status: 400 })
  expect(
    await ask('GET /sign-in', 'Host: evil.example', `X-Forwarded-Host: 127.0.0.1:${port}`),
  ).toMatchObject({
    status: 400,
  })
  expect(await ask('GET /sign-in', `Host: localhost:${port}`)).toMatchObject({ status: 200 })
})

test("headers of Next's own change nothing", async () => {
  const own = [
    'RSC: 1',
    'Next-Router-State-Tree: x',
    'Next-Action: a',
    'X-Middleware-Subrequest: proxy:proxy',
  ]
  expect(await ask('GET /billing/v1/assets', ...withKey(), ...own)).toMatchObject({ status: 200 })
  expect(await ask('GET /billing/v1/assets', HOST, ...own)).toMatchObject({ status: 401 })
  const named = await ask('GET /billing/v1/assets', HOST, 'Request-Id: 11111111-1111-1111-1111-111111111111')
  expect(named.headers['request-id']).toMatch(/^[\da-f-]{36}$/)
  expect(named.headers['request-id']).not.toContain('11111111')
})

test("a navigation with a state that is none is the client's mistake", async () => {
  for (const state of ['x', '%ZZ', '%5B%22%22%5D', 'a'.repeat(5000)]) {
    const answer = await ask('GET /sign-in', HOST, 'RSC: 1', `Next-Router-State-Tree: ${state}`)
    expect(answer.status).toBe(400)
  }
})

for (const path of [
  '/billing',
  '/billing/',
  '/billing/v1',
  '/billing/v1/',
  '/billing/xyz',
  '/billing/v1/a/b/c',
]) {
  test(`${path} is the JSON 404`, async () => {
    expect(await ask(`GET ${path}`)).toMatchObject({ status: 404, code: 'not_found' })
  })
}
for (const path of [
  '/auth',
  '/auth/v1/xyz',
  '/auth/v2/validate',
  '/billing/v1//assets',
  '/billing/v1/../v1/assets',
]) {
  test(`${path} is the JSON 404, too`, async () => {
    expect(await ask(`POST ${path}`)).toMatchObject({ status: 404, code: 'not_found' })
  })
}

test('a trailing slash answers the same as without', async () => {
  for (const path of ['/billing/v1/assets', '/billing/v1/assets/workspace-suite-1', '/auth/v1/validate']) {
    const [plain, slash] = [await ask(`GET ${path}`, ...withKey()), await ask(`GET ${path}/`, ...withKey())]
    expect([plain.status, slash.status]).toEqual([200, 200])
    expect(slash.headers.etag).toBe(plain.headers.etag)
  }
})

test('HEAD answers like GET, without the body', async () => {
  const answer = await ask('HEAD /billing/v1/assets', ...withKey())
  expect(answer).toMatchObject({ status: 200, body: '' })
  expect(answer.headers.etag).toBe((await ask('GET /billing/v1/assets', ...withKey())).headers.etag)
})

test('every answer is named and may do nothing by itself', async ({ request }) => {
  for (const path of ['/billing/v1/assets', '/healthz', '/sign-in', '/nothing', '/_next/static/none.js']) {
    const headers = (await request.get(path)).headers()
    expect(headers['request-id']).toMatch(/^[\da-f-]{36}$/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
  }
})

for (const path of ['/sign-in', '/nothing']) {
  test(`each answer of ${path} has a nonce of its own, on each script and style`, async ({ request }) => {
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
