import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { closeAfterResponse, drain, handOver } from './drain.ts'
import { openTestServer } from './test-server.ts'

const REQUEST = 'GET /assets HTTP/1.1\r\nHost: console.example\r\n\r\n'

/** Opens a server whose requests are answered on demand; `begun` resolves when the first one has arrived. */
async function openBlockedServer() {
  const [started, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const testServer = await openTestServer({
    inside: async (_, res) => {
      started.resolve()
      await allowed.promise
      res.writeHead(200, { 'Content-Length': 4 }).end('done')
    },
  })
  return { ...testServer, started: started.promise, allow: () => allowed.resolve() }
}

test('running requests finish, idle connections close, and new ones are rejected', async () => {
  const testServer = await openBlockedServer()
  const running = testServer.send(REQUEST)
  const healthy = Promise.withResolvers<void>()
  const idle = testServer.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', /healthy$/, () =>
    healthy.resolve(),
  )
  await Promise.all([testServer.started, healthy.promise])
  const drained = drain(testServer.server, 60_000)
  expect(await idle).toMatchObject({ answers: [{ status: 200 }], wasClosed: true })
  expect((await testServer.send(REQUEST)).answers).toEqual([])
  testServer.allow()
  expect(await running).toMatchObject({ answers: [{ status: 200, body: 'done' }], wasClosed: true })
  expect(await drained).toBe(true)
})

test('a client with an endless sequence of requests is asked to close', async () => {
  const third = Promise.withResolvers<void>()
  let requestCount = 0
  const testServer = await openTestServer({
    // The next request arrives before this one is answered, so that the connection is never idle.
    inside: (_, res) => {
      requestCount += 1
      if (requestCount === 3) third.resolve()
      busy.write(REQUEST, () => setTimeout(() => res.writeHead(200, { 'Content-Length': 4 }).end('done'), 5))
    },
  })
  const busy = connect(testServer.port, '127.0.0.1')
  const answers = text(busy)
  busy.write(REQUEST)
  await third.promise
  expect(await drain(testServer.server, 60_000)).toBe(true)
  const responses = (await answers).split('HTTP/1.1 200').slice(1)
  expect(responses.length).toBeLessThan(20)
  expect(responses.at(-1)).toMatch(/^connection: close/im)
})

test('a request that takes too long is cut', async () => {
  const testServer = await openBlockedServer()
  const running = testServer.send(REQUEST)
  await testServer.started
  expect(await drain(testServer.server, 200)).toBe(false)
  expect(await running).toMatchObject({ answers: [], wasClosed: true })
})

test('a client is answered after closeAfterResponse, and its connection ends with the response', async () => {
  const testServer = await openBlockedServer()
  closeAfterResponse(testServer.server)
  const leaving = testServer.send(REQUEST)
  await testServer.started
  testServer.allow()
  const { answers, wasClosed } = await leaving
  expect(answers).toMatchObject([{ status: 200, headers: { connection: 'close' }, body: 'done' }])
  expect(wasClosed).toBe(true)
  // New clients are still answered.
  expect((await testServer.send(REQUEST)).answers).toMatchObject([{ status: 200, body: 'done' }])
  expect(await drain(testServer.server, 60_000)).toBe(true)
})

test('a port accepts no connections after a handover, and a kept one sends its next request', async () => {
  const testServer = await openBlockedServer()
  testServer.allow()
  const [idle, rejected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const response = testServer.send(
    REQUEST,
    /done$/,
    () => idle.resolve(),
    () => rejected.promise,
    REQUEST,
  )
  await idle.promise
  closeAfterResponse(testServer.server)
  const drained = handOver(testServer.server, 60_000)
  expect((await testServer.send(REQUEST)).answers).toEqual([])
  rejected.resolve()
  const { answers, wasClosed } = await response
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(wasClosed).toBe(true)
  await drained
  expect(await drain(testServer.server, 60_000)).toBe(true)
})

test('an idle connection is awaited for the given time after a handover', async () => {
  const testServer = await openBlockedServer()
  testServer.allow()
  const idle = Promise.withResolvers<void>()
  const response = testServer.send(REQUEST, /done$/, () => idle.resolve())
  await idle.promise
  await handOver(testServer.server, 50)
  expect(await drain(testServer.server, 60_000)).toBe(true)
  expect(await response).toMatchObject({ wasClosed: true })
})
