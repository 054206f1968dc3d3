import { drizzle } from 'drizzle-orm/node-postgres'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import { OPERATOR, recordAudit } from './audit.ts'
import { readBounds } from './chain-rows.ts'
import { ownerOf, tamperings } from './test-tampering.ts'
import { type ChainHead, verifyChain } from './verify.ts'

const NORTHWIND = 'northwind' as CustomerId
const LENGTH = 30
/** Tamperings of a run; fast-check prints the seed of a failure. */
const TAMPERINGS = DEEP ? 1000 : 250

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer(NORTHWIND)
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

/** Adds an event with difficult characters in details and names. */
function add(customerId: CustomerId, index: number): Promise<void> {
  const details = [{}, { from: index, to: 0.1, by: 'Ünï "x"\n\u2028' }, { zoë: ['a', '\ud800'], a: null }][
    index % 3
  ]
  const actor = { ...OPERATOR, name: `Operator \ud83d\ude00\udc00 ${index}` }
  const event = { action: 'thing.done', subject: `thing-${index}`, actor, requestId: `r-${index}`, details }
  return scope({ customerId }, (tx) => recordAudit(tx, customerId, event as never))
}

const verified = (customerId: CustomerId, chainHeads: ChainHead[] = []) =>
  readScope({ customerId }, (tx) => verifyChain(tx, customerId, chainHeads))

describe('a chain', () => {
  test('is consecutive for each customer, in spite of concurrent writers', async () => {
    const other = (await addNewCustomer()) as CustomerId
    expect(await verified(other)).toEqual({ count: 0, from: 1, seq: 0 })
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => add(index % 4 === 0 ? other : NORTHWIND, index)),
    )
    expect(await verified(NORTHWIND)).toEqual({ count: LENGTH, from: 1, seq: LENGTH })
    expect(await verified(other)).toEqual({ count: 10, from: 1, seq: 10 })
  })

  test('contains no link of a rolled-back transaction', async () => {
    const failed = scope({ customerId: NORTHWIND }, async (tx) => {
      const event = { action: 'thing.done', subject: 'lost', actor: OPERATOR, requestId: 'r' }
      await recordAudit(tx, NORTHWIND, event)
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await verified(NORTHWIND)).toMatchObject({ count: LENGTH })
  })
})

describe("tampering by the database's owner", () => {
  const tables = ['audit_events', 'audit_chain', 'audit_heads']
  beforeAll(async () => {
    for (const table of tables) await run(database.url, `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`)
  })
  afterAll(async () => {
    for (const table of tables) await run(database.url, `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`)
  })

  test(`is detected and located in each of ${TAMPERINGS} edits, removals, insertions and reorderings`, async () => {
    const { chainHead } = await readScope({ customerId: NORTHWIND }, (tx) => readBounds(tx, NORTHWIND))
    const signed = [chainHead as ChainHead]
    const kindCounts = new Map<string, number>()
    const each = fc.asyncProperty(fc.oneof(...tamperings), async (tamper) => {
      await owner.query('BEGIN')
      try {
        const { kinds, at } = await tamper(await ownerOf(owner, NORTHWIND))
        const { violation } = await verifyChain(drizzle(owner) as Transaction, NORTHWIND, signed)
        expect(kinds).toContain(violation?.kind)
        if (violation && 'seq' in violation) expect(at).toContain(violation.seq)
        kindCounts.set(`${violation?.kind}`, (kindCounts.get(`${violation?.kind}`) ?? 0) + 1)
      } finally {
        await owner.query('ROLLBACK')
      }
    })
    await fc.assert(each, { numRuns: TAMPERINGS })
    expect([...kindCounts.values()].reduce((all, one) => all + one)).toBeGreaterThanOrEqual(TAMPERINGS)
    const kinds = ['edited', 'inserted', 'moved', 'removed', 'unchained']
    expect([...kindCounts.keys()]).toEqual(expect.arrayContaining(kinds))
    expect((await verifyChain(drizzle(owner) as Transaction, NORTHWIND, signed)).violation).toBeUndefined()
  }, 300_000)
})

describe("the app's connections", () => {
  const queries = ['audit_events', 'audit_chain'].flatMap((table) => [
    `UPDATE ${table} SET customer_id = customer_id`,
    `DELETE FROM ${table}`,
    `TRUNCATE ${table}`,
  ])
  const pools = ['app', 'reads', 'streams', 'keys', 'sessions', 'signIn', 'jobs'] as const
  test.each(pools.flatMap((pool) => queries.map((query) => [pool, query] as const)))(
    '%s: %s is refused',
    async (pool, query) => {
      // A reading login lacks the privilege as well; its read-only transaction may be refused first.
      const code = expect.stringMatching(pool === 'reads' ? /^(42501|25006)$/ : /^42501$/)
      await expect(database.opened[pool].query(query)).rejects.toMatchObject({ code })
    },
  )

  test('a head is neither removed nor taken from another customer', async () => {
    for (const query of ['DELETE FROM audit_heads', 'TRUNCATE audit_heads', 'DELETE FROM audit_closings'])
      await expect(database.opened.app.query(query)).rejects.toMatchObject({ code: '42501' })
    const other = (await addNewCustomer()) as CustomerId
    const updated = await scope({ customerId: other }, (tx) => tx.execute('UPDATE audit_heads SET seq = 0'))
    expect(updated.rowCount).toBe(0)
    const foreign = { action: 'a', subject: 's', actor: OPERATOR, requestId: 'r' }
    const written = scope({ customerId: other }, (tx) => recordAudit(tx, NORTHWIND, foreign))
    await expect(written).rejects.toMatchObject({ cause: { code: '42501' } })
  })
})
