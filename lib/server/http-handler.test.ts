import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { openTestServer } from './test-server.ts'

type TestServer = Awaited<ReturnType<typeof openTestServer>>
const lines: Record<string, unknown>[] = []
let testServer: TestServer

beforeAll(async () => {
  const write = (line: string) => lines.push(JSON.parse(line))
  Object.assign(globalThis, { licensesInvoicesLog: pino({ level: 'debug', base: null }, { write }) })
  testServer = await openTestServer({
    checkRouterState: (header) => {
      if (header === 'broken') throw new Error('secret reason')
    },
  })
})
afterAll(() => testServer.close())

const only = async (sent: ReturnType<TestServer['send']>) => {
  const { answers } = await sent
  expect(answers).toHaveLength(1)
  return answers[0] ?? { status: 0, headers: {}, body: '' }
}
const send = (...args: Parameters<TestServer['request']>) => only(testServer.request(...args))
const logged = (requestId: string | undefined) => lines.find((line) => line.requestId === requestId)

describe('an error', () => {
  test('is the same problem on an API path that the API would return', async () => {
    const { status, headers, body } = await send('GET /billing/v1/assets/%ZZ')
    expect(status).toBe(400)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', error: problem.detail })
    expect(problem.instance).toBe(headers['request-id'])
  })

  test('is a line of text on other paths', async () => {
    const { status, headers, body } = await send('GET /%ZZ')
    expect([status, headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(body).toContain(headers['request-id'])
  })

  test('is logged without the unparsable target', async () => {
    const { headers } = await send('PURGE /billing/v1//secret')
    const entry = logged(headers['request-id'])
    expect(entry).toMatchObject({ method: 'PURGE', status: 404, ms: expect.any(Number) })
    expect(JSON.stringify(entry)).not.toContain('secret')
  })

  test('has no body for a HEAD request', async () => {
    expect(await send('HEAD /billing/v1//assets')).toMatchObject({ status: 404, body: '' })
  })
})

test.each([
  ['TRACE /assets', 405, 'GET, HEAD'],
  ['POST /assets', 405, 'GET, HEAD'],
  ['OPTIONS /_next/static/a.js', 405, 'GET, HEAD'],
  ['POST /healthz', 405, 'GET, HEAD'],
  ['DELETE /api/auth/signout', 405, 'GET, HEAD, POST'],
  ['HEAD /assets', 200, undefined],
  ['POST /api/auth/signout', 200, undefined],
  ['DELETE /billing/v1/assets', 200, undefined],
])('The request %s has the status %i', async (line, status, allow) => {
  const answer = await send(line)
  expect([answer.status, answer.headers.allow]).toEqual([status, allow])
})

test('the API’s routes answer themselves, even for a method that Next does not support', async () => {
  for (const method of ['DELETE', 'TRACE', 'PROPFIND']) {
    await send(`${method} /billing/v1/assets`)
    expect(testServer.seen.at(-1)?.method).toBe(method)
  }
})

test('a foreign or repeated host is rejected, except for health checks', async () => {
  const foreign = await send('GET /assets', ['Host: evil.example'])
  expect(foreign).toMatchObject({ status: 400, body: expect.stringContaining('host name is not served') })
  // The setting is only for the operator.
  expect(foreign.body).not.toContain('_HOSTS')
  expect(logged(foreign.headers['request-id'])?.msg).toContain('ALLOWED_HOSTS')
  expect(await send('GET /assets', ['Host: console.example', 'Host: a'])).toMatchObject({ status: 400 })
  expect(await send('GET /healthz', ['Host: 10.0.0.1'])).toMatchObject({ status: 200, body: 'healthy' })
})

test('a request reaches the application in canonical form, without internal headers', async () => {
  const headers = [
    'Host: a',
    'X-Middleware-Subrequest: m',
    'Request-Id: mine',
    'RSC: 1',
    'X-Forwarded-For: 1',
  ]
  const { headers: sent } = await send('GET http://CONSOLE.example/%62illing/v1/a%2Fb?c=%64', headers)
  const { url, headers: seen } = testServer.seen.at(-1) ?? { headers: {} }
  expect(url).toBe('/billing/v1/a%2Fb?c=%64')
  const expectedHeaders = { 'request-id': sent['request-id'] }
  expect(seen).toEqual({ host: 'console.example', connection: 'close', ...expectedHeaders })
  // The API logs its own calls.
  expect(logged(sent['request-id'])).toBeUndefined()
})

test('a page’s request carries the policy of its response, with a nonce that clients can’t choose', async () => {
  const attack = [
    'Host: console.example',
    'X-Nonce: mine',
    "Content-Security-Policy: script-src 'nonce-mine'",
  ]
  const answers = [await send('GET /sign-in', attack), await send('GET /sign-in', attack)]
  const requests = testServer.seen.slice(-2).map(({ headers }) => headers)
  for (const [at, { headers }] of answers.entries()) {
    expect(requests[at]?.['content-security-policy']).toBe(headers['content-security-policy'])
    expect(headers['content-security-policy']).toContain(`'nonce-${requests[at]?.['x-nonce']}'`)
    expect(logged(headers['request-id'])).toMatchObject({ method: 'GET', path: '/sign-in', status: 200 })
  }
  expect(requests[0]?.['x-nonce']).toMatch(/^[\w+/]{22}==$/)
  expect(requests[0]?.['x-nonce']).not.toBe(requests[1]?.['x-nonce'])
})

test('a malformed navigation state is rejected, and the reason hidden', async () => {
  const state = (text: string) => ['Host: console.example', `Next-Router-State-Tree: ${text}`]
  expect(await send('GET /assets', state('fine'))).toMatchObject({ status: 200 })
  const rejected = await send('GET /assets', state('broken'))
  expect(rejected.status).toBe(400)
  expect(rejected.body).not.toContain('secret')
})

test.each(['Content-Length: 16385', 'Transfer-Encoding: chunked'])(
  'a sign-in form with %s is refused',
  async (header) => {
    const line = 'POST /api/auth/callback/credentials'
    expect(await send(line, ['Host: console.example', header])).toMatchObject({ status: 413 })
    expect(await send(line, ['Host: console.example', 'Content-Length: 2'], 'ab')).toMatchObject({
      status: 200,
    })
  },
)

test('built files are logged at the level debug', async () => {
  expect(logged((await send('GET /_next/static/a.js')).headers['request-id'])).toMatchObject({ level: 20 })
  expect(logged((await send('GET /assets')).headers['request-id'])).toMatchObject({ level: 30 })
})

test('a failure of the application is a bare 500, and 503 where the database is unavailable', async () => {
  const failing = await openTestServer({
    inside: (req) => {
      if (req.url === '/assets') throw new Error('secret')
      return Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }))
    },
  })
  const answers = [
    await only(failing.request('GET /assets')),
    await only(failing.request('GET /billing/v1/assets')),
  ]
  await failing.close()
  expect(answers.map(({ status }) => status)).toEqual([500, 503])
  expect(JSON.stringify(answers)).not.toContain('secret')
  expect(new Problem('internal_error').status).toBe(500)
})
