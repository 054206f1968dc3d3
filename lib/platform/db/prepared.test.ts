import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer } from './test-rows.ts'

const alder = { customerId: 'alder' as CustomerId }
let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  // One connection, which all statements share.
  database.opened.reads.options.max = 1
  database.opened.app.options.max = 1
  await addCustomer(alder.customerId)
})
afterAll(() => database.close())

test('a statement that one copy of the module closed in an aborted transaction is prepared again by the other copy', async () => {
  // In a production build a page and a route handler have separate copies of the module, and share the pools.
  const page = await import('./scope.ts')
  vi.resetModules()
  const route = await import('./scope.ts')
  expect(page.readScope).not.toBe(route.readScope)
  const read = () => page.readScope(alder, (tx) => tx.execute(sql`SELECT id FROM customers`))
  expect((await read()).rows).toHaveLength(1)
  const failed = route.readScope(alder, (tx) =>
    Promise.all([tx.execute(sql`SELECT 1 / 0`), tx.execute(sql`SELECT id FROM customers`)]),
  )
  await expect(failed).rejects.toThrow()
  expect((await read()).rows).toHaveLength(1)
})

test('each cursor has its own columns, although the same statement fetches from it', async () => {
  const { streamScope } = await import('./scope.ts')
  const parsed: unknown[] = []
  const rows = streamScope(alder, async function* (tx) {
    for (const query of [sql`SELECT 1 AS one`, sql`SELECT 'b' AS two, 'c' AS three`]) {
      await tx.execute(sql`DECLARE exported NO SCROLL CURSOR FOR ${query}`)
      yield (await tx.execute(sql.raw('FETCH 10 FROM exported'))).rows[0]
      await tx.execute(sql`CLOSE exported`)
    }
  })
  for await (const row of rows) parsed.push(row)
  expect(parsed).toEqual([{ one: 1 }, { two: 'b', three: 'c' }])
})

test('a statement without rows is prepared once for a connection', async () => {
  const { readScope } = await import('./scope.ts')
  const work = () => readScope(alder, (tx) => tx.execute(sql`LOCK TABLE customers IN ACCESS SHARE MODE`))
  await work()
  await work()
  const client = await database.opened.reads.connect()
  const { connection } = client as unknown as { connection: { parse(message: { text: string }): void } }
  client.release()
  const parse = vi.spyOn(connection, 'parse')
  await work()
  expect(parse.mock.calls.filter(([{ text }]) => text.startsWith('LOCK'))).toEqual([])
})
