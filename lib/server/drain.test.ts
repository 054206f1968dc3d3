import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { drain } from './drain.ts'
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
