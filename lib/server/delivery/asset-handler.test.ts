import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBrotliDecompress } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Handler } from '../http-handler.ts'
import { compressed } from './asset-handler.ts'

/** What a server that answers by `inside` answers to a browser. */
async function responseOf(inside: Handler): Promise<{ answer: IncomingMessage; close(): void }> {
  const server = createServer(compressed(inside))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const clientRequest = request({ port: (server.address() as AddressInfo).port, headers }).end()
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return { answer, close: () => server.closeAllConnections() ?? server.close() }
}

test('what a page has flushed arrives before the rest of it is there', async () => {
  const arrived = Promise.withResolvers<void>()
  const { answer, close } = await responseOf(async (_, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.write('<p>the frame</p>')
    // As Next does it, where there is such a method.
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

test('what is no page leaves as it is', async () => {
  const { answer, close } = await responseOf((_, res) => {
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ csrfToken: 'a'.repeat(4000) }))
  })
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect((await answer.toArray()).join('')).toHaveLength(4016)
  close()
})

test('what fails inside is told to whoever asked', async () => {
  const failing = compressed(() => Promise.reject(new Error('inside')))
  const { answer, close } = await responseOf(async (req, res) => {
    const message = await Promise.resolve(failing(req, res)).catch((error: Error) => error.message)
    res.end(message)
  })
  expect((await answer.toArray()).join('')).toBe('inside')
  close()
})
