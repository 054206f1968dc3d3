import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBrotliDecompress } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Handler } from '../http-handler.ts'
import { compressed } from './asset-handler.ts'

/** Returns the response of a server that answers with `inside` to a browser. */
async function responseOf(inside: Handler): Promise<{ answer: IncomingMessage; close(): void }> {
  const server = createServer(compressed(inside))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const clientRequest = request({ port: (server.address() as AddressInfo).port, headers }).end()
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return { answer, close: () => server.closeAllConnections() ?? server.close() }
}

test('a flushed part of a page arrives before the rest exists', async () => {
  const arrived = Promise.withResolvers<void>()
  const { answer, close } = await responseOf(async (_, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.write('<p>the frame</p>')
    // Calls `flush` like Next, where the method exists.
    ;(res as ServerResponse & { flush(): void }).flush()
    await arrived.promise
    res.end('<p>the rows</p>')
  })
  expect(answer.headers['content-encoding']).toBe('br')
  let html = ''
  for await (const chunk of answer.pipe(createBrotliDecompress())) {
    html += chunk
    if (html === '<p>the frame</p>') arrived.resolve()
  }
  expect(html).toBe('<p>the frame</p><p>the rows</p>')
  close()
})

test('a response that is not a page is sent unchanged', async () => {
  const { answer, close } = await responseOf((_, res) => {
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ csrfToken: 'a'.repeat(4000) }))
  })
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect((await answer.toArray()).join('')).toHaveLength(4016)
  close()
})

test('a failure of the handler reaches the caller', async () => {
  const failing = compressed(() => Promise.reject(new Error('inside')))
  const { answer, close } = await responseOf(async (req, res) => {
    const message = await Promise.resolve(failing(req, res)).catch((error: Error) => error.message)
    res.end(message)
  })
  expect((await answer.toArray()).join('')).toBe('inside')
  close()
})
