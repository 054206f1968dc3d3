import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { OPERATOR, recordAudit } from './audit.ts'
import { verifyChain } from './verify.ts'

// The app's login may append to the history, and so may an attacker who has stolen it.

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

/** Adds a customer with this number of events. */
async function customerWith(count: number): Promise<CustomerId> {
  const customerId = (await addNewCustomer()) as CustomerId
  await scope({ customerId: customerId }, async (tx) => {
    for (let n = 0; n < count; n++)
      await recordAudit(tx, customerId, {
        action: 'key.revoked',
        subject: `K${n}`,
        actor: OPERATOR,
        requestId: 'r',
      })
  })
  return customerId
}

/** Appends an event, with a link at an arbitrary place. */
async function plant(customerId: CustomerId, seq: number): Promise<void> {
  const [last] = await database.sql(
    customerId,
    'SELECT max(id) AS id FROM audit_events WHERE customer_id = $1',
    [customerId],
  )
  const id = BigInt(String(last?.id)) + 1000n
  await database.sql(
    customerId,
    `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name, request_id, details)
     VALUES ($1, $2, now(), 'key.revoked', 'planted', 'member', 'm', 'Ana', 'r', '{}')`,
    [customerId, id],
  )
  await database.sql(
    customerId,
    "INSERT INTO audit_chain (customer_id, seq, event_id, digest) VALUES ($1, $2, $3, sha256('x'))",
    [customerId, seq, id],
  )
}

const close = (customerId: CustomerId, seq: number) =>
  owner.query(
    `INSERT INTO audit_closings (customer_id, seq, digest, before)
     SELECT customer_id, seq, digest, now() FROM audit_chain WHERE customer_id = $1 AND seq = $2`,
    [customerId, seq],
  )
const violationOf = async (customerId: CustomerId) =>
  (await readScope({ customerId: customerId }, (tx) => verifyChain(tx, customerId))).violation

describe('a planted event', () => {
  test.each([
    [10, 5],
    // Last place of the first batch.
    [1001, 1000],
  ])('is found among %i events, at place %i', async (count, seq) => {
    const customerId = await customerWith(count)
    expect(await violationOf(customerId)).toBeUndefined()
    await plant(customerId, seq)
    expect(await violationOf(customerId)).toMatchObject({ seq: expect.closeTo(seq, -1) })
  })

  test.each([[3], [5], [0], [-1]])(
    'is found at place %i, whose month is closed but not removed yet',
    async (seq) => {
      const customerId = await customerWith(8)
      await close(customerId, 5)
      expect(await violationOf(customerId)).toBeUndefined()
      await plant(customerId, seq)
      expect(await violationOf(customerId)).toBeDefined()
    },
  )

  test.each([[3], [5], [1]])('is found at place %i, whose month is removed', async (seq) => {
    const customerId = await customerWith(8)
    await close(customerId, 2)
    await close(customerId, 5)
    await owner.query('ALTER TABLE audit_chain NO FORCE ROW LEVEL SECURITY')
    await owner.query('DELETE FROM audit_chain WHERE customer_id = $1 AND seq <= 5', [customerId])
    await owner.query('ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY')
    await plant(customerId, seq)
    expect(await violationOf(customerId)).toBeDefined()
  })
})

test('the rest of the closed months is verified after the first month was removed', async () => {
  const customerId = await customerWith(8)
  await close(customerId, 5)
  await owner.query('ALTER TABLE audit_chain NO FORCE ROW LEVEL SECURITY')
  await owner.query('DELETE FROM audit_chain WHERE customer_id = $1 AND seq <= 3', [customerId])
  await owner.query('ALTER TABLE audit_chain FORCE ROW LEVEL SECURITY')
  expect(await readScope({ customerId: customerId }, (tx) => verifyChain(tx, customerId))).toMatchObject({
    from: 4,
    count: 5,
  })
})
