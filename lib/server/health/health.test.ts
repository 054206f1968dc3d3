import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '#lib/platform/db/client.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { PRODUCT } from '#lib/platform/runtime/version.ts'
import { openTestServer } from '../test-server.ts'
import { healthCheck } from './health.ts'

let close: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(close.map((end) => end()))
  close = []
})

async function requestHealth(path: string, isDraining = false) {
  const testServer = await openTestServer({ health: healthCheck(() => isDraining) })
  close.push(testServer.close)
  const { answers } = await testServer.request(`GET ${path}`)
  return `${answers[0]?.status} ${answers[0]?.body}`
}

/** Returns the responses of the three health addresses. */
const all = async (isDraining = false) => [
  await requestHealth('/livez', isDraining),
  await requestHealth('/healthz', isDraining),
  await requestHealth('/readyz', isDraining),
]

test('health checks are ok while the database answers; a process that is shutting down fails all but the liveness check', async () => {
  const database = await testDatabase()
  close.push(database.close)
  expect(await all()).toEqual(['200 ok', '200 ok', '200 ok'])
  expect(await all(true)).toEqual(['200 ok', '503 draining', '503 draining'])
})

test('a query string is ignored, and HEAD has no body', async () => {
  expect(await requestHealth('/healthz?full')).toBe('200 ok')
  const testServer = await openTestServer({ health: healthCheck(() => false) })
  close.push(testServer.close)
  expect((await testServer.request('GET /livez')).answers[0]?.headers).toMatchObject({
    server: PRODUCT,
  })
  expect((await testServer.request('HEAD /livez')).answers).toMatchObject([{ status: 200, body: '' }])
})

test('the database is queried by readiness only, so that balancers pass our own 503 on', async () => {
  const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none')
  close.push(unreachable.close)
  expect(await all()).toEqual(['200 ok', '200 ok', '503 database'])
})

test('readiness fails when the database does not answer, before its pool times out', async () => {
  const silent = createServer((socket) => close.push(async () => void socket.destroy()))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  close.push(async () => void silent.close())
  const { port } = silent.address() as AddressInfo
  const frozen = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`)
  close.push(frozen.close)
  const pool = frozen.jobs.query('SELECT 1').catch(() => 'the pool gave up')
  expect(await Promise.race([requestHealth('/readyz'), pool])).toBe('503 database')
})

test('readiness fails while a migration of this release is missing, and ignores those of a later one', async () => {
  const database = await testDatabase()
  close.push(database.close)
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const newerMigration =
    "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)"
  try {
    await owner.query(newerMigration)
    expect(await requestHealth('/readyz')).toBe('200 ok')
    await owner.query(
      `DELETE FROM drizzle.__drizzle_migrations
       WHERE id IN (SELECT id FROM drizzle.__drizzle_migrations ORDER BY created_at DESC LIMIT 2)`,
    )
    expect(await requestHealth('/readyz')).toBe('503 migrations')
  } finally {
    await owner.end()
  }
})
