import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { exchange, retryAfterOf } from './exchange.ts'

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
const soon = (ms = 5000) => AbortSignal.timeout(ms)

describe('one exchange', () => {
  test('gives status, headers and text', async () => {
    const url = await serve((request, response) => {
      response.writeHead(418, { 'x-said': request.headers['x-asked'] }).end('Ω')
    })
    const answer = await exchange(url, { headers: { 'x-asked': 'yes' } }, soon())
    expect(answer).toMatchObject({ kind: 'answer', status: 418, text: 'Ω' })
    expect(answer.kind === 'answer' && answer.headers.get('x-said')).toBe('yes')
  })

  test('follows nowhere', async () => {
    const seen: (string | undefined)[] = []
    const url = await serve((request, response) => {
      seen.push(request.url)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await exchange(`${url}/here`, { method: 'PATCH' }, soon())).toMatchObject({ status: 307 })
    expect(seen).toEqual(['/here'])
  })

  test('ends in time also where what stands before fetch has lost the signal', async () => {
    const url = await serve(() => {})
    const real = globalThis.fetch
    vi.stubGlobal('fetch', (input: Request) => real(new Request(input.url, { method: input.method })))
    const told = await exchange(url, { method: 'POST' }, soon(100)).finally(() => vi.unstubAllGlobals())
    expect(told).toEqual({ kind: 'cut', reason: 'no answer in time' })
  })

  test('that is too long is cut', async () => {
    const url = await serve((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(1024 * 1024)));
      }
      response.on('drain', more).writeHead(200)
      more()
    })
    const reason = 'the connection failed (TOO_LONG)'
    expect(await exchange(url, {}, soon())).toEqual({ kind: 'cut', reason })
  })

  test.each([
    ['before the answer', 0],
    ['in the midst of it', 5],
  ])('that is cut %s may have been done', async (_when, bytes) => {
    const url = await serve((_request, response) => {
      if (bytes === 0) return response.socket?.resetAndDestroy()
      response.writeHead(200, { 'content-length': '10' })
      response.write('x'.repeat(bytes), () => response.socket?.destroy())
    })
    expect(await exchange(url, {}, soon())).toMatchObject({ kind: 'cut' })
  })

  test.each([
    ['http://127.0.0.1:2/', {}],
    ['http://no-such-host.invalid/', {}],
    ['nonsense', {}],
    ['http://127.0.0.1:2/', { headers: { 'x-a': 'line\nline' } }],
  ])('with %s and %j never left', async (url, init) => {
    expect(await exchange(url, init, soon())).toMatchObject({ kind: 'unsent' })
  })

  test('ends with its time: before it left, and after', async () => {
    let asked = 0
    const url = await serve(() => {
      asked += 1
    })
    expect(await exchange(url, {}, AbortSignal.abort())).toMatchObject({ kind: 'unsent' })
    expect(asked).toBe(0)
    expect(await exchange(url, {}, soon(100))).toEqual({ kind: 'cut', reason: 'no answer in time' })
    expect(asked).toBe(1)
  })
})

test.each([
  ['7', 7],
  ['0', 1],
  ['86400', 86_400],
  ['99999', 86_400],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 1],
  ['soon', undefined],
  ['', undefined],
])('Retry-After: %j', (value, seconds) => {
  expect(retryAfterOf(new Headers({ 'retry-after': value }))).toBe(seconds)
  expect(retryAfterOf(new Headers())).toBeUndefined()
})
