import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from './client.ts'
import { ensureLogins, lackLogins } from './ensure-logins.ts'
import { LOGINS, loginOf, ownerOf } from './logins.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

const POOLS = {
  app: 'console_app',
  reads: 'console_reads',
  streams: 'console_streams',
  keys: 'console_keys',
  leaks: 'console_keys',
  sessions: 'console_sessions',
  signIn: 'console_sign_in',
  jobs: 'console_jobs',
} as const satisfies Record<keyof Omit<Database, 'close' | 'replica' | 'semaphores'>, string>
const pools = Object.entries(POOLS) as [keyof typeof POOLS, (typeof LOGINS)[number]][]

let database: TestDatabase
let owner: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client(ownerOf(database.url))
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

/** Returns the SQLSTATE of a refusal, or `done`. */
async function attempt(pool: keyof typeof POOLS, query: string): Promise<string> {
  const client = await database.opened[pool].connect()
  let isDone = false
  try {
    await client.query("SELECT set_config('console.customer', 'anybody', false)")
    // A setting that any statement can turn off is no protection.
    await client.query('SET default_transaction_read_only = off')
    await client.query(query)
    isDone = true
    return 'done'
  } catch (error) {
    return String((error as { code?: string }).code)
  } finally {
    // A refused statement changes nothing of its session.
    client.release(isDone)
  }
}

describe.each(pools)('the connections of %s', (pool, login) => {
  it.each(["SELECT set_config('role', 'none', false)", 'SET ROLE NONE', 'RESET ROLE', 'RESET ALL'])(
    'keep their role after %s',
    async (query) => {
      const client = await database.opened[pool].connect()
      await client.query(query)
      const { rows } = await client.query('SELECT current_user, session_user')
      client.release(true)
      expect(rows).toEqual([{ current_user: login, session_user: login }])
    },
  )

  it("can't become another role", async () => {
    const { rows } = await owner.query<{ name: string }>(
      'SELECT rolname AS name FROM pg_roles WHERE rolname <> $1',
      [login],
    )
    expect(rows.length).toBeGreaterThan(LOGINS.length)
    for (const { name } of rows) {
      expect([name, await attempt(pool, `SET ROLE ${pg.escapeIdentifier(name)}`)]).toEqual([name, '42501'])
      const roleQuery = `SELECT set_config('role', ${pg.escapeLiteral(name)}, false)`
      expect([name, await attempt(pool, roleQuery)]).toEqual([name, '42501'])
      const session = `SET SESSION AUTHORIZATION ${pg.escapeIdentifier(name)}`
      expect([name, await attempt(pool, session)]).toEqual([name, '42501'])
    }
  })

  it.each([
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/never'",
    "SELECT pg_read_file('/etc/passwd')",
    'CREATE TABLE public.own (id text)',
    'CREATE ROLE another',
    'CREATE EXTENSION pg_trgm',
    'ALTER TABLE audit_events DISABLE ROW LEVEL SECURITY',
    'DROP TABLE audit_events',
    'DELETE FROM audit_events',
    "UPDATE audit_events SET action = 'nothing'",
    'TRUNCATE audit_events',
    'SELECT passwd FROM pg_shadow',
    'SELECT rolpassword FROM pg_authid',
  ])('get %s denied', async (query) => {
    expect(await attempt(pool, query)).toBe('42501')
  })

  it('can read digests only where they compare them', async () => {
    const sees = (column: string) => attempt(pool, `SELECT ${column}`)
    expect(await sees('password_hash FROM members')).toBe(pool === 'signIn' ? 'done' : '42501')
    expect(await sees('password_hash FROM people')).toBe(pool === 'signIn' ? 'done' : '42501')
    expect(await sees('email FROM people')).toBe(pool === 'signIn' ? 'done' : '42501')
    for (const table of ['pending_sign_ins', 'account_links', 'recoveries'])
      expect(await sees(`digest FROM ${table}`)).toBe(pool === 'signIn' ? 'done' : '42501')
    expect(await sees('digest FROM api_keys')).toBe(login === 'console_keys' ? 'done' : '42501')
  })
})

it.each(['reads', 'streams'] as const)(
  '%s write nothing, even after SET default_transaction_read_only = off',
  async (pool) => {
    const { rows } = await owner.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
    )
    for (const { name } of rows) {
      expect([name, await attempt(pool, `DELETE FROM ${name}`)]).toEqual([name, '42501'])
      expect([name, await attempt(pool, `INSERT INTO ${name} DEFAULT VALUES`)]).toEqual([name, '42501'])
    }
  },
)

