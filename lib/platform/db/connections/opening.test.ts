import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toProblem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { transactionAtOnce } from '../flights/at-once.ts'
import { Flight } from '../flights/flight.ts'
import { sendAlone } from '../flights/together.ts'
import { type Login, loginOf, ownerOf } from '../logins.ts'
import { scope } from '../scope.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { addCustomer } from '../test-rows.ts'
import { transaction } from '../transaction.ts'
import { type Kind, open, seeing } from './opening.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
})
afterAll(() => database.close())

const said = (login: Login, kind: Kind) => {
  const flight = new Flight()
  open(flight, login, 'northwind', kind)
  return flight.statements.map(({ text, values }) => [text, ...values].join(' '))
}

it('names limits and customer, and asks who it is, in one flight with BEGIN', () => {
  expect(said('console_reads', 'read')).toEqual([
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    'SET LOCAL lock_timeout = 250',
    'SET LOCAL statement_timeout = 3000',
    "SET LOCAL console.customer = 'northwind'",
    'SELECT current_user AS login',
  ])
  expect(said('console_app', 'write')).toEqual([
    'BEGIN',
    'SET LOCAL lock_timeout = 1000',
    'SET LOCAL statement_timeout = 3000',
    "SET LOCAL console.customer = 'northwind'",
    'SELECT current_user AS login, enter_to_write($1) northwind',
  ])
  expect(said('console_app', 'late write').at(-1)).toBe('SELECT current_user AS login')
  expect(said('console_streams', 'stream')[0]).toBe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
})

describe('what is no id of a customer', () => {
  it.each([
    "o'hara",
    "a'; DROP TABLE invoices; --",
    'a b',
    'Northwind',
    'café',
    'a\n',
    '\\',
    'a'.repeat(101),
  ])('comes into no statement: %j', async (id) => {
    expect(() => seeing(id)).toThrow('no id of a customer')
    const { app } = database.opened
    const inUse = app.totalCount - app.idleCount
    await expect(scope({ customerId: id as CustomerId }, async () => 'done')).rejects.toThrow(
      'no id of a customer',
    )
    expect(app.totalCount - app.idleCount).toBe(inUse)
  })
})

const asked = sql`SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
  current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('timezone') AS zone,
  current_setting('console.customer') AS customer`

it('its limits hold on a connection that has lost its own, and end with it', async () => {
  const pool = new pg.Pool({
    ...loginOf(database.url, 'console_app'),
    max: 1,
    pipeline: true,
  } as pg.PoolConfig)
  await pool.query('SET lock_timeout = 0; SET statement_timeout = 0')
  const inside = await transaction(pool, 'northwind', async (tx) => (await tx.execute(asked)).rows[0])
  expect(inside).toEqual({ lock: '1s', statement: '3s', idle: '20s', zone: 'UTC', customer: 'northwind' })
  const slow = transaction(pool, 'northwind', (tx) => tx.execute(sql`SELECT pg_sleep(10)`))
  await expect(slow).rejects.toMatchObject({ cause: { code: '57014' } })
  const { rows } = await pool.query(
    "SELECT current_setting('statement_timeout') AS statement, current_setting('console.customer', true) AS customer",
  )
  expect(rows).toEqual([{ statement: '0', customer: '' }])
  await pool.end()
})

describe('a pool whose connection is another login', () => {
  let pool: pg.Pool
  beforeAll(async () => {
    pool = new pg.Pool({ ...ownerOf(database.url), max: 1, pipeline: true } as pg.PoolConfig)
    await pool.query('SELECT 1')
    // From here on as a pooler is that was told to log in as somebody of its own.
    Object.assign(pool.options, { user: 'console_app' })
  })
  afterAll(() => pool.end())

  const refusal =
    /^The connection for console_app is one of \w+: a pooler must log in at the server as who asks it/
  const asks: [string, () => Promise<unknown>][] = [
    ['a change', () => transaction(pool, 'northwind', async () => 'done')],
    ['a late change', () => transaction(pool, 'northwind', async () => 'done', { evenIfClosed: true })],
    ['a read', () => transaction(pool, 'northwind', async () => 'done', { readOnly: true })],
    ['a read at once', () => transactionAtOnce(pool, 'northwind', (tx) => tx.execute(asked), sendAlone)],
  ]
  it.each(asks)('serves nothing: %s', async (_, ask) => {
    const error = await ask().catch((thrown: unknown) => thrown)
    expect((error as Error).message).toMatch(refusal)
    expect(toProblem(error).code).toBe('service_unavailable')
    // Nothing is left open on it.
    const { rows } = await pool.query("SELECT current_setting('console.customer', true) AS customer")
    expect(rows[0].customer ?? '').toBe('')
  })
})
