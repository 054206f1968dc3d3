import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { type ChainedEvent, listUnchained } from './chain-rows.ts'
import { addEvent } from './test-rows.ts'

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

test.each([1, 2, 3, 7, 8, 100])('events without a link are found in ranges of %i', async (window) => {
  const customerId = (await addNewCustomer()) as CustomerId
  for (let index = 0; index < 8; index++) await addEvent(customerId, { subject: `K${index}` })
  const unlinked = ['K0', 'K3', 'K4', 'K7']
  await owner.query('ALTER TABLE audit_chain NO FORCE ROW LEVEL SECURITY')
  const removed = await owner.query(
    `DELETE FROM audit_chain c USING audit_events e
     WHERE c.customer_id = $1 AND e.customer_id = $1 AND e.id = c.event_id AND e.subject = ANY($2)`,
    [customerId, unlinked],
  )
  await owner.query('ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY')
  expect(removed.rowCount).toBe(4)
  const unchainedFrom = (range: { after: string | null; most: number }) =>
    readScope({ customerId }, (tx) => listUnchained(tx, customerId, { ...range, window }))
  /** Reads range by range, with this number of events at most. */
  const through = async (most: number) => {
    const all: ChainedEvent[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const { events, next } = await unchainedFrom({ after: after ?? null, most })
      expect(events.length).toBeLessThanOrEqual(most)
      all.push(...events)
      after = next
    }
    return all.map(({ subject }) => subject)
  }
  for (const most of [1, 2, 3, 10]) expect(await through(most)).toEqual(unlinked)
  const { events } = await unchainedFrom({ after: null, most: 1 })
  const second = await unchainedFrom({ after: events[0]?.eventId ?? null, most: 10 })
  expect(second.events.map(({ subject }) => subject)).not.toContain('K0')
})

test('a batch continues after the previous one, and examines at most one range', async () => {
  const customerId = (await addNewCustomer()) as CustomerId
  for (let index = 0; index < 8; index++) await addEvent(customerId, { subject: `K${index}` })
  const ids = await database.sql(customerId, 'SELECT id::text FROM audit_events ORDER BY id')
  const unchainedAfter = (after: string | null) =>
    readScope({ customerId }, (tx) => listUnchained(tx, customerId, { after, most: 5, window: 4 }))
  expect(await unchainedAfter(null)).toEqual({ events: [], next: ids[3]?.id })
  expect(await unchainedAfter(String(ids[3]?.id))).toEqual({ events: [], next: ids[7]?.id })
  expect(await unchainedAfter(String(ids[7]?.id))).toEqual({ events: [], next: null })
})
