import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-server.ts'
import { OPERATOR, recordAudit } from './audit.ts'
import { auditChaining } from './chain-rows.ts'
import { verifyChain } from './verify.ts'

const NORTHWIND = 'northwind' as CustomerId
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer(NORTHWIND)
})
afterAll(() => database.close())

/** As the release before wrote them: without a link. */
const addOld = (count: number) => {
  const old = (_: unknown, n: number) =>
    `('northwind', 'thing.done', 'old-${n}', 'member', 'm', 'Ana', 'r', '{"to": 1.50, "a": null}')`
  return database.sql(
    NORTHWIND,
    `INSERT INTO audit_events (customer_id, action, subject, actor_kind, actor_id, actor_name, request_id, details)
     VALUES ${Array.from({ length: count }, old).join(', ')}`,
  )
}
const addNew = () =>
  scope({ customerId: NORTHWIND }, (tx) =>
    recordAudit(tx, NORTHWIND, { action: 'thing.done', subject: 'new', actor: OPERATOR, requestId: 'r' }),
  )
const batch = (after: string | null, most: number) =>
  scope({ customerId: NORTHWIND }, (tx) => auditChaining.batch(tx, NORTHWIND, { after, most }))
const verified = () => readScope({ customerId: NORTHWIND }, (tx) => verifyChain(tx, NORTHWIND))

/** A test's database has none to do. */
const setFinished = (at: 'NULL' | 'now()') =>
  run(
    database.url,
    `UPDATE backfills SET finished_at = ${at}, at_customer = '' WHERE name = '${auditChaining.name}'`,
  )

test('what an older release wrote is chained beside a running service, in batches that may be repeated', async () => {
  await setFinished('NULL')
  await addOld(25)
  expect(await verified()).toEqual({ count: 0, from: 1, seq: 0, waiting: 25 })
  for (let after: string | null | undefined; after !== null; ) {
    const [filled] = await Promise.all([
      batch(after ?? null, 10),
      addNew(),
      batch(after ?? null, 10),
      addNew(),
    ])
    after = filled.last
  }
  // The rows of a batch that was ahead are taken by the other one: once each, and none is left.
  await batch(null, 100)
  const report = await verified()
  expect([report.violation, report.waiting]).toEqual([undefined, undefined])
  expect(report.count).toBeGreaterThanOrEqual(25 + 4)
  expect(await batch(null, 10)).toEqual({ count: 0, last: null })
})

test('and so is what its processes write beside the new one, which is a fault until it is asked for again', async () => {
  await setFinished('now()')
  await addNew()
  await addOld(3)
  await addNew()
  expect((await verified()).violation).toMatchObject({ kind: 'unchained' })
  expect(await batch(null, 10)).toEqual({ count: 3, last: null })
  expect((await verified()).violation).toBeUndefined()
})
