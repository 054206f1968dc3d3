import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import {
  checkConnection,
  checkConnections,
  isPooled,
  type Kind,
  open,
  openDatabase,
  seeing,
} from './client.ts'
import { type Login, loginOf, ownerOf } from './logins.ts'
import { migrate } from './migrate.ts'
import { PipelinedQueries } from './pipeline.ts'
import { readScopeAtOnce, scope, transaction, transactionAtOnce } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer } from './test-rows.ts'
import { startPooler } from './test-servers/test-pooler.ts'
import { isBehindPooler, isDistributed, run } from './test-servers/test-server.ts'

describe('the beginning of a transaction', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
    await addCustomer('northwind')
  })
  afterAll(() => database.close())

  const textsOf = (pool: pg.Pool, kind: Kind) => {
    const pipeline = new PipelinedQueries()
    open(pipeline, pool, 'northwind', kind)
    return pipeline.queries.map(({ text, values }) => [text, ...values].join(' '))
  }

  it.skipIf(isDistributed)(
    'enters with one statement after BEGIN where the server has no Citus',
    async () => {
      const { app, reads } = database.opened
      for (const pool of [app, reads]) await pool.query('SELECT 1')
      const settings = "set_config('lock_timeout', $2, true), set_config('statement_timeout', $3, true)"
      expect(textsOf(reads, 'read')).toEqual([
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
        `SELECT current_user AS login, ${settings}, set_config('console.customer', $1, true) northwind 250 3000`,
      ])
      expect(textsOf(app, 'write')).toEqual([
        'BEGIN',
        `SELECT current_user AS login, ${settings}, begin_write(set_config('console.customer', $1, true)) northwind 1000 3000`,
      ])
    },
  )

  it('pipelines limits, customer and the check of the login with BEGIN', () => {
    // No connection has shown yet whether the server has Citus.
    const queryTexts = (login: Login, kind: Kind) => textsOf(new pg.Pool({ user: login }), kind)
    expect(queryTexts('console_reads', 'read')).toEqual([
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      'SET LOCAL lock_timeout = 250',
      'SET LOCAL statement_timeout = 3000',
      "SET LOCAL console.customer = 'northwind'",
      'SELECT current_user AS login',
    ])
    expect(queryTexts('console_app', 'write')).toEqual([
      'BEGIN',
      'SET LOCAL lock_timeout = 1000',
      'SET LOCAL statement_timeout = 3000',
      "SET LOCAL console.customer = 'northwind'",
      'SELECT current_user AS login, begin_write($1) northwind',
    ])
    expect(queryTexts('console_app', 'late write').at(-1)).toBe('SELECT current_user AS login')
    expect(queryTexts('console_streams', 'stream')[0]).toBe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  })

  describe('an invalid customer id', () => {
    it.each([
      "o'hara",
      "a'; DROP TABLE invoices; --",
      'a b',
      'Northwind',
      'café',
      'a\n',
      '\\',
      'a'.repeat(101),
    ])('is never part of a statement: %j', async (id) => {
      expect(() => seeing(id)).toThrow('no id of a customer')
      const { app } = database.opened
      const inUse = app.totalCount - app.idleCount
      await expect(scope({ customerId: id as CustomerId }, async () => 'done')).rejects.toThrow(
        'no id of a customer',
      )
      expect(app.totalCount - app.idleCount).toBe(inUse)
    })
  })

  const limitsQuery = sql`SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
  current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('timezone') AS zone,
  current_setting('console.customer') AS customer`

  it('restores limits that the connection has lost, until the transaction ends', async () => {
    const pool = new pg.Pool({
      ...loginOf(database.url, 'console_app'),
      max: 1,
      pipeline: true,
    } as pg.PoolConfig)
    await pool.query('SET lock_timeout = 0; SET statement_timeout = 0')
    const inside = await transaction(pool, 'northwind', async (tx) => (await tx.execute(limitsQuery)).rows[0])
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
      // `end` does not wait for a rejected connection, which the server may end first, when the database is dropped.
      pool.on('connect', (client) => client.on('error', () => {}))
      await pool.query('SELECT 1')
      // From here on the pool acts like a pooler that logs in with its own user.
      Object.assign(pool.options, { user: 'console_app' })
    })
    afterAll(() => pool.end())

    const rejection =
      /^The connection for console_app is one of \w+: a pooler must log in at the server as who asks it/
    const attempts: [string, () => Promise<unknown>][] = [
      ['a change', () => transaction(pool, 'northwind', async () => 'done')],
      ['a late change', () => transaction(pool, 'northwind', async () => 'done', { evenIfClosed: true })],
      ['a read', () => transaction(pool, 'northwind', async () => 'done', { readOnly: true })],
      ['a read at once', () => transactionAtOnce(pool, 'northwind', (tx) => tx.execute(limitsQuery))],
      [
        'a read by key',
        () => transactionAtOnce(pool, 'northwind', (tx) => tx.execute(limitsQuery), { isByKey: true }),
      ],
    ]
    it.each(attempts)('refuses %s', async (_, attempt) => {
      const error = await attempt().catch((thrown: unknown) => thrown)
      expect((error as Error).message).toMatch(rejection)
      expect(toProblem(error).code).toBe('service_unavailable')
      // The transaction was ended.
      const { rows } = await pool.query("SELECT current_setting('console.customer', true) AS customer")
      expect(rows[0].customer ?? '').toBe('')
    })
  })
})

