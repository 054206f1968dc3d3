import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { askToLeave, drain, handOver } from './drain.ts'
import { openDoor } from './test-door.ts'

const ASK = 'GET /assets HTTP/1.1\r\nHost: console.example\r\n\r\n'

/** A door whose requests are answered when they may be; `begun` when the first one has come in. */
async function heldDoor() {
  const [begun, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const door = await openDoor({
    inside: async (_, res) => {
      begun.resolve()
      await allowed.promise
      res.writeHead(200, { 'Content-Length': 4 }).end('done')
    },
  })
  return { ...door, begun: begun.promise, allow: () => allowed.resolve() }
}

test('running requests finish, idle connections close, new ones are refused', async () => {
  const door = await heldDoor()
  const running = door.send(ASK)
  const healthy = Promise.withResolvers<void>()
  const idle = door.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', /healthy$/, () => healthy.resolve())
  await Promise.all([door.begun, healthy.promise])
  const drained = drain(door.server, 60_000)
  expect(await idle).toMatchObject({ answers: [{ status: 200 }], wasClosed: true })
  expect((await door.send(ASK)).answers).toEqual([])
  door.allow()
  expect(await running).toMatchObject({ answers: [{ status: 200, body: 'done' }], wasClosed: true })
  expect(await drained).toBe(true)
})

test('a client that always has a next request ready is told to close', async () => {
  const third = Promise.withResolvers<void>()
  let asked = 0
  const door = await openDoor({
    // The next request is there before this one is answered, so that the connection is never idle.
    inside: (_, res) => {
      asked += 1
      if (asked === 3) third.resolve()
      busy.write(ASK, () => setTimeout(() => res.writeHead(200, { 'Content-Length': 4 }).end('done'), 5))
    },
  })
  const busy = connect(door.port, '127.0.0.1')
  const answers = text(busy)
  busy.write(ASK)
  await third.promise
  expect(await drain(door.server, 60_000)).toBe(true)
  const heads = (await answers).split('HTTP/1.1 200').slice(1)
  expect(heads.length).toBeLessThan(20)
  expect(heads.at(-1)).toMatch(/^connection: close/im)
})

test('what takes too long is cut', async () => {
  const door = await heldDoor()
  const running = door.send(ASK)
  await door.begun
  expect(await drain(door.server, 200)).toBe(false)
  expect(await running).toMatchObject({ answers: [], wasClosed: true })
})

test('asked to leave, a client is answered, and its connection ends with the answer', async () => {
  const door = await heldDoor()
  askToLeave(door.server)
  const leaving = door.send(ASK)
  await door.begun
  door.allow()
  const { answers, wasClosed } = await leaving
  expect(answers).toMatchObject([{ status: 200, headers: { connection: 'close' }, body: 'done' }])
  expect(wasClosed).toBe(true)
  // Who comes anew is answered still.
  expect((await door.send(ASK)).answers).toMatchObject([{ status: 200, body: 'done' }])
  expect(await drain(door.server, 60_000)).toBe(true)
})

test('handed over, a port takes no more connections, and a kept one has its next request', async () => {
  const door = await heldDoor()
  door.allow()
  const [idle, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const kept = door.send(
    ASK,
    /done$/,
    () => idle.resolve(),
    () => refused.promise,
    ASK,
  )
  await idle.promise
  askToLeave(door.server)
  const gone = handOver(door.server, 60_000)
  expect((await door.send(ASK)).answers).toEqual([])
  refused.resolve()
  const { answers, wasClosed } = await kept
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(wasClosed).toBe(true)
  await gone
  expect(await drain(door.server, 60_000)).toBe(true)
})

test('handed over, a connection that asks for nothing more is waited for as long as it was said', async () => {
  const door = await heldDoor()
  door.allow()
  const idle = Promise.withResolvers<void>()
  const kept = door.send(ASK, /done$/, () => idle.resolve())
  await idle.promise
  await handOver(door.server, 50)
  expect(await drain(door.server, 60_000)).toBe(true)
  expect(await kept).toMatchObject({ wasClosed: true })
})
