import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOGINS, type Login, loginOf } from './logins.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addAsset, addCustomer } from './test-rows.ts'

// Finished changes are history: no login updates or deletes them, whatever conditions its statement omits.

const INSUFFICIENT_PRIVILEGE = '42501'
const OPEN = ['CLAIMED', 'SENT', 'UNCLEAR', 'UNKNOWN']
const CHANGES = [...OPEN, 'APPLIED', 'DRIFT', 'FAILED', 'RECORDED', 'REJECTED'].sort()
const MAILS = ['REFUSED', 'SENDING', 'SENT', 'UNKNOWN'].flatMap((state) => [`${state} old`, `${state} young`])

type History = {
  /** SQL expression that identifies a row. */
  name: string
  set: string
  rows: string[]
  changed: string[] | typeof INSUFFICIENT_PRIVILEGE
  removed: string[] | typeof INSUFFICIENT_PRIVILEGE
}

const HISTORY: Record<string, History> = {
  license_changes: {
    name: 'id',
    set: "vendor_reason = 'tried'",
    rows: CHANGES,
    changed: OPEN,
    removed: ['CLAIMED'],
  },
  notice_mails: {
    name: "state || CASE WHEN told_on < current_date - 730 THEN ' old' ELSE ' young' END",
    set: "reason = 'tried'",
    rows: MAILS,
    changed: ['SENDING old', 'SENDING young'],
    removed: MAILS.filter((name) => name.startsWith('SENDING') || name.endsWith('old')),
  },
  vendor_subscriptions: {
    name: 'id',
    set: "observation = 'tried'",
    rows: ['held', 'released'],
    changed: ['held'],
    removed: INSUFFICIENT_PRIVILEGE,
  },
  seat_readings: {
    name: "CASE WHEN at < now() - interval '3 years' THEN 'old' ELSE 'young' END",
    set: 'assigned = 0',
    rows: ['old', 'young'],
    changed: INSUFFICIENT_PRIVILEGE,
    removed: ['old'],
  },
}
const tables = Object.entries(HISTORY)
const READERS: readonly Login[] = ['console_reads', 'console_streams']
const TRIED: readonly Login[] = ['console_app', 'console_jobs', ...READERS]
const ELSE = LOGINS.filter((login) => !TRIED.includes(login))

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  for (const id of ['own', 'other']) await seed(id)
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