describe('the check of a connection', () => {
  let database: TestDatabase
  let name: string
  beforeAll(async () => {
    database = await testDatabase()
    name = new URL(database.url).pathname.slice(1)
  })
  afterAll(() => database.close())

  async function checked(config: pg.ClientConfig, login: Login): Promise<string> {
    const client = new pg.Client(config)
    await client.connect()
    try {
      return await checkConnection(client, login).then(
        () => 'good',
        (error: Error) => error.message,
      )
    } finally {
      await client.end()
    }
  }

  it('accepts the login itself, within its limits', async () => {
    expect(await checked(loginOf(database.url, 'console_reads'), 'console_reads')).toBe('good')
    await checkConnections(database.opened)
  })

  it('refuses another login, even the owner', async () => {
    const rejection = /^The connection for console_reads is one of \w+: a pooler must log in/
    expect(await checked(ownerOf(database.url), 'console_reads')).toMatch(rejection)
    expect(await checked(loginOf(database.url, 'console_app'), 'console_reads')).toMatch(rejection)
  })

  it.each([
    ['statement_timeout=0', 'statement_timeout is off for console_reads. '],
    ['lock_timeout=0', 'lock_timeout is off for console_reads. '],
    [
      'idle_in_transaction_session_timeout=0',
      'idle_in_transaction_session_timeout is off for console_reads. ',
    ],
    ['statement_timeout=60000', 'statement_timeout is 60000 ms, more than 20000 for console_reads. '],
    ['timezone=Europe/Berlin', 'timezone is Europe/Berlin for console_reads. '],
    ['row_security=off', 'row_security is off for console_reads. '],
  ])('refuses a connection with %s', async (setting, message) => {
    const config = { ...loginOf(database.url, 'console_reads'), options: `-c ${setting}` }
    const rejection = await checked(config, 'console_reads')
    expect(rejection).toContain(message)
    expect(rejection).not.toContain('\n')
  })

  it('refuses a login that may bypass row-level security', async () => {
    const who = { login: 'console_app', mighty: true, row_security: 'on', timezone: 'UTC' }
    // A stub client: only a superuser could create such a login, and the tests have none.
    const client = { query: async () => ({ rows: [who] }) } as unknown as pg.ClientBase
    await expect(checkConnection(client, 'console_app')).rejects.toThrow(
      /^console_app may pass by row-level security\..* ALTER ROLE console_app NOSUPERUSER NOBYPASSRLS;$/,
    )
  })

  it('a pool without its limits refuses all work until they are restored', async () => {
    const logins = ['console_app', 'console_reads', 'console_jobs']
    for (const login of logins)
      await run(database.url, `ALTER ROLE ${login} IN DATABASE ${name} SET statement_timeout = 0`)
    const opened = openDatabase(database.url)
    const ana = { customerId: 'northwind' as CustomerId }
    const attempts = [
      () => scope(ana, async () => 'done'),
      () => readScopeAtOnce(ana, async () => 'done'),
      () => findCustomer('northwind'),
    ]
    for (const attempt of attempts) {
      const error = await attempt().catch((thrown: unknown) => thrown)
      expect(toProblem(error).code).toBe('service_unavailable')
      expect(String((error as Error).cause ?? error)).toContain('statement_timeout is off for console_')
    }
    await expect(checkConnections(opened)).rejects.toThrow('statement_timeout is off for console_')
    const open = () => [opened.app, opened.reads, opened.jobs].map(({ totalCount }) => totalCount)
    await expect.poll(open).toEqual([0, 0, 0])
    for (const login of logins)
      await run(database.url, `ALTER ROLE ${login} IN DATABASE ${name} RESET statement_timeout`)
    expect(await scope(ana, async () => 'done')).toBe('done')
    await opened.close()
  })

  it('detects a pooler by the process id in its answers', async () => {
    const client = await database.opened.reads.connect()
    expect(await isPooled(client)).toBe(isBehindPooler)
    client.release()
  })

  // On Citus the tests' owner can't create databases, and an empty database is not distributed there either.
  it.skipIf(isDistributed)(
    'migrations refuse a pooler unless the address is declared as direct, and release their lock',
    async () => {
      const empty = `${name}_empty`
      const direct = new URL(database.url)
      direct.pathname = `/${empty}`
      await run(database.url, `CREATE DATABASE ${empty}`)
      const pooler = await startPooler(direct.href)
      const locks = async () => {
        const client = new pg.Client(ownerOf(direct.href))
        await client.connect()
        const { rows } = await client.query(
          "SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = $1)",
          [empty],
        )
        await client.end()
        return rows.length
      }
      try {
        await expect(migrate(pooler.url)).rejects.toThrow(
          /^DATABASE_URL is a pooler; .* DATABASE_DIRECT_URL\.$/,
        )
        await migrate(pooler.url, { isDirect: true })
        // The pooler's connections to the server are still open.
        expect(await locks()).toBe(0)
        await migrate(pooler.url)
      } finally {
        pooler.stop()
        await run(database.url, `DROP DATABASE ${empty} WITH (FORCE)`)
      }
    },
  )
})
