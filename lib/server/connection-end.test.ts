import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBytes } from '#lib/platform/api/request.ts'
import { drain } from './drain.ts'
import { openTestServer } from './test-server.ts'

let testServer: Awaited<ReturnType<typeof openTestServer>>
/** Second half of the response: sent, cut off, or never sent. */
let rest: 'sent' | 'cut' | 'never'
const started = Promise.withResolvers<void>()
/** Called when the client has the half. */
let onHalf = () => {}

beforeAll(async () => {
  testServer = await openTestServer({
    inside: async (_, res) => {
      const half = new Promise<void>((resolve) => {
        onHalf = resolve
      })
      res.writeHead(200, { 'Content-Type': 'text/csv' })
      res.write('half of it')
      if (rest === 'never') return started.resolve()
      await half
      if (rest === 'sent') res.end(', and the rest')
      else res.destroy()
    },
  })
})
afterAll(() => testServer.close())

/** Returns the response's text, and how its connection ended. */
function send(version: string): Promise<{ text: string; end: 'end' | 'ECONNRESET' }> {
  const socket = connect(testServer.port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
    if (text.includes('half of it')) onHalf()
  })
  socket.write(`GET /assets HTTP/${version}\r\nHost: console.example\r\nConnection: close\r\n\r\n`)
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve({ text, end: error.code as 'ECONNRESET' }))
    socket.once('end', () => resolve({ text, end: 'end' }))
  })
}

test('a complete response ends its connection as usual', async () => {
  rest = 'sent'
  expect(await send('1.0')).toMatchObject({
    text: expect.stringMatching(/half of it, and the rest$/),
    end: 'end',
  })
  expect((await send('1.1')).text).toMatch(/\r\n0\r\n\r\n$/)
})

test('an aborted response never looks complete, in any HTTP version', async () => {
  rest = 'cut'
  expect((await send('1.0')).end).toBe('ECONNRESET')
  const { text } = await send('1.1')
  expect(text).toContain('half of it')
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
})

test('a response cut by a shutdown never looks complete', async () => {
  rest = 'never'
  const running = send('1.0')
  await started.promise
  expect(await drain(testServer.server, 100)).toBe(false)
  expect((await running).end).toBe('ECONNRESET')
})

test('a client that sends the whole of a body that is too large reads the response to its end', async () => {
  const limited = await openTestServer({
    api: async (req, res) => {
      const read = await readBytes(req, 16 * 1024)
      res.writeHead(read === 'too large' ? 413 : 200, { 'Content-Length': 2 }).end('ok')
    },
  })
  const size = 3_000_000
  const headers = `POST /auth/v1/leaked-keys HTTP/1.1\r\nHost: console.example\r\nContent-Length: ${size}\r\n\r\n`
  const accepted = once(limited.server, 'connection')
  const socket = connect({ port: limited.port, host: '127.0.0.1' })
  // Like a client that reads only after it has sent everything, and after the server has closed the connection.
  socket.pause()
  const [serverSide] = await accepted
  socket.write(headers + 'x'.repeat(size))
  await once(serverSide, 'close')
  const end = await new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(`${text} ${error.code}`))
    socket.once('end', () => resolve(text))
    socket.resume()
  })
  expect([end.slice(0, 12), end.slice(-6)]).toEqual(['HTTP/1.1 413', '\r\n\r\nok'])
  await limited.close()
})
