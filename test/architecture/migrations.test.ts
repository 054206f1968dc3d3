import { describe, expect, test } from 'vitest'
import {
  FIRST_HELD,
  isContracting,
  isInSteps,
  lastRelease,
  type Migration,
  migrations,
  numberOf,
} from './migrations/history.ts'
import { madeBy, proofsIn, statementFaults, statementsIn } from './migrations/statements.ts'

// A migration runs while the service runs, and processes of the last release go on during it.

test('new migrations block no process of the last release', () => {
  expect(migrations().length).toBeGreaterThan(FIRST_HELD)
  expect(faults(migrations())).toEqual([])
})

const planted = (...texts: string[]): Migration[] =>
  texts.map((text, index) => ({ name: `${100 + index}_planted.sql`, text }))
const STEPS = '-- no-transaction\n'
const NAMED = 'ALTER TABLE members ADD CONSTRAINT named CHECK (name IS NOT NULL) NOT VALID'
const VALIDATED = `${STEPS}ALTER TABLE members VALIDATE CONSTRAINT named`
const REQUIRED = 'ALTER TABLE members ALTER name SET NOT NULL'

describe('a blocking statement is found', () => {
  test.each([
    ['ALTER TABLE invoices ADD COLUMN a int NOT NULL', 'ADD COLUMN NOT NULL needs a DEFAULT'],
    ['ALTER TABLE invoices ADD COLUMN a uuid DEFAULT gen_random_uuid()', 'no constant'],
    ['ALTER TABLE invoices ADD COLUMN a bigserial', 'writes the table anew'],
    ['ALTER TABLE invoices ADD COLUMN a int GENERATED ALWAYS AS (1) STORED', 'writes the table anew'],
    ['ALTER TABLE invoices ADD COLUMN a int CHECK (a > 0)', 'reads all rows'],
    ['ALTER TABLE invoices ADD COLUMN a int UNIQUE', 'builds an index under a lock'],
    ["ALTER TABLE invoices ADD COLUMN a text DEFAULT 'x' REFERENCES parties (id)", 'reads all rows'],
    ['ALTER TABLE invoices ALTER number SET DATA TYPE varchar(9)', 'ALTER TYPE writes the table anew'],
    [REQUIRED, 'SET NOT NULL needs a CHECK'],
    ['CREATE INDEX a ON invoices (customer_id)', 'built CONCURRENTLY'],
    ['CREATE INDEX CONCURRENTLY a ON invoices (customer_id)', "can't be in a transaction"],
    ['ALTER TABLE invoices ADD CONSTRAINT a FOREIGN KEY (a) REFERENCES parties (id)', 'NOT VALID'],
    ['ALTER TABLE invoices ADD CONSTRAINT a CHECK (total_amount > 0)', 'NOT VALID'],
    ['ALTER TABLE invoices ADD CONSTRAINT a UNIQUE (number)', 'builds an index under a lock'],
    ['ALTER TABLE invoices VALIDATE CONSTRAINT a', 'without a transaction'],
    ["UPDATE invoices SET number = '1'", 'UpdateStmt of invoices'],
    ["DELETE FROM invoices WHERE number = '1'", 'DeleteStmt of invoices'],
    ['WITH gone AS (DELETE FROM invoices RETURNING 1) SELECT 1', 'DeleteStmt of invoices'],
    ['TRUNCATE invoices', 'TruncateStmt of invoices'],
    ['LOCK TABLE invoices', 'LockStmt of invoices'],
    ['CREATE TABLE a (id text);INSERT INTO a SELECT id FROM invoices', 'reads all of invoices'],
    ['ALTER TABLE invoices DROP COLUMN number', 'the last release still reads invoices.number'],
    ['DROP TABLE parties, frozen', 'the last release still reads parties'],
    ['DROP INDEX invoices_due', 'dropped CONCURRENTLY'],
    ['ALTER TABLE invoices RENAME COLUMN number TO id', 'RENAME'],
    ['ALTER TABLE invoices RENAME TO bills', 'RENAME'],
    ['ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY', 'past row-level security'],
    ['ALTER TABLE invoices SET UNLOGGED', 'AT_SetUnLogged is not among'],
    ['REVOKE SELECT ON invoices FROM console_app', 'REVOKE'],
    ['SET LOCAL statement_timeout = 0', 'limits'],
    ['DO $$ BEGIN UPDATE invoices SET id = 1; END $$', 'DoStmt is not among'],
    [`${STEPS}CREATE TABLE a (id text)`, "CreateStmt can't be repeated"],
    [`${STEPS}DROP INDEX CONCURRENTLY a`, "DropStmt can't be repeated"],
    [`${STEPS}VACUUM invoices; ANALYZE invoices`, 'one statement between two breakpoints'],
  ])('%s', (text, violations) => {
    expect(faults(planted(text))).toEqual([expect.stringContaining(violations)])
  })

  test('a NOT NULL before all rows were checked', () => {
    expect(faults(planted(NAMED, REQUIRED))).toHaveLength(1)
    expect(faults(planted(NAMED, VALIDATED.replace('members', 'customers'), REQUIRED))).toHaveLength(1)
  })
})

