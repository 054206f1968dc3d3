import { tmpdir } from 'node:os'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { addEvent } from '#lib/platform/history/test-rows.ts'
import { commandLine } from '../test-command.ts'
import { dropMonths, monthsBefore } from './prune.ts'

describe('months', () => {
  const DAY = 86_400_000
  /** Months after the existing ones, so that they end on a future day. */
  const begin = new Date()
  const inMonth = (months: number) => Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + months, 10)
  let secondDatabase: TestDatabase
  let ownerClient: pg.Client
  beforeEach(async () => {
    secondDatabase = await testDatabase({ today: new Date(inMonth(9)).toISOString().slice(0, 10) })
    ownerClient = new pg.Client({ connectionString: secondDatabase.url })
    await ownerClient.connect()
    await ownerClient.query("SELECT make_months(pg_catalog.now() + interval '10 months')")
  })
  afterEach(async () => {
    await ownerClient.end()
    await secondDatabase.close()
  })
  const { admin: run } = commandLine(() => secondDatabase.url, tmpdir())
  const parts = async () =>
    (
      await ownerClient.query(
        "SELECT count(*)::int AS count FROM history_months() WHERE ends <= month_id(now() - interval '2 months')",
      )
    ).rows[0].count
  const left = async (customerId: string) =>
    (await secondDatabase.sql(customerId, 'SELECT subject FROM audit_events ORDER BY id')).map(
      ({ subject }) => subject,
    )

  test('are dropped whole where all histories allow it, and each chain verifies afterwards', async () => {
    const both = [await addNewCustomer(), await addNewCustomer()]
    for (const customerId of both)
      for (const months of [0, 2, 4, 6, 7, 8])
        for (const day of [0, 3])
          await addEvent(customerId, {
            at: new Date(inMonth(months) + day * DAY),
            subject: `K${months}.${day}`,
          })
    expect(await parts()).toBeGreaterThan(6)
    const { code, out } = await run('audit prune --months 2')
    expect(code).toBe(0)
    expect(out).toContain('removed completely')
    expect(out).toContain('8 events')
    expect(await parts()).toBe(0)
    for (const customerId of both) {
      expect(await left(customerId)).toEqual(['K7.0', 'K7.3', 'K8.0', 'K8.3', customerId])
      expect((await run(`audit verify --customer ${customerId}`)).out).toContain(
        'verified (5 events, 9 to 13',
      )
    }
    expect(await run('audit prune --months 2')).toEqual({ code: 0, out: '', err: '' })
  })

  test('stay where one history does not verify', async () => {
    const [whole, broken] = [await addNewCustomer(), await addNewCustomer()]
    for (const customerId of [whole, broken])
      for (const months of [0, 2, 8])
        await addEvent(customerId, { at: new Date(inMonth(months)), subject: `K${months}` })
    await ownerClient.query('ALTER TABLE audit_events NO FORCE ROW LEVEL SECURITY')
    await ownerClient.query(
      "UPDATE audit_events SET subject = 'changed' WHERE customer_id = $1 AND subject = 'K2'",
      [broken],
    )
    await ownerClient.query('ALTER TABLE audit_events FORCE ROW LEVEL SECURITY')
    const before = await parts()
    const { code, err } = await run('audit prune --months 2')
    expect([code, err]).toEqual([1, expect.stringContaining(`${broken} does not verify`)])
    expect(await parts()).toBe(before)
    expect(await left(broken)).toEqual(['K0', 'changed', 'K8'])
  })

  test('resume after an interruption: closed events are verified until their removal in the next run', async () => {
    const customerId = await addNewCustomer()
    for (const months of [0, 2, 8])
      await addEvent(customerId, { at: new Date(inMonth(months)), subject: `K${months}` })
    await ownerClient.query(
      `INSERT INTO audit_closings (customer_id, seq, digest, before)
       SELECT customer_id, seq, digest, now() FROM audit_chain WHERE customer_id = $1 AND seq = 2`,
      [customerId],
    )
    expect((await run(`audit verify --customer ${customerId}`)).out).toContain('verified (3 events, 1 to 3')
    expect((await run('audit prune --months 2')).code).toBe(0)
    expect(await left(customerId)).toEqual(['K8'])
  })

  test('stay with an event that has no place in its chain', async () => {
    const customerId = await addNewCustomer()
    for (const months of [2, 8])
      await addEvent(customerId, { at: new Date(inMonth(months)), subject: `K${months}` })
    await secondDatabase.sql(
      customerId,
      `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name, request_id, details)
       VALUES ($1, $2::bigint * 1000, 'epoch', 'thing.done', 'planted', 'member', 'm', 'Ana', 'r', '{}')`,
      [customerId, inMonth(2) + 5],
    )
    await run('audit prune --months 2')
    expect(await left(customerId)).toContain('planted')
  })

  // Event added after the verification, with the login that serves requests.
  test.each([
    ['an event that is not closed', 1, ''],
    [
      'an event without a place',
      2,
      `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name, request_id, details)
       VALUES ($1, $2, 'epoch', 'thing.done', 'K4', 'member', 'm', 'Ana', 'r', '{}')`,
    ],
    [
      'a place without an event',
      2,
      "INSERT INTO audit_chain (customer_id, seq, event_id, digest) VALUES ($1, 4, $2, sha256('x'))",
    ],
  ])('with %s stay, as do later months', async (_, closed, planted) => {
    const customerId = await addNewCustomer()
    for (const months of [2, 4, 8])
      await addEvent(customerId, { at: new Date(inMonth(months)), subject: `K${months}` })
    await ownerClient.query(
      `INSERT INTO audit_closings (customer_id, seq, digest, before)
       SELECT customer_id, seq, digest, now() FROM audit_chain WHERE customer_id = $1 AND seq = $2`,
      [customerId, closed],
    )
    if (planted) await secondDatabase.sql(customerId, planted, [customerId, (inMonth(4) + 5) * 1000])
    const months = await monthsBefore(ownerClient, 2)
    await dropMonths(ownerClient, months)
    const from = months.findIndex(({ name }) => name.endsWith(partOf(inMonth(4))))
    expect(from).toBeGreaterThan(2)
    expect((await monthsBefore(ownerClient, 2)).map(({ name }) => name)).toEqual(
      months.slice(from).map(({ name }) => name),
    )
    expect(await left(customerId)).not.toContain('K2')
    expect(await left(customerId)).toContain('K4')
  })
})

/** Returns the suffix of the partition's name for a time's month. */
function partOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7).replace('-', '_')
}
