import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CustomerId } from '#lib/access/rules.ts'
import { readScope } from '#lib/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addNewCustomer } from '#lib/db/test-rows.ts'
import { listUnchained } from './chain-rows.ts'
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

test.each([1, 2, 3, 7, 8, 100])('events without a link are found in windows of %i', async (window) => {
  const customerId = (await addNewCustomer()) as CustomerId
  for (let index = 0; index < 8; index++) await addEvent(customerId, { subject: `K${index}` })
  const gone = ['K0', 'K3', 'K4', 'K7']
  await owner.query('ALTER TABLE audit_chain NO FORCE ROW LEVEL SECURITY')
  const removed = await owner.query(
    `DELETE FROM audit_chain c USING audit_events e
     WHERE c.customer_id = $1 AND e.customer_id = $1 AND e.id = c.event_id AND e.subject = ANY($2)`,
    [customerId, gone],
  )
  await owner.query('ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY')
  expect(removed.rowCount).toBe(4)
  const found = (asked: { after: string | null; most: number }) =>
    readScope({ customerId }, (tx) => listUnchained(tx, customerId, { ...asked, window }))
  const all = await found({ after: null, most: 10 })
  expect(all.map(({ subject }) => subject)).toEqual(gone)
  const [second, third] = [all[1], all[2]]
  expect(await found({ after: null, most: 2 })).toEqual(all.slice(0, 2))
  expect(await found({ after: second?.eventId ?? null, most: 1 })).toEqual([third])
  expect(await found({ after: all[3]?.eventId ?? null, most: 5 })).toEqual([])
})
