import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listen } from './http-server.ts'
import { openTestServer } from './test-server.ts'

let testServer: Awaited<ReturnType<typeof openTestServer>>

beforeAll(async () => {
  testServer = await openTestServer({
    // Like the API: reads up to a limit, then answers without the rest.
    inside: async (req, res) => {
      let size = 0
      if (req.headers['x-read'] !== 'nothing') {
        for await (const chunk of req) {
          size += (chunk as Buffer).length
          if (size > 16_384) break
        }
      }
      const body = size > 16_384 ? 'too large' : `${size} bytes`
      res.writeHead(size > 16_384 ? 413 : 200, { 'Content-Length': body.length }).end(body)
    },
  })
})
afterAll(() => testServer.close())
afterEach(() => vi.unstubAllEnvs())

const REQUEST_START = 'PATCH /billing/v1/assets/a HTTP/1.1\r\nHost: console.example\r\n'
const NEXT = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const length = (bytes: number, more = '') => `${REQUEST_START}${more}Content-Length: ${bytes}\r\n\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const bodies = ({ answers }: Awaited<ReturnType<typeof testServer.send>>) => answers.map(({ body }) => body)
const statuses = ({ answers }: Awaited<ReturnType<typeof testServer.send>>) =>
  answers.map(({ status }) => status)

describe('after an early response', () => {
  test('a body that was not read at all is discarded, and the next request is answered', async () => {
    const unread = length(300_000, 'X-Read: nothing\r\n') + 'a'.repeat(300_000)
    expect(bodies(await testServer.send(unread, NEXT))).toEqual(['0 bytes', 'healthy'])
  })

  test.each([
    ['with a length', [length(3_000_000), 'a'.repeat(20_000)]],
    [
      'in chunks without end',
      [
        `${REQUEST_START}Transfer-Encoding: chunked\r\n\r\n`,
        chunk('a'.repeat(20_000)),
        /too large/,
        chunk('a'),
      ],
    ],
  ])('a half-read body %s ends the connection, when the answer was read', async (_, parts) => {
    const { answers, wasClosed } = await testServer.send(...parts, /too large/, 'a'.repeat(1000))
    expect(answers).toMatchObject([{ status: 413, body: 'too large' }])
    expect(wasClosed).toBe(true)
  })

  test('a body in time is read, and the connection stays open', async () => {
    const sent = await testServer.send(
      length(5),
      'abcde',
      `${REQUEST_START}Transfer-Encoding: chunked\r\n\r\n`,
      chunk('abc'),
      '0\r\n\r\n',
      NEXT,
    )
    expect(bodies(sent)).toEqual(['5 bytes', '3 bytes', 'healthy'])
  })
})

describe('Expect', () => {
  test('100-continue is answered before the body is sent', async () => {
    const sent = await testServer.send(length(3, 'Expect: 100-continue\r\n'), /^HTTP\/1.1 100 /, 'abc', NEXT)
    expect(statuses(sent)).toEqual([100, 200, 200])
  })
  test('100-continue is not sent for a rejected request, and the connection ends', async () => {
    const rejected = length(3, 'Expect: 100-continue\r\n').replace('/billing/v1/assets/a', '/billing//v1')
    const { answers, wasClosed } = await testServer.send(rejected)
    expect(answers).toMatchObject([{ status: 404, headers: { connection: 'close' } }])
    expect(wasClosed).toBe(true)
  })
  test('is ignored with any other value', async () => {
    expect(statuses(await testServer.send(length(0, 'Expect: miracles\r\n'), NEXT))).toEqual([200, 200])
  })
})

test('a request for another protocol is answered in HTTP/1.1', async () => {
  const upgrade = `${REQUEST_START}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nab`
  // Next listens for upgrades on the server of any request that it gets.
  testServer.server.on('upgrade', (_, socket) => socket.destroy())
  expect(bodies(await testServer.send(upgrade, /2 bytes/, NEXT))).toEqual(['2 bytes', 'healthy'])
})

const CHUNKED = `${REQUEST_START}Transfer-Encoding: chunked\r\n\r\n`

describe('a malformed HTTP request is answered with a problem, and the connection ends', () => {
  const expectProblem = (
    { answers, wasClosed }: Awaited<ReturnType<typeof testServer.send>>,
    code: string,
  ) => {
    const [{ status, headers, body } = { status: 0, headers: {}, body: '' }, ...others] = answers
    expect([others, wasClosed]).toEqual([[], true])
    expect(headers).toMatchObject({
      connection: 'close',
      'content-type': 'application/problem+json',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'content-length': String(body.length),
      'request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      date: expect.stringMatching(/ GMT$/),
    })
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({ status, error: problem.detail, instance: headers['request-id'] })
    expect(`${status} ${problem.code}`).toBe(code)
    return headers
  }

  test.each([
    ['no HTTP', 'hello\r\n\r\n', '400 invalid_request'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n', '400 invalid_request'],
    ['bytes that belong to no address', 'GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n', '400 invalid_request'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: a\r\n\r\n', '400 invalid_request'],
    ['two lengths', `${REQUEST_START}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, '400 invalid_request'],
    [
      'a length and chunks',
      `${REQUEST_START}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      '400 invalid_request',
    ],
    ['a chunk without a length', `${CHUNKED}nonsense\r\n`, '400 invalid_request'],
    ['headers without end', `${REQUEST_START}X: ${'a'.repeat(17 * 1024)}\r\n\r\n`, '431 headers_too_large'],
    [
      'far too large headers',
      `${REQUEST_START}X: ${'a'.repeat(500 * 1024)}\r\n\r\n`,
      '431 headers_too_large',
    ],
  ])('%s', async (_, text, code) => {
    expectProblem(await testServer.send(text), code)
  })

  test('a tunnel, for which no method is allowed', async () => {
    const sent = await testServer.send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    expect(expectProblem(sent, '405 method_not_allowed').allow).toBe('')
  })

  test.each([
    ['a head', 'GET /assets HTTP/1.1\r\nHost: '],
    ['a body', length(10)],
  ])('%s that does not arrive', async (_, text) => {
    const hasty = await openTestServer({ inside: async (req) => void (await req.toArray()) })
    Object.assign(hasty.server, { headersTimeout: 100, requestTimeout: 100 })
    expectProblem(await hasty.send(text), '408 request_timeout')
    await hasty.close()
  })
})

test('bytes after a whole request are not answered in its place', async () => {
  const slow = await openTestServer({ inside: () => {} })
  const whole = 'GET /assets HTTP/1.1\r\nHost: console.example\r\n\r\n'
  expect(await slow.send(whole, 'nonsense\r\n\r\n')).toEqual({ answers: [], wasClosed: true })
  await slow.close()
})

test('a started response is not written into', async () => {
  const closed = Promise.withResolvers<void>()
  const slow = await openTestServer({
    inside: async (_, res) => {
      res.writeHead(200, { 'Content-Length': 4 }).write('ab')
      await closed.promise
      res.end('cd')
    },
  })
  slow.server.on('clientError', () => closed.resolve())
  const { answers } = await slow.send(
    'GET /assets HTTP/1.1\r\nHost: console.example\r\n\r\n',
    /ab$/,
    'nonsense\r\n\r\n',
  )
  await slow.close()
  expect(answers).toMatchObject([{ status: 200, body: 'ab' }])
})

test('a port that is in use is named, with the way out', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  vi.stubEnv('HOST', '127.0.0.1')
  vi.stubEnv('PORT', String(port))
  await expect(listen(createServer())).rejects.toThrow(
    new Error(`127.0.0.1:${port} is in use by another program. Set PORT to a free one.`),
  )
})