async function seed(id: string): Promise<void> {
  await addCustomer(id)
  await addAsset(id, 'an-asset-1', { purchased: 1 })
  for (const state of CHANGES) {
    await addAsset(id, `an-asset-${state}`, { purchased: 1 })
    const endedAt = OPEN.includes(state) && state !== 'UNCLEAR' ? 'NULL' : 'now()'
    await database.sql(
      id,
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
         actor_name, request_id, settled_at)
       VALUES ($1, $2, 'an-asset-' || $2, 1, 2, $2, 'key', 'k', 'k', 'r', ${endedAt})`,
      [id, state],
    )
  }
  for (const state of ['SENDING', 'SENT', 'REFUSED', 'UNKNOWN']) {
    const values = [id, state]
    await database.sql(
      id,
      "INSERT INTO notice_recipients (customer_id, id, email) VALUES ($1, $2, $2 || '@own.example')",
      values,
    )
    await database.sql(
      id,
      `INSERT INTO notice_mails (customer_id, recipient_id, told_on, state)
       SELECT $1, $2, current_date - days, $2 FROM unnest(ARRAY[1, 1200]) days`,
      values,
    )
  }
  await database.sql(
    id,
    `INSERT INTO vendor_subscriptions (customer_id, id, vendor, account, vendor_customer_id, subscription_id, sku_id, released_at)
     VALUES ($1, 'held', 'google', 'a', $1, 's', 'k', NULL), ($1, 'released', 'google', 'a', $1, 's', 'k', now())`,
    [id],
  )
  await database.sql(
    id,
    `INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
     SELECT $1, 'an-asset-1', now() - make_interval(days => days), 1, 1 FROM unnest(ARRAY[1, 1500]) days`,
    [id],
  )
}

/** Returns the rows of a statement, sorted, or the SQLSTATE of its refusal; the transaction is rolled back. */
async function tried(login: Login, query: string, customer = 'own'): Promise<string[] | string> {
  const client = new pg.Client(loginOf(database.url, login))
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query("SELECT set_config('console.customer', $1, true)", [customer])
    const { rows } = await client.query<{ row: string }>(query)
    return rows.map(({ row }) => row).sort()
  } catch (error) {
    return String((error as { code?: string }).code)
  } finally {
    await client.end()
  }
}

describe.each(tables)('%s', (table, { name, set, rows, changed, removed }) => {
  const read = `SELECT ${name} AS row FROM ${table}`
  const update = `UPDATE ${table} SET ${set} RETURNING ${name} AS row`
  const remove = `DELETE FROM ${table} RETURNING ${name} AS row`

  test('the app reads all rows of its customer, and updates and deletes unfinished ones', async () => {
    expect(await tried('console_app', read)).toEqual(rows)
    expect(await tried('console_app', update)).toEqual(changed)
    expect(await tried('console_app', remove)).toEqual(removed)
    // Without UPDATE a role can't lock the row either: it is left out.
    if (changed !== INSUFFICIENT_PRIVILEGE)
      expect(await tried('console_app', `${read} FOR NO KEY UPDATE`)).toEqual(changed)
    expect(await tried('console_app', read, 'nobody')).toEqual([])
    if (changed !== INSUFFICIENT_PRIVILEGE) expect(await tried('console_app', update, 'nobody')).toEqual([])
    if (removed !== INSUFFICIENT_PRIVILEGE) expect(await tried('console_app', remove, 'nobody')).toEqual([])
  })

  test.each(READERS)("%s reads the same rows, and can't write", async (login) => {
    expect(await tried(login, read)).toEqual(rows)
    expect(await tried(login, update)).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await tried(login, remove)).toBe(INSUFFICIENT_PRIVILEGE)
  })

  test.each(ELSE)('%s has no access', async (login) => {
    for (const query of [read, update, remove]) expect(await tried(login, query)).toBe(INSUFFICIENT_PRIVILEGE)
  })

  test('rows can neither be added nor moved to another customer', async () => {
    const columns = await owner.query(
      `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'customer_id'`,
      [table],
    )
    const { names } = columns.rows[0]
    const stolen = `INSERT INTO ${table} (customer_id, ${names}) SELECT 'third', ${names} FROM ${table} RETURNING '' AS row`
    expect(await tried('console_app', stolen)).toBe(INSUFFICIENT_PRIVILEGE)
    await owner.query(`GRANT UPDATE (customer_id) ON ${table} TO console_app`)
    const moved = `UPDATE ${table} SET customer_id = 'third' RETURNING '' AS row`
    const outcome = await tried('console_app', moved)
    await owner.query(`REVOKE UPDATE (customer_id) ON ${table} FROM console_app`)
    // Without a policy for UPDATE, no row can be changed.
    expect(outcome).toEqual(changed === INSUFFICIENT_PRIVILEGE ? [] : INSUFFICIENT_PRIVILEGE)
  })

  test("the owner deletes all rows of the customer that it names, as the customer's removal does", async () => {
    await owner.query("BEGIN; SET LOCAL console.operated = 'own'")
    try {
      if (table === 'vendor_subscriptions')
        await owner.query('DELETE FROM license_changes; DELETE FROM seat_readings; DELETE FROM assets')
      const { rows: deleted } = await owner.query(
        `DELETE FROM ${table} WHERE customer_id = 'own' RETURNING ${name} AS row`,
      )
      expect(deleted.map(({ row }) => row).sort()).toEqual(rows)
    } finally {
      await owner.query('ROLLBACK')
    }
  })
})

test("the jobs' login reads due rows of all customers, and updates only the observation of held subscriptions", async () => {
  const twice = (names: string[]) => names.flatMap((name) => [name, name])
  expect(await tried('console_jobs', 'SELECT state AS row FROM license_changes')).toEqual(twice(OPEN))
  expect(await tried('console_jobs', 'SELECT state AS row FROM notice_mails')).toEqual(
    Array(4).fill('SENDING'),
  )
  const noted = 'UPDATE vendor_subscriptions SET observed_at = now() RETURNING id AS row'
  expect(await tried('console_jobs', noted)).toEqual(['held', 'held'])
  expect(await tried('console_jobs', 'SELECT 1 AS row FROM seat_readings')).toBe(INSUFFICIENT_PRIVILEGE)
  for (const [table, { set }] of tables) {
    expect(await tried('console_jobs', `UPDATE ${table} SET ${set} RETURNING '' AS row`)).toBe(
      INSUFFICIENT_PRIVILEGE,
    )
    expect(await tried('console_jobs', `DELETE FROM ${table} RETURNING '' AS row`)).toBe(
      INSUFFICIENT_PRIVILEGE,
    )
  }
})
