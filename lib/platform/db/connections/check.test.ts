import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toProblem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { openDatabase } from '../client.ts'
import { type Login, loginOf, ownerOf } from '../logins.ts'
import { migrate } from '../migrate.ts'
import { readScopeAtOnce, scope } from '../scope.ts'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { isBehindPooler, isSpread, run } from '../test-server.ts'
import { checkConnection } from './check.ts'
import { checkConnections, isPooled } from './pooler.ts'
import { startPooler } from './test-pooler.ts'

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

it('takes who logs in as itself, within its limits', async () => {
  expect(await checked(loginOf(database.url, 'console_reads'), 'console_reads')).toBe('good')
  await checkConnections(database.opened)
})

it('refuses another login, be it the owner', async () => {
  const refusal = /^The connection for console_reads is one of \w+: a pooler must log in/
  expect(await checked(ownerOf(database.url), 'console_reads')).toMatch(refusal)
  expect(await checked(loginOf(database.url, 'console_app'), 'console_reads')).toMatch(refusal)
})

it.each([
  ['statement_timeout=0', 'statement_timeout is off for console_reads. '],
  ['lock_timeout=0', 'lock_timeout is off for console_reads. '],
  ['idle_in_transaction_session_timeout=0', 'idle_in_transaction_session_timeout is off for console_reads. '],
  ['statement_timeout=60000', 'statement_timeout is 60000 ms, more than 20000 for console_reads. '],
  ['timezone=Europe/Berlin', 'timezone is Europe/Berlin for console_reads. '],
  ['row_security=off', 'row_security is off for console_reads. '],
])('refuses what has %s', async (setting, told) => {
  const config = { ...loginOf(database.url, 'console_reads'), options: `-c ${setting}` }
  const found = await checked(config, 'console_reads')
  expect(found).toContain(told)
  expect(found).not.toContain('\n')
})

it('refuses who may pass by row-level security', async () => {
  const who = { login: 'console_app', mighty: true, row_security: 'on', timezone: 'UTC' }
  // Only a superuser could make such a login, and the tests have none.
  const client = { query: async () => ({ rows: [who] }) } as unknown as pg.ClientBase
  await expect(checkConnection(client, 'console_app')).rejects.toThrow(
    /^console_app may pass by row-level security\..* ALTER ROLE console_app NOSUPERUSER NOBYPASSRLS;$/,
  )
})

it('a pool without its limits serves nothing, and serves again when it has them', async () => {
  const logins = ['console_app', 'console_reads', 'console_jobs']
  for (const login of logins)
    await run(database.url, `ALTER ROLE ${login} IN DATABASE ${name} SET statement_timeout = 0`)
  const opened = openDatabase(database.url)
  const ana = { customerId: 'northwind' as CustomerId }
  const asks = [
    () => scope(ana, async () => 'done'),
    () => readScopeAtOnce(ana, async () => 'done'),
    () => findCustomer('northwind'),
  ]
  for (const ask of asks) {
    const error = await ask().catch((thrown: unknown) => thrown)
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

it('tells a pooler by the process that answers', async () => {
  const client = await database.opened.reads.connect()
  expect(await isPooled(client)).toBe(isBehindPooler)
  client.release()
})

// On Citus the tests' owner may make no database: an empty one is plain there, too, and says no more than on one server.
it.skipIf(isSpread)(
  'migrations refuse a pooler, unless somebody says that it is none, and give their lock back',
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
        /^A pooler stands before the database: .* DATABASE_DIRECT_URL\.$/,
      )
      await migrate(pooler.url, { isDirect: true })
      // Its connections to the server are still there.
      expect(await locks()).toBe(0)
      await migrate(pooler.url)
    } finally {
      pooler.stop()
      await run(database.url, `DROP DATABASE ${empty} WITH (FORCE)`)
    }
  },
)