describe('a safe statement passes', () => {
  test.each([
    [
      'ALTER TABLE invoices ADD COLUMN a text, ADD b boolean NOT NULL DEFAULT false, ADD c text REFERENCES parties (id)',
    ],
    [
      "ALTER TABLE invoices ADD a timestamptz DEFAULT now() NOT NULL, ADD d jsonb NOT NULL DEFAULT '{}'::jsonb",
    ],
    ['CREATE TABLE a (id text);CREATE INDEX b ON a (id);ALTER TABLE a ADD CONSTRAINT c CHECK (id > 0)'],
    [
      `${STEPS}CREATE UNIQUE INDEX CONCURRENTLY a ON invoices (id);--> statement-breakpoint\nDROP INDEX CONCURRENTLY IF EXISTS b`,
    ],
    ["INSERT INTO backfills (name) VALUES ('x');SELECT needs_backfill('x')"],
    ['ALTER TABLE invoices ADD CONSTRAINT a UNIQUE USING INDEX b'],
    ['ALTER TABLE invoices DROP COLUMN was_gone_before;DROP TABLE frozen'],
    ['CREATE FUNCTION a() RETURNS int LANGUAGE sql AS $$ DELETE FROM invoices; SELECT 1 $$'],
    ['CREATE POLICY own ON invoices USING (EXISTS (SELECT FROM parties))'],
    ['-- contract: the last release reads it as another role\nREVOKE SELECT ON invoices FROM console_app'],
  ])('%s', (text) => {
    expect(faults(planted(text))).toEqual([])
  })

  test('a NOT NULL after an earlier migration has checked all rows', () => {
    expect(faults(planted(NAMED, VALIDATED, REQUIRED))).toEqual([])
  })
})

/** Returns the faults of the migrations that have to follow the rules, each with its name. */
function faults(all: readonly Migration[]): string[] {
  const isRead = lastRelease()
  const checks = new Map<string, string>()
  const verified = new Set<string>()
  return all
    .filter((migration) => numberOf(migration) >= FIRST_HELD)
    .flatMap((migration) => {
      const inSteps = isInSteps(migration)
      const parts = migration.text.split('--> statement-breakpoint').map(statementsIn)
      const queries = parts.flat()
      const location = {
        own: madeBy(queries),
        inSteps,
        contracts: isContracting(migration),
        proven: new Set(verified),
        isRead,
      }
      const violations = queries.flatMap((query) => statementFaults(query, location))
      if (inSteps && parts.some((part) => part.length !== 1))
        violations.push('there is one statement between two breakpoints')
      const evidence = proofsIn(queries)
      for (const [name, column] of evidence.checks) checks.set(name, column)
      for (const name of evidence.validated) verified.add(checks.get(name) ?? '')
      return violations.map((fault) => `${migration.name}: ${fault}`)
    })
}
