import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '#lib/db/client.ts'
import { testDatabase } from '#lib/db/test-database.ts'
import { healthCheck } from './health.ts'
import { openDoor } from './test-door.ts'

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(close.map((end) => end()))
  close = []
})

async function health(isDraining = false) {
  const door = await openDoor({ health: healthCheck(() => isDraining) })
  close.push(door.close)
  const { answers } = await door.ask('GET /healthz?x')
  return `${answers[0]?.status} ${answers[0]?.body}`
}

test('ok while the database answers, draining when we were asked to stop', async () => {
  const database = await testDatabase()
  close.push(database.close)
  expect(await health()).toBe('200 ok')
  expect(await health(true)).toBe('503 draining')
})

test('503 while the database does not answer', async () => {
  const gone = openDatabase('postgres://nobody@127.0.0.1:1/none')
  close.push(gone.close)
  expect(await health()).toBe('503 database')
})

test('503 when the database says nothing, sooner than its pool gives up', async () => {
  const silent = createServer((socket) => close.push(async () => void socket.destroy()))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  close.push(async () => void silent.close())
  const { port } = silent.address() as AddressInfo
  const frozen = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`)
  close.push(frozen.close)
  const pool = frozen.app.query('SELECT 1').catch(() => 'the pool gave up')
  expect(await Promise.race([health(), pool])).toBe('503 database')
})
