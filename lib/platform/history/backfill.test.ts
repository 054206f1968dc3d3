import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
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

/** Adds events like the previous release: without links. */
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

/** The backfill of a test's database is complete already. */
const setFinished = (at: 'NULL' | 'now()') =>
  run(
    database.url,
    `UPDATE backfills SET finished_at = ${at}, at_customer = '' WHERE name = '${auditChaining.name}'`,
  )

test('events of an older release are chained while the service runs, in idempotent batches', async () => {
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
  // Two concurrent batches: each row is chained exactly once.
  await batch(null, 100)
  const report = await verified()
  expect([report.violation, report.waiting]).toEqual([undefined, undefined])
  expect(report.count).toBeGreaterThanOrEqual(25 + 4)
  expect(await batch(null, 10)).toEqual({ count: 0, last: null })
})

test('events that processes of the older release add later are reported as unchained, until the backfill is requested again', async () => {
  await setFinished('now()')
  await addNew()
  await addOld(3)
  await addNew()
  expect((await verified()).violation).toMatchObject({ kind: 'unchained' })
  expect(await batch(null, 10)).toEqual({ count: 3, last: null })
  expect((await verified()).violation).toBeUndefined()
})
