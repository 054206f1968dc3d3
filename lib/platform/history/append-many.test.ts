import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope, scopeOfMany } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { appending, OPERATOR, recordAudit } from './audit.ts'
import { verifyChain } from './verify.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const newCustomer = async () => (await addNewCustomer()) as CustomerId
/** Returns an event with difficult characters in its names and details. */
const event = (index: number) => ({
  action: 'thing.done',
  subject: `thing-${index}`,
  actor: { ...OPERATOR, name: `Operator \ud83d\ude00\udc00 ${index}` },
  requestId: `r-${index}`,
  details: { from: index, to: 0.1, by: 'Ünï "x"\n\u2028', a: null, zoë: ['a', '\ud800'] },
})
const add = (customerId: CustomerId, count: number) =>
  scope({ customerId }, async (tx) => {
    for (let index = 0; index < count; index++) await recordAudit(tx, customerId, event(index))
  })
const verified = (customerId: CustomerId) => readScope({ customerId }, (tx) => verifyChain(tx, customerId))
const subjects = async (customerId: CustomerId) =>
  (await database.sql(customerId, 'SELECT subject FROM audit_events ORDER BY id')).map((row) => row.subject)

test("events hold the head's lock for a few statements, regardless of their number", () => {
  const [customerId, no] = ['northwind', null]
  const actor = { actorKind: 'operator', actorId: 'operator', actorName: 'Operator' }
  const entry = { customerId, action: 'a', subject: 's', ...actor, requestId: 'r', session: no, address: no }
  const additions = Array.from({ length: 1000 }, () => ({ entry: { ...entry, agent: no, details: {} } }))
  expect(appending(additions).length).toBeLessThan(10)
})

test('batches of events form a chain in their order', async () => {
  const customerId = await newCustomer()
  await add(customerId, 600)
  await add(customerId, 1)
  await add(customerId, 7)
  expect(await verified(customerId)).toEqual({ count: 608, from: 1, seq: 608 })
  const names = (count: number) => Array.from({ length: count }, (_, index) => `thing-${index}`)
  expect(await subjects(customerId)).toEqual([...names(600), ...names(1), ...names(7)])
})

test('events of one transaction stay together in spite of concurrent writers', async () => {
  const customerId = await newCustomer()
  await Promise.all(Array.from({ length: 12 }, (_, index) => add(customerId, index % 3 === 0 ? 1 : 20)))
  expect(await verified(customerId)).toEqual({ count: 164, from: 1, seq: 164 })
  expect((await subjects(customerId)).join(' ').split('thing-0 thing-1 ')).toHaveLength(9)
})

test("events of several customers are appended to each customer's own chain", async () => {
  const customers = [await newCustomer(), await newCustomer()].sort()
  await scopeOfMany(async (enter) => {
    for (const customerId of customers)
      await enter(customerId, async (tx) => {
        for (let index = 0; index < 5; index++) await recordAudit(tx, customerId, event(index))
      })
  })
  for (const customerId of customers)
    expect(await verified(customerId)).toEqual({ count: 5, from: 1, seq: 5 })
})

test('events of different times are added one by one, each with its own time', async () => {
  const customerId = await newCustomer()
  const at = new Date('2026-03-01T12:00:00Z')
  await scope({ customerId }, async (tx) => {
    for (let index = 0; index < 5; index++) await recordAudit(tx, customerId, { ...event(index), at })
  })
  const times = await database.sql(customerId, 'SELECT DISTINCT at FROM audit_events')
  expect(times).toEqual([{ at }])
  expect(await verified(customerId)).toEqual({ count: 5, from: 1, seq: 5 })
})