it.each(['keys', 'sessions', 'signIn'] as const)(
  "%s can't read invoices, assets or audit events",
  async (pool) => {
    for (const table of ['assets', 'invoices', 'line_items', 'license_changes', 'audit_events']) {
      expect(await attempt(pool, `SELECT FROM ${table}`)).toBe('42501')
    }
  },
)

it('no login owns objects other than the job queue, or is a member of another role', async () => {
  const { rows } = await owner.query(
    `SELECT r.rolname AS login, r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls AS mighty,
       (SELECT count(*)::int FROM pg_auth_members m WHERE m.member = r.oid) AS memberships,
       (SELECT array_agg(DISTINCT relnamespace::regnamespace::text) FROM pg_class c WHERE c.relowner = r.oid) AS owns
     FROM pg_roles r WHERE r.rolname = ANY($1)`,
    [LOGINS],
  )
  expect(rows).toHaveLength(LOGINS.length)
  for (const { login, mighty, memberships, owns } of rows) {
    const relations =
      login === 'console_jobs' ? (owns ?? []).filter((name: string) => name !== 'pgboss') : owns
    expect([login, mighty, memberships, relations ?? []]).toEqual([login, false, 0, []])
  }
})

it('a wrong password is refused', async () => {
  const client = new pg.Client({ ...loginOf(database.url, 'console_app'), password: 'guessed' })
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
})

it('logins of another secret are not changed, but reported', async () => {
  await owner.query('BEGIN')
  await owner.query("COMMENT ON ROLE console_reads IS 'licenses-invoices of somebody else'")
  await expect(ensureLogins(owner)).rejects.toThrow(/console_reads .*another DATABASE_SECRET/)
  await ensureLogins(owner, { renew: true })
  await ensureLogins(owner)
  await owner.query('ROLLBACK')
})

it('the server stores the limits of each login, and a lost one is set again', async () => {
  expect(await lackLogins(owner)).toBe(false)
  await owner.query('BEGIN')
  await owner.query('ALTER ROLE console_reads RESET statement_timeout')
  expect(await lackLogins(owner)).toBe(true)
  await ensureLogins(owner)
  expect(await lackLogins(owner)).toBe(false)
  await owner.query('ROLLBACK')
})

it('an owner without the privilege to set the limits gets one line with the commands for an administrator', async () => {
  await owner.query('BEGIN')
  await owner.query('ALTER ROLE console_reads RESET statement_timeout')
  const query = (text: string, values?: unknown[]) =>
    text.startsWith('ALTER ROLE')
      ? Promise.reject(Object.assign(new Error('permission denied'), { code: '42501' }))
      : owner.query(text, values)
  await expect(ensureLogins({ query } as unknown as pg.Client)).rejects.toThrow(
    /^The owner of the database may not set the limits of the login console_reads\. As the server's administrator, run: ALTER ROLE console_reads SET statement_timeout = '3000';$/,
  )
  await owner.query('ROLLBACK')
})

describe('a server on another machine', () => {
  it.each([
    ['postgres://o@db.example/c', { rejectUnauthorized: true }],
    ['postgres://o@db.example/c?sslmode=verify-full', {}],
    ['postgres://o@db.example/c?sslmode=disable', false],
    ['postgres://o@localhost/c', undefined],
    ['postgres://o@[::1]/c', undefined],
    ['postgres:///c?host=/run/postgresql', undefined],
  ])('%s', (url, ssl) => {
    expect(ownerOf(url).ssl).toEqual(ssl)
  })
})

describe('functions with the rights of their owner', () => {
  // PostgreSQL runs the function of a trigger for that trigger only, whichever role may execute it.
  const executableByAll = async () => {
    const { rows } = await owner.query<{ name: string }>(`
      SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace,
        aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS granted
      WHERE n.nspname = 'public' AND p.prosecdef AND p.prorettype <> 'trigger'::regtype
        AND granted.grantee = 0 AND granted.privilege_type = 'EXECUTE' ORDER BY 1`)
    return rows.map(({ name }) => name)
  }

  it('are not executable by every login', async () => {
    expect(await executableByAll()).toEqual([])
    for (const pool of ['signIn', 'jobs', 'reads', 'keys'] as const)
      expect(await attempt(pool, 'SELECT fill_look_ups()')).toBe('42501')
    expect(await attempt('app', 'SELECT fill_look_ups()')).toBe('done')
    await owner.query(
      "CREATE FUNCTION planted() RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS 'SELECT 1'",
    )
    expect(await executableByAll()).toEqual(['planted'])
    await owner.query('DROP FUNCTION planted()')
  })
})
