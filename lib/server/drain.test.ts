import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { drain } from './drain.ts'
import { openDoor } from './test-door.ts'

const ASK = 'GET /assets HTTP/1.1\r\nHost: console.example\r\n\r\n'

const slowDoor = (milliseconds: number) =>
  openDoor({
    inside: async (_, res) => {
      await sleep(milliseconds)
      res.writeHead(200, { 'Content-Length': 4 }).end('done')
    },
  })

test('running requests finish, idle connections close, new ones are refused', async () => {
  const door = await slowDoor(600)
  const running = door.send(ASK)
  const idle = door.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await sleep(150)
  const drained = drain(door.server, 5000)
  expect(await idle).toMatchObject({ answers: [{ status: 200 }], wasClosed: true })
  expect((await door.send(ASK)).answers).toEqual([])
  expect(await running).toMatchObject({ answers: [{ status: 200, body: 'done' }], wasClosed: true })
  expect(await drained).toBe(true)
})

test('a client that always has a next request ready is told to close', async () => {
  const door = await slowDoor(100)
  // Each arrives while the one before is being answered, so that the connection is never idle.
  const busy = door.send(...Array.from({ length: 40 }, () => [ASK, 60]).flat())
  await sleep(200)
  expect(await drain(door.server, 5000)).toBe(true)
  const { answers, wasClosed } = await busy
  expect(answers.length).toBeLessThan(20)
  expect(answers.at(-1)?.headers.connection).toBe('close')
  expect(wasClosed).toBe(true)
})

test('what takes too long is cut', async () => {
  const door = await slowDoor(60_000)
  const running = door.send(ASK)
  await sleep(100)
  expect(await drain(door.server, 200)).toBe(false)
  expect(await running).toMatchObject({ answers: [], wasClosed: true })
})
