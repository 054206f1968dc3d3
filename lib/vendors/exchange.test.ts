import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { exchange, retryAfterOf } from './client.ts'

const server = createServer()
afterEach(async () => {
  server.removeAllListeners('request').closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
})

async function serve(listener: RequestListener): Promise<string> {
  server.on('request', listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const deadline = (ms = 5000) => AbortSignal.timeout(ms)

describe('one exchange', () => {
  test('returns status, headers and text', async () => {
    const url = await serve((request, response) => {
      response.writeHead(418, { 'x-said': request.headers['x-asked'] }).end('Ω')
    })
    const answer = await exchange(url, { headers: { 'x-asked': 'yes' } }, deadline())
    expect(answer).toMatchObject({ kind: 'answer', status: 418, text: 'Ω' })
    expect(answer.kind === 'answer' && answer.headers.get('x-said')).toBe('yes')
  })

  test('follows no redirect', async () => {
    const seen: (string | undefined)[] = []
    const url = await serve((request, response) => {
      seen.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await exchange(`${url}/here`, { method: 'PATCH' }, deadline())).toMatchObject({ status: 307 })
    expect(seen).toEqual(['/here'])
  })

  test('does not use a fetch that a framework may have replaced', async () => {
    const url = await serve((_request, response) => response.end('real'))
    vi.stubGlobal('fetch', async () => new Response('another'))
    const result = await exchange(url, {}, deadline()).finally(() => vi.unstubAllGlobals())
    expect(result).toMatchObject({ kind: 'answer', text: 'real' })
  })

  test('decompresses the vendor’s answer, and reports a truncated one as cut', async () => {
    const packed = gzipSync('Ω'.repeat(1000))
    const url = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      const end = request.url === '/all' ? packed.length : packed.length - 9
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, end))
    })
    expect(await exchange(`${url}/all`, {}, deadline())).toMatchObject({ text: 'Ω'.repeat(1000) })
    expect(await exchange(`${url}/half`, {}, deadline())).toMatchObject({ kind: 'cut' })
  })

  test('cuts an answer that is too long', async () => {
    const url = await serve((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(1024 * 1024)));
      }
      response.on('drain', more).writeHead(200)
      more()
    })
    const reason = 'the connection failed (TOO_LONG)'
    expect(await exchange(url, {}, deadline())).toEqual({ kind: 'cut', reason })
  })

  test.each([
    ['before the answer', 0],
    ['in the midst of it', 5],
  ])('reports that a request cut %s may have been executed', async (_when, bytes) => {
    const url = await serve((_request, response) => {
      if (bytes === 0) return response.socket?.resetAndDestroy()
      response.writeHead(200, { 'content-length': '10' })
      response.write('x'.repeat(bytes), () => response.socket?.destroy())
    })
    expect(await exchange(url, {}, deadline())).toMatchObject({ kind: 'cut' })
  })

  test.each([
    ['http://127.0.0.1:2/', {}],
    ['http://no-such-host.invalid/', {}],
    ['nonsense', {}],
    ['http://127.0.0.1:2/', { headers: { 'x-a': 'line\nline' } }],
  ])('reports a request with %s and %j as unsent', async (url, init) => {
    expect(await exchange(url, init, deadline())).toMatchObject({ kind: 'unsent' })
  })

  test('times out before and after the request is sent', async () => {
    let requestCount = 0
    const url = await serve(() => {
      requestCount += 1
    })
    expect(await exchange(url, {}, AbortSignal.abort())).toMatchObject({ kind: 'unsent' })
    expect(requestCount).toBe(0)
    expect(await exchange(url, {}, deadline(100))).toEqual({ kind: 'cut', reason: 'no answer in time' })
    expect(requestCount).toBe(1)
  })
})

describe('the bytes of a request', () => {
  // A plain TCP server, so that the test sees the sent bytes and not a parsed request.
  async function record(call: (url: string) => Promise<unknown>): Promise<string> {
    let bytes = ''
    const raw = createTcpServer((socket) => {
      socket.on('data', (chunk) => {
        bytes += chunk.toString('latin1')
        if (bytes.endsWith('END')) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      })
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    await call(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/path`)
    await new Promise((resolve) => raw.close(resolve))
    return bytes
  }

  test.each(['POST', 'PATCH', 'PUT'])(
    'declare the length of a %s without chunks, and name the user agent',
    async (method) => {
      const headers = { 'content-type': 'application/json' }
      const bytes = await record((url) => exchange(url, { method, headers, body: 'Ω END' }, deadline()))
      const [headerBlock = '', body] = bytes.split('\r\n\r\n')
      expect(headerBlock).toMatch(new RegExp(`^${method} /path HTTP/1.1\r\n`))
      expect(headerBlock).toMatch(/^content-length: 6$/im)
      expect(headerBlock).toMatch(/^user-agent: licenses-invoices\/\d+\.\d+\.\d+ /im)
      expect(headerBlock).not.toMatch(/transfer-encoding/i)
      expect(Buffer.from(body ?? '', 'latin1').toString()).toBe('Ω END')
    },
  )
})

test('an https address that never answers times out, and nothing was sent', async () => {
  const raw = createTcpServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(raw.address() as AddressInfo).port}/`
  expect(await exchange(url, {}, deadline(100))).toEqual({ kind: 'unsent', reason: 'no connection in time' })
  await new Promise((resolve) => raw.close(resolve))
})

test.each([
  ['speaks no TLS', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'EPROTO'],
  ['hangs up at once', '', 'ECONNRESET'],
])('nothing is sent to an https address that %s', async (_what, description, code) => {
  let bytes = ''
  const raw = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (chunk) => {
        bytes += chunk.toString('latin1')
        socket.end(description)
      })
  })
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(raw.address() as AddressInfo).port}/path`
  const result = await exchange(url, { method: 'POST', body: 'the change' }, deadline())
  await new Promise((resolve) => raw.close(resolve))
  expect(result).toEqual({ kind: 'unsent', reason: `the connection failed (${code})` })
  expect(bytes).not.toContain('the change')
})

test.each([
  ['7', 7],
  ['0', 1],
  ['86400', 86_400],
  ['99999', 86_400],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 1],
  ['soon', undefined],
  ['', undefined],
])('parses Retry-After: %j', (value, seconds) => {
  expect(retryAfterOf(new Headers({ 'retry-after': value }))).toBe(seconds)
  expect(retryAfterOf(new Headers())).toBeUndefined()
})
