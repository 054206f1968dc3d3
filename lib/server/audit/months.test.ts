import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listEvents } from '#lib/identity/audit-events/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { LOGINS, loginOf } from '#lib/platform/db/logins.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { verifyChain } from '#lib/platform/history/verify.ts'
import { makeMonths } from './months.ts'

let database: TestDatabase
let owner: pg.Client
/** End of the first partition, the newest month, and a time beyond all months, in milliseconds since 1970. */
let ends: number[]
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const { rows } = await owner.query(
    "SELECT (ends / 1000)::float8 AS ends FROM history_months() WHERE named = 'audit_events' AND ends IS NOT NULL ORDER BY 1",
  )
  ends = rows.map((row) => row.ends)
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

const add = (customerId: CustomerId, at: number, subject: string) =>
  scope({ customerId }, (tx) =>
    recordAudit(tx, customerId, {
      action: 'thing.done',
      subject,
      actor: OPERATOR,
      requestId: 'r',
      at: new Date(at),
    }),
  )
const subjects = (customerId: CustomerId) =>
  readScope({ customerId }, async (tx) =>
    (await listEvents(tx, customerId, {}, { limit: 100 })).map(({ subject, seq }) => `${subject} ${seq}`),
  )
const verified = (customerId: CustomerId) => readScope({ customerId }, (tx) => verifyChain(tx, customerId))
/** Returns the number of a customer's events by partition, with row-level security disabled. */
async function partsOf(customer: string): Promise<Record<string, number>> {
  const { rows } = await owner.query(
    'SELECT tableoid::regclass::text AS part, count(*)::int AS count FROM audit_events WHERE customer_id = $1 GROUP BY 1 ORDER BY 1',
    [customer],
  )
  return Object.fromEntries(rows.map(({ part, count }) => [part, count]))
}
const month = (at: number) =>
  `months.audit_events_${new Date(at).toISOString().slice(0, 7).replace('-', '_')}`

test('existing events, this month and the next three have a partition in advance', () => {
  const now = new Date()
  const since = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  expect(ends).toEqual([since(2), since(3), since(4)])
})

test('an event is stored in the month of its time, to the microsecond, and the chain spans months', async () => {
  const customerId = (await addNewCustomer()) as CustomerId
  const [monthEnd = 0] = ends
  await add(customerId, monthEnd - 1, 'before')
  await add(customerId, monthEnd, 'after')
  await add(customerId, monthEnd + 1, 'later')
  expect(await partsOf(customerId)).toEqual({ 'months.audit_events_first': 1, [month(monthEnd)]: 2 })
  expect(await subjects(customerId)).toEqual(['later 3', 'after 2', 'before 1'])
  expect(await verified(customerId)).toEqual({ count: 3, from: 1, seq: 3 })
})

test('concurrent events at the end of a month form one chain', async () => {
  const customerId = (await addNewCustomer()) as CustomerId
  const monthEnd = ends[1] ?? 0
  await Promise.all(Array.from({ length: 40 }, (_, n) => add(customerId, monthEnd + (n % 4) - 2, `n-${n}`)))
  expect(await verified(customerId)).toEqual({ count: 40, from: 1, seq: 40 })
  const parts = await partsOf(customerId)
  expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(40)
  expect(parts[month(monthEnd)]).toBeGreaterThan(0)
  // A chain link is stored in the month of its event.
  const { rows } = await owner.query(
    `SELECT DISTINCT replace(e.tableoid::regclass::text, 'events', 'chain') = c.tableoid::regclass::text AS same
     FROM audit_events e JOIN audit_chain c ON c.customer_id = e.customer_id AND c.event_id = e.id WHERE e.customer_id = $1`,
    [customerId],
  )
  expect(rows).toEqual([{ same: true }])
})

test('an event without a partition for its month is stored, and moved when the partition is created', async () => {
  const customerId = (await addNewCustomer()) as CustomerId
  const last = ends.at(-1) ?? 0
  await add(customerId, last - 1, 'before')
  await add(customerId, last + 5, 'beyond')
  await add(customerId, Date.UTC(new Date().getUTCFullYear() + 50, 5, 1), 'far beyond')
  expect(await partsOf(customerId)).toMatchObject({ 'months.audit_events_rest': 2 })
  expect(await makeMonths()).toBe(0)
  expect((await owner.query("SELECT make_months(now() + interval '4 months') AS made")).rows).toEqual([
    { made: 2 },
  ])
  expect(await partsOf(customerId)).toMatchObject({ [month(last)]: 1, 'months.audit_events_rest': 1 })
  expect(await subjects(customerId)).toEqual(['far beyond 3', 'beyond 2', 'before 1'])
  expect(await verified(customerId)).toEqual({ count: 3, from: 1, seq: 3 })
  // A year ahead at most, even on request.
  await owner.query("SELECT make_months(now() + interval '90 years')")
  const { rows } = await owner.query('SELECT count(*)::int AS count FROM history_months()')
  expect(rows[0].count).toBeLessThanOrEqual(2 * 15)
})

describe('a named partition', () => {
  const NAMES = ['audit_events_first', 'audit_events_rest', 'audit_chain_first', 'audit_chain_rest']

  test('is inaccessible to each login, and its owner finds no row in it', async () => {
    const customerId = (await addNewCustomer()) as CustomerId
    for (const at of [Date.now(), ends[0] ?? 0]) await add(customerId, at, 'x')
    const { rows } = await owner.query('SELECT part::text AS name FROM history_months()')
    const all = rows.map(({ name }) => name)
    expect(all).toEqual(expect.arrayContaining(NAMES.map((name) => `months.${name}`)))
    for (const login of LOGINS) {
      const client = new pg.Client(loginOf(database.url, login))
      await client.connect()
      await client.query("SELECT set_config('console.customer', $1, false)", [customerId])
      for (const name of all)
        for (const text of [
          `SELECT 1 FROM ${name}`,
          `DELETE FROM ${name}`,
          `UPDATE ${name} SET customer_id = 'x'`,
          `TRUNCATE ${name}`,
        ])
          await expect(client.query(text), `${login}: ${text}`).rejects.toMatchObject({ code: '42501' })
      await client.end()
    }
    const { rows: policies } = await owner.query(
      `SELECT part::text FROM history_months() JOIN pg_class c ON c.oid = part
       WHERE NOT (relrowsecurity AND relforcerowsecurity) OR EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid) OR relacl::text ~ 'console_'`,
    )
    expect(policies).toEqual([])
  })

  test('is created only by the job, of the serving roles', async () => {
    for (const login of LOGINS.filter((name) => name !== 'console_jobs')) {
      const client = new pg.Client(loginOf(database.url, login))
      await client.connect()
      await expect(client.query('SELECT make_months(now())')).rejects.toMatchObject({ code: '42501' })
      await client.end()
    }
    expect(await makeMonths()).toBe(0)
  })
})

test('an event requested by its id, or with its chain link, is read from one partition', async () => {
  const customerId = (await addNewCustomer()) as CustomerId
  for (let n = 0; n < 5; n++) await add(customerId, Date.now() + n, `n-${n}`)
  const { rows: events } = await owner.query('SELECT id FROM audit_events WHERE customer_id = $1', [
    customerId,
  ])
  const { rows } = await owner.query(
    `EXPLAIN (COSTS OFF) SELECT FROM audit_events WHERE customer_id = '${customerId}' AND id = ${events[0].id}`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('audit_events_first')
  expect(plan).not.toMatch(/audit_events_(rest|\d)/)
})
