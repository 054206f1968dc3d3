import { afterAll, beforeAll, expect, it } from 'vitest'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type * as scopes from './scope.ts'
import { readScope, scope, streamScope } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer, callerOf } from './test-rows.ts'
import { run } from './test-servers/test-server.ts'

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

const names = 'SELECT id FROM billing_profiles'
const rename = "UPDATE billing_profiles SET name = 'changed'"
const nameOf = async (customerId: string) =>
  (await database.sql(customerId, 'SELECT name FROM billing_profiles'))[0]?.name

it("commits a function's writes, and rolls them back when the function throws", async () => {
  await scope(ana, (tx) => tx.execute(rename))
  expect([await nameOf('northwind'), await nameOf('southwind')]).toEqual(['changed', 'southwind'])
  const thrown = scope(eve, async (tx) => {
    await tx.execute(rename)
    throw new Error('no')
  })
  await expect(thrown).rejects.toThrow('no')
  expect(await nameOf('southwind')).toBe('southwind')
})

it('rejects when a function continued after its statement had failed', async () => {
  const swallowed = scope(ana, async (tx) => {
    await tx.execute("UPDATE billing_profiles SET name = 'lost'")
    await tx.execute('SELECT 1 / 0').catch(() => {})
    return 'done'
  })
  await expect(swallowed).rejects.toThrow('rolled back')
  expect(await nameOf('northwind')).not.toBe('lost')
})

it('reports the failed statement, and not a pipelined one that waited for it', async () => {
  const both = scope(ana, async (tx) => {
    tx.execute('SELECT 1 / 0').catch(() => {})
    await tx.execute('SELECT 1')
  })
  await expect(both).rejects.toMatchObject({ cause: { code: '22012' } })
})

it('a connection that served one customer shows nothing of it to the next user', async () => {
  const callers = Array.from({ length: 40 }, (_, index) => (index % 2 ? ana : eve))
  const seen = await Promise.all(callers.map((caller) => readScope(caller, (tx) => tx.execute(names))))
  expect(seen.every(({ rows }) => rows.length === 1)).toBe(true)
  const outside = await database.opened.app.query(names)
  expect(outside.rows).toEqual([])
})

it("a read can't write", async () => {
  const attempt = readScope(ana, (tx) => tx.execute(rename))
  await expect(attempt).rejects.toMatchObject({ cause: { code: '25006' } })
})

it('a read sees one snapshot', async () => {
  const seen = await readScope(eve, async (tx) => {
    const before = await tx.execute(names)
    await database.sql('southwind', "INSERT INTO billing_profiles VALUES ('southwind', 'later', 'later')")
    return [before.rows.length, (await tx.execute(names)).rows.length]
  })
  expect(seen).toEqual([1, 1])
})

const idle = () => database.opened.streams.idleCount
const poolIsFree = () => database.opened.streams.totalCount === idle()
const countOf = 'SELECT count(*)::int AS n FROM billing_profiles'

it('a stream sees one customer and one snapshot, and returns its connection however it ends', async () => {
  await addCustomer('eastwind')
  const joe = await callerOf('eastwind', 'admin')
  const counts = () =>
    streamScope(joe, async function* (tx) {
      for (;;) yield (await tx.execute(countOf)).rows[0]?.n
    })
  const seen: unknown[] = []
  for await (const count of counts()) {
    const id = `during-${seen.length}`
    await database.sql('eastwind', `INSERT INTO billing_profiles VALUES ('eastwind', '${id}', '${id}')`)
    if (seen.push(count) === 3) break
  }
  expect(seen).toEqual([1, 1, 1])
  expect(poolIsFree()).toBe(true)

  const failing = streamScope(eve, async function* (tx) {
    yield 1
    await tx.execute(rename)
  })
  await failing.next()
  await expect(failing.next()).rejects.toMatchObject({ cause: { code: '25006' } })
  expect(poolIsFree()).toBe(true)
})

it("a third stream of one customer is refused as busy, while other customers' streams and reads succeed", async () => {
  const endless = (caller: typeof ana) =>
    streamScope(caller, async function* () {
      for (;;) yield 1
    })
  const running = [ana, ana].map(endless)
  for (const each of running) await each.next()
  const rejection = await endless(ana)
    .next()
    .catch((error: unknown) => error)
  expect(toProblem(rejection).code).toBe('service_unavailable')
  running.push(...[eve, eve].map(endless))
  for (const each of running.slice(2)) expect(await each.next()).toMatchObject({ value: 1 })
  expect((await readScope(ana, (tx) => tx.execute(names))).rows).toHaveLength(1)
  for (const each of running) await each.return()
  expect(poolIsFree()).toBe(true)
})

it.each([
  ['changes', scope],
  ['reads', readScope],
])('%s of one customer leave room for those of another', async (_, scopeName) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 20 }, () => scopeName(ana, () => promise).catch(() => {}))
  const other = await scopeName(eve, (tx) => tx.execute(names)).finally(resolve)
  expect(other.rows).not.toHaveLength(0)
  await Promise.all(waiting)
})

it('waiting changes do not block reads', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 20 }, () => scope(ana, () => promise))
  const read = await readScope(ana, (tx) => tx.execute(names)).finally(resolve)
  expect(read.rows).toHaveLength(1)
  await Promise.all(waiting)
})

it('a connection that breaks between two statements fails its transaction, not the process', async () => {
  const broken = scope(ana, async (tx) => {
    const { rows } = await tx.execute('SELECT pg_backend_pid() AS pid')
    await run(database.url, `SELECT pg_terminate_backend(${rows[0]?.pid}, 1000)`)
    await tx.execute(names)
  })
  expect(toProblem(await broken.catch((error: unknown) => error)).status).toBe(503)
  expect((await scope(ana, (tx) => tx.execute(names))).rows).toHaveLength(1)
})

it('a read from an unresponsive server times out', async () => {
  const frozen = readScope(ana, async (tx) => {
    await tx.execute('SET LOCAL statement_timeout = 0')
    await tx.execute('SELECT pg_sleep(20)')
  })
  const started = Date.now()
  expect(toProblem(await frozen.catch((error: unknown) => error)).status).toBe(503)
  expect(Date.now() - started).toBeLessThan(19_000)
})

it('two copies of the module, as Next makes them, prepare their statements on the same connections', async () => {
  const copy = (name: string) => import(/* @vite-ignore */ `./scope.ts?${name}`) as Promise<typeof scopes>
  const [page, handler] = await Promise.all([copy('page'), copy('handler')])
  const pool = database.opened.reads
  for (const [module, query] of [
    [page, 'SELECT 1 AS n'],
    [handler, 'SELECT 2 AS n'],
  ] as const) {
    const read = () => module.transaction(pool, 'northwind', (tx) => tx.execute(query), { readOnly: true })
    const all = await Promise.all(Array.from({ length: 20 }, read))
    expect(new Set(all.map(({ rows }) => rows[0]?.n)).size).toBe(1)
  }
})
