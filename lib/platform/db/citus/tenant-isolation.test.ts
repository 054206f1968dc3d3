import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginOf } from '../logins.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addMember } from '../test-rows.ts'

// Row-level security by itself, on a single server and distributed by Citus: checks the reach of statements without a
// WHERE. Run it with CITUS_URL, too.

const LOGINS = ['console_app', 'console_reads', 'console_streams'] as const
const INSUFFICIENT_PRIVILEGE = '42501'
const READ_ONLY = '25006'
/** Refusals: a foreign key points to the row, or its maintained sums were deleted before. */
const REJECTIONS = new Set(['23503', 'P0001'])

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  for (const customer of ['own', 'other']) {
    await addCustomer(customer)
    await addAsset(customer, 'workspace-suite-1', { purchased: 10 })
    await addInvoice(customer, 'IN-1', {}, [{}, {}])
    await addMember(customer, { roles: ['admin'], name: 'Ana' })
    await addKey(customer, ['admin'])
    await database.sql(
      customer,
      `INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
       VALUES ($1, 'workspace-suite-1', now() - interval '4 years', 1, 1)`,
      [customer],
    )
    await database.sql(
      customer,
      `INSERT INTO audit_heads (customer_id, seq, event_id, at, digest) VALUES ($1, 0, 1, now(), '')`,
      [customer],
    )
  }
})
afterAll(() => database.close())

/** Query for a column of each customer table that a login may update, if there is one. */
const COLUMNS = `
  SELECT c.relname AS table, (SELECT min(a.attname) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'customer_id'
      AND has_column_privilege('console_app', c.oid, a.attnum, 'UPDATE')
      AND has_column_privilege('console_app', c.oid, a.attnum, 'SELECT')) AS column
  FROM pg_class c JOIN pg_attribute o ON o.attrelid = c.oid AND o.attname = 'customer_id'
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`

/** Returns the other customer's rows by table, as that customer sees them. */
async function theirs(): Promise<Record<string, string>> {
  const tables = await database.sql('other', COLUMNS)
  const ids: Record<string, string> = {}
  for (const { table } of tables) {
    const rows = await database.sql('other', `SELECT * FROM ${table}`).catch(() => [])
    ids[String(table)] = rows
      .map((row) => JSON.stringify(row))
      .sort()
      .join()
  }
  return ids
}

/** Returns how many rows a statement changed for one customer; undefined where the login lacks the privilege. */
async function changed(client: pg.Client, query: string): Promise<number | undefined> {
  try {
    await client.query("BEGIN; SET LOCAL console.customer = 'own'")
    const { rowCount } = await client.query(query)
    await client.query('COMMIT')
    return rowCount ?? 0
  } catch (error) {
    await client.query('ROLLBACK')
    const { code } = error as { code?: string }
    if (code === INSUFFICIENT_PRIVILEGE || code === READ_ONLY) return undefined
    throw error
  }
}

describe.each(LOGINS)('login %s', (login) => {
  test("an UPDATE and a DELETE without a WHERE leave other customers' rows unchanged", async () => {
    const client = new pg.Client(loginOf(database.url, login))
    await client.connect()
    const before = await theirs()
    expect(before.line_items?.length).toBeGreaterThan(0)
    let touched = 0
    for (const { table, column } of await database.sql('own', COLUMNS)) {
      const [visibleRows] = await database
        .sql('own', `SELECT count(*)::int AS rows FROM ${table}`)
        .catch(() => [])
      if (!visibleRows) continue
      const rows = Number(visibleRows.rows)
      if (column) {
        const count = await changed(client, `UPDATE ${table} SET ${column} = ${column}`)
        expect([table, count === undefined || count <= rows]).toEqual([table, true])
        touched += count ?? 0
      }
      const deleted = await changed(client, `DELETE FROM ${table}`).catch((error: { code?: string }) => {
        if (REJECTIONS.has(error.code ?? '')) return 0
        throw error
      })
      expect([table, deleted === undefined || deleted <= rows]).toEqual([table, true])
      touched += deleted ?? 0
    }
    await client.end()
    expect(await theirs()).toEqual(before)
    // Checks that the tables have rows: an empty one would prove nothing.
    if (login === 'console_app') expect(touched).toBeGreaterThan(8)
    else expect(touched).toBe(0)
  })

  test("no row is visible outside a customer's scope", async () => {
    const client = new pg.Client(loginOf(database.url, login))
    await client.connect()
    for (const table of ['assets', 'invoices', 'line_items', 'seat_readings', 'audit_heads']) {
      const { rows } = await client.query(`SELECT customer_id FROM ${table}`)
      expect([table, rows]).toEqual([table, []])
    }
    await client.end()
  })
})
