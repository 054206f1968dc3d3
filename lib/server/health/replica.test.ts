import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '#lib/platform/db/client.ts'
import { emptyFolder } from '#lib/platform/db/embedded/test-cluster.ts'
import { type Embedded, startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { isDistributed, onDatabase, run } from '#lib/platform/db/test-servers/test-server.ts'
import { type Standby, startStandby } from '#lib/platform/db/test-servers/test-standby.ts'
import { openTestServer } from '../test-server.ts'
import { healthCheck } from './health.ts'
import { sweep, watchReplica } from './replica.ts'

let root: string
let primary: Embedded
let standby: Standby
let opened: Database
let watching: { stop(): void } | undefined

beforeAll(async () => {
  root = await emptyFolder()
  primary = await startEmbedded(join(root, 'own'))
  await migrate(primary.url)
  standby = await startStandby({ folder: join(root, 'own'), url: primary.url }, join(root, 'standby'))
})
afterAll(async () => {
  await standby.stop()
  await primary.release()
  await rm(root, { recursive: true, force: true })
})
beforeEach(() => {
  opened = openDatabase(primary.url, { url: standby.url, mostBehind: 1000 })
})
afterEach(async () => {
  watching?.stop()
  await opened.close()
})

async function ready() {
  const testServer = await openTestServer({ health: healthCheck(() => false) })
  const { answers } = await testServer.request('GET /readyz')
  await testServer.close()
  return `${answers[0]?.status} ${answers[0]?.body}`
}

test('readiness is ok with a replica that is behind or away, and reports it', async () => {
  watching = await watchReplica()
  await expect.poll(ready).toBe('200 ok')
  await standby.pause()
  await run(primary.url, 'CREATE TABLE later ()')
  await expect.poll(ready).toBe('200 ok, replica behind')
  await standby.resume()
  await expect.poll(ready).toBe('200 ok')
})

// Replicas of all nodes, read with citus.use_secondary_nodes, have no position in common.
test.runIf(isDistributed)('the start refuses a replica of a database that Citus distributes', async () => {
  await opened.close()
  const db = await testDatabase()
  opened = openDatabase(db.url, { url: db.url, mostBehind: 1000 })
  await expect(watchReplica()).rejects.toThrow('not for a database distributed by Citus')
  await db.close()
})

test('the start does not require a replica', async () => {
  await opened.close()
  opened = openDatabase(primary.url, { url: 'postgres://nobody@127.0.0.1:1/none', mostBehind: 1000 })
  watching = await watchReplica()
  expect(await ready()).toBe('200 ok, replica away')
})

test.each([
  ['our own server', () => primary.url],
  ['another database of the replica', () => onDatabase(standby.url, 'postgres')],
])('%s is rejected', async (_, url) => {
  await opened.close()
  opened = openDatabase(primary.url, { url: url(), mostBehind: 1000 })
  await expect(watchReplica()).rejects.toThrow(/^The database of DATABASE_READ_URL is no replica/)
})

test('the replica of another server is rejected', async () => {
  const other = await startEmbedded(join(root, 'other'))
  try {
    await migrate(other.url)
    await opened.close()
    opened = openDatabase(other.url, { url: standby.url, mostBehind: 1000 })
    await expect(watchReplica()).rejects.toThrow(/^The database of DATABASE_READ_URL is no replica/)
  } finally {
    await other.release()
  }
})

test('a replica without the migrations of this release is rejected', async () => {
  await run(
    primary.url,
    'DELETE FROM drizzle.__drizzle_migrations WHERE id = (SELECT max(id) FROM drizzle.__drizzle_migrations)',
  )
  await standby.catchUp()
  await expect(watchReplica(0)).rejects.toThrow(/older schema/)
})

test('recent writes are swept after a while, and not earlier', async () => {
  const note = (id: string, age: string) =>
    run(
      primary.url,
      `INSERT INTO recent_writes VALUES ('${id}', pg_current_xact_id(), now() - interval '${age}')`,
    )
  await note('old', '2 minutes')
  await note('new', '30 seconds')
  await sweep()
  const owner = new pg.Client({ connectionString: primary.url })
  await owner.connect()
  const { rows } = await owner.query('SELECT customer_id FROM recent_writes')
  await owner.end()
  expect(rows).toEqual([{ customer_id: 'new' }])
})
