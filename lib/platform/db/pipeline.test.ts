import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { PipelinedQueries, sendAlone } from './pipeline.ts'
import { readScope, readScopeAtOnce } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer, addKey, addProfile, callerOf } from './test-rows.ts'
import { isBehindPooler, isDistributed, run } from './test-servers/test-server.ts'

let database: TestDatabase
let ana: Caller
let eve: Caller

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  ana = await callerOf('northwind', 'admin')
  eve = await callerOf('southwind', 'admin')
})
afterAll(() => database.close())

type Rows<Row> = { rows: Row[] }
const together = <Row>(caller: Caller, query: string) =>
  readScopeAtOnce(caller, (tx) => tx.execute(sql.raw(query)), { isByKey: true }) as unknown as Promise<
    Rows<Row>
  >
const WHO =
  'SELECT customer_id AS id, pg_backend_pid() AS connection, pg_current_snapshot()::text AS moment FROM billing_profiles'
type Seen = { id: string; connection: number; moment: string }

it('reads of one turn share connections, eight at a time, and each sees its own customer', async () => {
  const callers = Array.from({ length: 40 }, (_, index) => (index % 2 ? ana : eve))
  const seen = await Promise.all(callers.map((caller) => together<Seen>(caller, WHO)))
  expect(seen.map(({ rows }) => rows.map(({ id }) => id))).toEqual(
    callers.map(({ customerId }) => [customerId]),
  )
  const connections = new Set(seen.map(({ rows }) => rows[0]?.connection)).size
  if (isBehindPooler) expect(connections).toBeLessThanOrEqual(5)
  else expect(connections).toBe(5)
})

it('a failing pipeline affects neither earlier nor later ones', async () => {
  const answers = [ana, eve, ana, eve].map((caller, index) =>
    together<Seen>(caller, index === 1 ? 'SELECT 1 / 0' : index === 2 ? 'DELETE FROM billing_profiles' : WHO),
  )
  const ends = await Promise.allSettled(answers)
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(ends[1]).toMatchObject({ reason: { cause: { code: '22012' } } })
  expect(ends[2]).toMatchObject({ reason: { cause: { code: isDistributed ? '25006' : '42501' } } })
  const { reads } = database.opened
  await expect.poll(() => reads.idleCount).toBe(reads.totalCount)
  const { rows } = await reads.query("SELECT current_setting('console.customer', true) AS customer")
  expect(rows[0].customer ?? '').toBe('')
})

// Several queries of a read begin a transaction; a single one has none.
it.each([
  ['several queries fail before a single one', true, false],
  ['a single query fails after several', false, true],
  ['all fail', true, true],
])('%s: the connection stays usable', async (_, failsFirst, failsLast) => {
  const FAILURE = sql`SELECT 1 / 0`
  const several = readScopeAtOnce(
    ana,
    (tx) => Promise.all([tx.execute(sql.raw(WHO)), tx.execute(failsFirst ? FAILURE : sql.raw(WHO))]),
    { isByKey: true },
  )
  const ends = await Promise.allSettled([several, together(eve, failsLast ? 'SELECT 1 / 0' : WHO)])
  expect(ends.map(({ status }) => status === 'rejected')).toEqual([failsFirst, failsLast])
  const { reads } = database.opened
  await expect.poll(() => reads.idleCount).toBe(reads.totalCount)
  const after = await together<Seen>(eve, WHO)
  expect(after.rows.map(({ id }) => id)).toEqual(['southwind'])
})

it('a pipelined transaction begins after the earlier ones, and sees rows that were committed in the meantime', async () => {
  const first = together(ana, 'SELECT pg_sleep(0.3)')
  const second = together<Seen>(ana, WHO)
  await addProfile('northwind', 'written-meanwhile')
  await first
  expect((await second).rows).toHaveLength(2)
})

