import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { openDoor } from './test-door.ts'

type Door = Awaited<ReturnType<typeof openDoor>>
const lines: Record<string, unknown>[] = []
let door: Door

beforeAll(async () => {
  const write = (line: string) => lines.push(JSON.parse(line))
  Object.assign(globalThis, { licensesInvoicesLog: pino({ level: 'debug', base: null }, { write }) })
  door = await openDoor({
    checkRouterState: (header) => {
      if (header === 'broken') throw new Error('secret reason')
    },
  })
})
afterAll(() => door.close())

const only = async (asked: ReturnType<Door['send']>) => {
  const { answers } = await asked
  expect(answers).toHaveLength(1)
  return answers[0] ?? { status: 0, headers: {}, body: '' }
}
const ask = (...given: Parameters<Door['ask']>) => only(door.ask(...given))
const logged = (requestId: string | undefined) => lines.find((line) => line.requestId === requestId)

describe('a refusal', () => {
  test('on an API path is the problem that the API would answer', async () => {
    const { status, headers, body } = await ask('GET /billing/v1/assets/%ZZ')
    expect(status).toBe(400)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', error: problem.detail })
    expect(problem.instance).toBe(headers['request-id'])
  })

  test('elsewhere is a line of text', async () => {
    const { status, headers, body } = await ask('GET /%ZZ')
    expect([status, headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8'])
    expect(body).toContain(headers['request-id'])
  })

  test('is logged, without what was not understood', async () => {
    const { headers } = await ask('PURGE /billing/v1//secret')
    const entry = logged(headers['request-id'])
    expect(entry).toMatchObject({ method: 'PURGE', status: 404, ms: expect.any(Number) })
    expect(JSON.stringify(entry)).not.toContain('secret')
  })

  test('of a HEAD has no body', async () => {
    expect(await ask('HEAD /billing/v1//assets')).toMatchObject({ status: 404, body: '' })
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
])('%s: %i', async (line, status, allow) => {
  const answer = await ask(line)
  expect([answer.status, answer.headers.allow]).toEqual([status, allow])
})

test("the API's routes answer for themselves, also a method that Next does not carry", async () => {
  for (const method of ['DELETE', 'TRACE', 'PROPFIND']) {
    await ask(`${method} /billing/v1/assets`)
    expect(door.seen.at(-1)?.method).toBe(method)
  }
})

test('a foreign or doubled host is refused, but for balancers that ask for health', async () => {
  const foreign = await ask('GET /assets', ['Host: evil.example'])
  expect(foreign).toMatchObject({ status: 400, body: expect.stringContaining('host name is not served') })
  // The setting is for the operator's eyes.
  expect(foreign.body).not.toContain('_HOSTS')
  expect(logged(foreign.headers['request-id'])?.msg).toContain('ALLOWED_HOSTS')
  expect(await ask('GET /assets', ['Host: console.example', 'Host: a'])).toMatchObject({ status: 400 })
  expect(await ask('GET /healthz', ['Host: 10.0.0.1'])).toMatchObject({ status: 200, body: 'healthy' })
})

test('inside, the request has one form and no header that only we may send', async () => {
  const headers = [
    'Host: a',
    'X-Middleware-Subrequest: m',
    'Request-Id: mine',
    'RSC: 1',
    'X-Forwarded-For: 1',
  ]
  const { headers: sent } = await ask('GET http://CONSOLE.example/%62illing/v1/a%2Fb?c=%64', headers)
  const { url, headers: seen } = door.seen.at(-1) ?? { headers: {} }
  expect(url).toBe('/billing/v1/a%2Fb?c=%64')
  const own = { 'request-id': sent['request-id'] }
  expect(seen).toEqual({ host: 'console.example', connection: 'close', ...own })
  // The core logs the calls of the API.
  expect(logged(sent['request-id'])).toBeUndefined()
})

test("a page's request carries the policy of its answer, with a nonce that nobody can choose", async () => {
  const attack = [
    'Host: console.example',
    'X-Nonce: mine',
    "Content-Security-Policy: script-src 'nonce-mine'",
  ]
  const answers = [await ask('GET /sign-in', attack), await ask('GET /sign-in', attack)]
  const requests = door.seen.slice(-2).map(({ headers }) => headers)
  for (const [at, { headers }] of answers.entries()) {
    expect(requests[at]?.['content-security-policy']).toBe(headers['content-security-policy'])
    expect(headers['content-security-policy']).toContain(`'nonce-${requests[at]?.['x-nonce']}'`)
    expect(logged(headers['request-id'])).toMatchObject({ method: 'GET', path: '/sign-in', status: 200 })
  }
  expect(requests[0]?.['x-nonce']).toMatch(/^[\w+/]{22}==$/)
  expect(requests[0]?.['x-nonce']).not.toBe(requests[1]?.['x-nonce'])
})

test("a navigation's state that can't be read is refused, and the reason kept", async () => {
  const state = (text: string) => ['Host: console.example', `Next-Router-State-Tree: ${text}`]
  expect(await ask('GET /assets', state('fine'))).toMatchObject({ status: 200 })
  const refused = await ask('GET /assets', state('broken'))
  expect(refused.status).toBe(400)
  expect(refused.body).not.toContain('secret')
})

test.each(['Content-Length: 16385', 'Transfer-Encoding: chunked'])(
  'a sign-in form with %s is refused',
  async (header) => {
    const line = 'POST /api/auth/callback/credentials'
    expect(await ask(line, ['Host: console.example', header])).toMatchObject({ status: 413 })
    expect(await ask(line, ['Host: console.example', 'Content-Length: 2'], 'ab')).toMatchObject({
      status: 200,
    })
  },
)

test('built files are logged at the level debug', async () => {
  expect(logged((await ask('GET /_next/static/a.js')).headers['request-id'])).toMatchObject({ level: 20 })
  expect(logged((await ask('GET /assets')).headers['request-id'])).toMatchObject({ level: 30 })
})

test('a failure inside is a bare 500, and 503 where the database is gone', async () => {
  const failing = await openDoor({
    inside: (req) => {
      if (req.url === '/assets') throw new Error('secret')
      return Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }))
    },
  })
  const answers = [await only(failing.ask('GET /assets')), await only(failing.ask('GET /billing/v1/assets'))]
  await failing.close()
  expect(answers.map(({ status }) => status)).toEqual([500, 503])
  expect(JSON.stringify(answers)).not.toContain('secret')
  expect(new Problem('internal_error').status).toBe(500)
})
