import { sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from './client.ts'
import { PipelinedQueries } from './pipeline.ts'
import { readScopeAtOnce } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer, addProfile, callerOf } from './test-rows.ts'
import { isDistributed } from './test-servers/test-server.ts'

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

const names = sql`SELECT customer_id AS id FROM billing_profiles`
const idsOf = async (caller: Caller) => {
  const { rows } = await readScopeAtOnce(caller, (tx) => tx.execute<{ id: string }>(names))
  return rows.map(({ id }) => id)
}

it("sees its own customer, regardless of the connection's previous user", async () => {
  const callers = Array.from({ length: 40 }, (_, index) => (index % 2 ? ana : eve))
  const seen = await Promise.all(callers.map(idsOf))
  expect(seen).toEqual(callers.map(({ customerId }) => [customerId]))
})

it('sees one snapshot in all of its statements', async () => {
  let isAdded = false
  const [first, , second] = await readScopeAtOnce(ana, (tx) => {
    // The snapshot is that of the first statement: nothing is inserted before its answer.
    const first = tx.execute(names).then((result) => result)
    const add = async () => {
      await first
      await addProfile('northwind', 'later')
      isAdded = true
    }
    return Promise.all([first, tx.execute(sql`SELECT pg_sleep(0.3)`), tx.execute(names), add()])
  })
  expect(isAdded).toBe(true)
  expect([first.rows.length, second.rows.length]).toEqual([1, 1])
  expect(await idsOf(ana)).toHaveLength(2)
})

it("refuses a statement sent after the rows of another one, outside of the customer's transaction", async () => {
  const readAfterEnd = readScopeAtOnce(ana, async (tx) => {
    await tx.execute(names)
    return tx.execute(names)
  })
  await expect(readAfterEnd).rejects.toMatchObject({
    cause: { message: expect.stringContaining('after the end') },
  })
})

it('refuses to write: one statement by the rights of its login, several by their transaction, too', async () => {
  const write = sql`UPDATE billing_profiles SET name = 'changed'`
  const one = readScopeAtOnce(ana, (tx) => tx.execute(write))
  await expect(one).rejects.toMatchObject({ cause: { code: isDistributed ? '25006' : '42501' } })
  const several = readScopeAtOnce(ana, (tx) => Promise.all([tx.execute(write), tx.execute(names)]))
  await expect(several).rejects.toMatchObject({ cause: { code: '25006' } })
})

// With Citus, each transaction has BEGIN: only SET LOCAL reaches the other nodes.
it.skipIf(isDistributed)('begins a transaction for several statements, and none for one', async () => {
  const submitted = vi.spyOn(PipelinedQueries.prototype, 'submit')
  const textsOf = async (count: number, isByKey: boolean) => {
    submitted.mockClear()
    const read = (tx: Transaction) => Promise.all(Array.from({ length: count }, () => tx.execute(names)))
    await readScopeAtOnce(ana, read, { isByKey })
    const sent = submitted.mock.contexts as PipelinedQueries[]
    return sent.flatMap(({ queries }) => queries.map(({ text }) => text))
  }
  const query = new PgDialect().sqlToQuery(names).sql
  for (const isByKey of [false, true]) {
    const enter = expect.stringMatching(isByKey ? /^SELECT .*'force_generic_plan'/ : /^SELECT (?!.*plan)/)
    expect(await textsOf(1, isByKey)).toEqual([enter, query])
    expect(await textsOf(2, isByKey)).toEqual([
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      ...[enter, query, query, 'COMMIT'],
    ])
  }
  submitted.mockRestore()
})

it('leaves the connection usable, however it ends', async () => {
  const { reads } = database.opened
  // More often than the pool has connections.
  for (let time = 0; time < 20; time++) {
    await expect(readScopeAtOnce(ana, (tx) => tx.execute(sql`SELECT 1 / 0`))).rejects.toThrow()
    await expect(readScopeAtOnce(ana, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  }
  await expect.poll(() => reads.idleCount).toBe(reads.totalCount)
  expect(await idsOf(eve)).toEqual(['southwind'])
  const { rows } = await reads.query("SELECT current_setting('console.customer', true) AS customer")
  expect(rows[0].customer ?? '').toBe('')
})