it('a broken connection fails its own pipelines only', async () => {
  const answers = [WHO, 'SELECT pg_sleep(2.5)', WHO].map((text) => together<Seen>(ana, text))
  const ends = Promise.allSettled(answers)
  await run(
    database.url,
    `DO $$ BEGIN
      WHILE coalesce((SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'active' AND query = 'SELECT pg_sleep(2.5)'), false) = false
      LOOP PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01); END LOOP;
    END $$`,
  )
  const [before, broken, behind] = await ends
  expect(before).toMatchObject({ status: 'fulfilled' })
  for (const end of [broken, behind])
    expect(toProblem((end as PromiseRejectedResult).reason).code).toBe('service_unavailable')
  expect((await together<Seen>(eve, WHO)).rows).toHaveLength(1)
})

// A pooler keeps its prepared statements until RECONNECT: deploy/pgbouncer/README.md.
it.skipIf(isBehindPooler)('a statement is prepared again after its table has changed', async () => {
  const all = 'SELECT * FROM changing'
  await run(database.url, 'CREATE TABLE changing (one int); GRANT SELECT ON changing TO console_reads')
  await run(database.url, 'INSERT INTO changing VALUES (1)')
  const { reads } = database.opened
  const client = await reads.connect()
  // On one connection, and named.
  const read = async () => {
    const pipeline = new PipelinedQueries()
    const answer = pipeline.add({ text: all })
    client.query(pipeline)
    return (await answer).rows
  }
  expect([await read(), await read()]).toEqual([[{ one: 1 }], [{ one: 1 }]])
  await run(database.url, "ALTER TABLE changing ADD COLUMN two text DEFAULT '2'")
  await expect(read()).rejects.toMatchObject({ code: '0A000' })
  expect(await read()).toEqual([{ one: 1, two: '2' }])
  client.release()
})

it('a read is refused as busy when no connection is free, and succeeds afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  // A single customer never holds all connections.
  const blocked = Array.from({ length: 8 }, (_, at) =>
    readScope({ ...ana, customerId: `customer-${at}` as typeof ana.customerId }, () => promise),
  )
  const { reads } = database.opened
  await vi.waitFor(() => expect([reads.totalCount, reads.idleCount]).toEqual([8, 0]))
  const { connectionTimeoutMillis } = reads.options
  reads.options.connectionTimeoutMillis = 100
  const rejection = await together(ana, WHO).catch((error: unknown) => error)
  expect(toProblem(rejection).code).toBe('service_unavailable')
  reads.options.connectionTimeoutMillis = connectionTimeoutMillis
  resolve()
  await Promise.all(blocked)
  expect((await together<Seen>(eve, WHO)).rows).toHaveLength(1)
})

it('a key is looked up for each request, without caching the caller', async () => {
  const keys = await Promise.all(['northwind', 'southwind'].map((id) => addKey(id, ['admin'])))
  const find = () => Promise.all(keys.map((key) => findKeyCaller(digestOf(key))))
  expect(await find()).toMatchObject([{ customerId: 'northwind' }, { customerId: 'southwind' }])
  await database.sql('northwind', 'UPDATE api_keys SET revoked_at = now()')
  expect(await find()).toMatchObject([undefined, { customerId: 'southwind' }])
})

it('an undecodable value fails its pipeline, and the process goes on', async () => {
  const pipeline = new PipelinedQueries()
  const getTypeParser = () => () => {
    throw new Error('unreadable')
  }
  const answer = pipeline.add({ text: 'SELECT 1 AS unreadable', types: { getTypeParser } })
  sendAlone(database.opened.reads, pipeline)
  await expect(answer).rejects.toThrow('unreadable')
  expect((await together<Seen>(eve, WHO)).rows).toHaveLength(1)
})

it('a pipeline that was sent accepts no further statements', async () => {
  const pipeline = new PipelinedQueries()
  const first = pipeline.add({ text: 'SELECT 1 AS one' })
  sendAlone(database.opened.reads, pipeline)
  expect((await first).rows).toEqual([{ one: 1 }])
  expect(() => pipeline.add({ text: 'SELECT 2' })).toThrow('after the end')
})
