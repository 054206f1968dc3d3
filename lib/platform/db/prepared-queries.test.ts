import { inspect } from 'node:util'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { findPerson } from '#lib/identity/access/people/find-person.ts'
import { errorCode, toProblem } from '#lib/platform/api/error-mapper.ts'
import { newLog, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Transaction } from './client.ts'
import { loginOf } from './logins.ts'
import { withRowPlans } from './prepared-queries.ts'
import { assets } from './schema/assets.ts'
import { billingProfiles, customers } from './schema/customers.ts'
import { invoices, lineItems } from './schema/invoices/invoices.ts'
import { readScope, scope, streamScope } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addAsset, addCustomer, addInvoice, callerOf } from './test-rows.ts'
import { run } from './test-servers/test-server.ts'

describe('failure', () => {
  let database: TestDatabase
  let ana: Awaited<ReturnType<typeof callerOf>>
  beforeAll(async () => {
    database = await testDatabase()
    await addCustomer('northwind')
    ana = await callerOf('northwind', 'admin')
    // PostgreSQL's error detail quotes the whole row, too.
    await run(database.url, "ALTER TABLE billing_profiles ADD CONSTRAINT never CHECK (name <> 'secret')")
    await run(database.url, 'REVOKE ALL ON members FROM console_sign_in')
  })
  afterAll(() => database.close())

  const failing = sql`UPDATE billing_profiles SET name = ${'secret'}`
  const unknown = sql`SELECT nothing FROM billing_profiles WHERE name = ${'secret'}`
  async function* streamed() {
    yield* streamScope(ana, async function* (tx) {
      yield await tx.execute(unknown)
    })
  }

  describe.each<[string, string, () => Promise<unknown>]>([
    ['a change', '23514', () => scope(ana, (tx) => tx.execute(failing))],
    ['a change within a change', '23514', () => scope(ana, () => scope(ana, (tx) => tx.execute(failing)))],
    ['a read', '42703', () => readScope(ana, (tx) => tx.execute(unknown))],
    ['a stream', '42703', () => Array.fromAsync(streamed())],
    ['a look-up', '42501', () => findPerson('secret@a.example')],
  ])('a failing %s', (_, code, fail) => {
    test('hides the statement and its values from a printed error', async () => {
      const error = await fail().catch((thrown: unknown) => thrown)
      const text = inspect(error, { depth: 5 })
      expect(text).not.toMatch(/secret|select|update|params/i)
      expect(reasonOf(error)).toMatch(/never|nothing|members/)
      expect([errorCode(error), toProblem(error).code]).toEqual([code, 'internal_error'])
    })

    test('logs the statement without values', async () => {
      const lines: string[] = []
      const log = newLog({ write: (line) => void lines.push(line) })
      log.level = 'error'
      log.error({ err: await fail().catch((thrown: unknown) => thrown) }, 'failed')
      expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
        message: expect.stringMatching(
          /^The database did not carry out a statement\.: .*(never|nothing|members)/,
        ),
        statement: expect.stringMatching(/^\s*(UPDATE|SELECT)/i),
      })
      expect(lines[0]).not.toContain('secret')
    })
  })
})

describe('rows', () => {
  let database: TestDatabase
  let client: pg.Client

  beforeAll(async () => {
    database = await testDatabase()
    await addCustomer('northwind')
    await addAsset('northwind', 'workspace-suite-1', { purchased: 3, commitmentEnd: new Date(0) })
    await addAsset('northwind', 'cloud-platform-1', null)
    await addInvoice('northwind', 'IN-1', { periodStart: '2026-10-01', periodEnd: '2026-11-01' }, [
      {},
      { price: '2.50' },
    ])
    await addInvoice('northwind', 'IN-2', { isHistory: true })
    client = new pg.Client(loginOf(database.url, 'console_app'))
    await client.connect()
    await client.query("SELECT set_config('console.customer', 'northwind', false)")
  })
  afterAll(async () => {
    await client.end()
    await database.close()
  })

  const micros = sql<string>`(extract(epoch from ${assets.createdAt}) * 1000000)::bigint::text`
  const joinCondition = eq(lineItems.invoiceId, invoices.id)

  /** Queries with and without a plan; compared as text, so that the order of the fields counts, too. */
  it.each<[string, (tx: Transaction) => Promise<unknown[]>]>([
    ['a whole table', (tx) => tx.select().from(assets).orderBy(assets.id)],
    [
      'a part, with a sum',
      (tx) =>
        tx
          .select({ type: assets.type, n: sql<number>`count(*)::int` })
          .from(assets)
          .groupBy(assets.type)
          .orderBy(assets.type),
    ],
    [
      'a table beside an expression',
      (tx) => tx.select({ asset: assets, micros }).from(assets).orderBy(assets.id),
    ],
    ['an expression with a decoder', (tx) => tx.select({ n: sql`count(*)`.mapWith(Number) }).from(invoices)],
    ['an expression with a name', (tx) => tx.select({ n: sql<number>`1 + 1`.as('n') }).from(customers)],
    ['nothing', (tx) => tx.select().from(invoices).where(eq(invoices.id, 'none'))],
    [
      'a join',
      (tx) =>
        tx
          .select()
          .from(invoices)
          .innerJoin(lineItems, joinCondition)
          .orderBy(invoices.id, lineItems.position),
    ],
    [
      'a join that finds nothing',
      (tx) =>
        tx.select().from(invoices).leftJoin(lineItems, eq(lineItems.invoiceId, 'none')).orderBy(invoices.id),
    ],
    [
      'a join that finds some',
      (tx) =>
        tx
          .select({ invoice: { id: invoices.id }, line: getTableColumns(lineItems) })
          .from(invoices)
          .leftJoin(lineItems, sql`${joinCondition} AND ${lineItems.price} = 2.5`)
          .orderBy(invoices.id),
    ],
    ['what was written', (tx) => tx.update(billingProfiles).set({ name: 'New' }).returning()],
    [
      'plain statements',
      async (tx) => (await tx.execute(sql`SELECT id, invoice_date FROM invoices ORDER BY id`)).rows,
    ],
  ])("are the same as drizzle's for %s", async (_, read) => {
    const expected = await read(drizzle(client))
    const rows = await read(withRowPlans(drizzle(client)))
    expect(rows).toEqual(expected)
    expect(JSON.stringify(rows)).toBe(JSON.stringify(expected))
  })
})
