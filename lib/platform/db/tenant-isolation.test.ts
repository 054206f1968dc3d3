import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOGINS } from './logins.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

// A table without row-level security works, but shows every customer's rows to a statement without a WHERE.
const WITHOUT_ROW_SECURITY = `
  SELECT c.relname AS table FROM pg_class c
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'customer_id' AND NOT a.attisdropped)
    AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (
      SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own'))
  ORDER BY 1`

let database: TestDatabase
let owner: pg.Client

beforeAll(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

test("each table with customers' rows has row-level security, and one without is detected", async () => {
  expect((await owner.query(WITHOUT_ROW_SECURITY)).rows).toEqual([])
  await owner.query('CREATE TABLE planted (customer_id text PRIMARY KEY)')
  expect((await owner.query(WITHOUT_ROW_SECURITY)).rows).toEqual([{ table: 'planted' }])
})

// A table whose policy for a reading login was forgotten: its reads would be empty, or refused.
const READERS_DIFFER = `
  SELECT c.relname || '.' || a.attname AS column, reader
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped,
  unnest(ARRAY['console_reads', 'console_streams']) reader
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    AND (has_column_privilege('console_app', c.oid, a.attnum, 'SELECT')
        <> has_column_privilege(reader, c.oid, a.attnum, 'SELECT')
      OR has_column_privilege('console_app', c.oid, a.attnum, 'SELECT')
        AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own'
        AND NOT p.polroles @> ARRAY[reader::regrole::oid]))
  ORDER BY 1, 2`

test('the two reading logins may read whatever the writing login may, under the same policies', async () => {
  await owner.query('DROP TABLE IF EXISTS planted')
  expect((await owner.query(READERS_DIFFER)).rows).toEqual([])
  await owner.query('CREATE TABLE planted (customer_id text PRIMARY KEY)')
  await owner.query('GRANT SELECT ON planted TO console_app, console_reads')
  const planted = { column: 'planted.customer_id', reader: 'console_streams' }
  expect((await owner.query(READERS_DIFFER)).rows).toEqual([planted])
})

// A table that is forgotten here keeps its rows when its customer is removed, which then fails.
const STAYS = `
  SELECT c.relname AS table FROM pg_class c
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'customer_id' AND NOT a.attisdropped)
    AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'operated')
  ORDER BY 1`

test('the owner sees, in each table, only the rows of the customer that it names', async () => {
  await owner.query('DROP TABLE IF EXISTS planted')
  expect((await owner.query(STAYS)).rows).toEqual([])
  await owner.query('CREATE TABLE planted (customer_id text PRIMARY KEY)')
  expect((await owner.query(STAYS)).rows).toEqual([{ table: 'planted' }])
  await owner.query("SELECT wall_of_owner('planted')")
  expect((await owner.query(STAYS)).rows).toEqual([])
})

// Citus copies a restrictive policy to its nodes as a permissive one, and of two permissive policies for the same
// command and login, the wider one decides.
const AMBIGUOUS = `
  SELECT c.relname || '.' || min(p.polname) AS policy, login, command
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid, unnest($1::text[]) login, unnest(ARRAY['r', 'a', 'w', 'd']) command
  WHERE p.polcmd IN ('*', command::"char") AND p.polroles && ARRAY[0, login::regrole::oid]
  GROUP BY c.relname, login, command HAVING count(*) > 1 OR NOT bool_and(p.polpermissive) ORDER BY 1, 2, 3`

test('each login and command has one permissive policy, and no restrictive policy limits it', async () => {
  await owner.query('DROP TABLE IF EXISTS planted')
  expect((await owner.query(AMBIGUOUS, [LOGINS])).rows).toEqual([])
  await owner.query('CREATE TABLE planted (customer_id text PRIMARY KEY)')
  const planted = (policy: string) => owner.query(`CREATE POLICY ${policy}`)
  await planted('own ON planted FOR SELECT TO console_app USING (true)')
  await planted('settled ON planted AS RESTRICTIVE FOR UPDATE TO console_app USING (false)')
  await planted('wider ON planted TO console_app USING (true)')
  expect((await owner.query(AMBIGUOUS, [LOGINS])).rows).toEqual([
    { policy: 'planted.own', login: 'console_app', command: 'r' },
    { policy: 'planted.settled', login: 'console_app', command: 'w' },
  ])
})
