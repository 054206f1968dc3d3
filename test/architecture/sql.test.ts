import { describe, expect, test } from 'vitest'
import { isTest, projectFiles, read, unmatched } from './scan.ts'

// The same SQL is for one PostgreSQL server and for Citus, which distributes the customers over several: this test
// finds SQL that only one server accepts.

const FILES = projectFiles('lib').filter((file) => file.endsWith('.ts') && !isTest(file))

/** Defaults of columns may be volatile on Citus: they are evaluated once, where the row is created. */
const SCHEMA = /^lib\/platform\/db\/schema\//

/** Citus's error: `functions used in UPDATE queries on distributed tables must not be VOLATILE`. */
const VOLATILE = /(?<!\.)\b(?:clock_timestamp|timeofday|random|gen_random_uuid|nextval)\(\)?/g

/** Citus's error: `subqueries are not supported within INSERT queries`, in the ON CONFLICT clause. */
const SUBQUERY = /\bDO UPDATE\b(?:(?!\bRETURNING\b)[^;`])*?\(\s*SELECT\b/g

/**
 * Citus's error: `functions used in the DO UPDATE SET clause … must be marked IMMUTABLE`. Write the inserted value,
 * with `excluded`.
 */
const MUTABLE =
  /\bINSERT INTO\s+(\w+)[^`;]*?\bDO UPDATE\b(?:(?!\bRETURNING\b|\bWHERE\b)[^;`])*?\b(now|statement_timestamp|convert_to)\(/g

/**
 * Citus's error: `Non-IMMUTABLE functions are not allowed in CASE or COALESCE statements`, in the SET clause of an
 * UPDATE.
 */
const IN_CASE = /\bcoalesce\(\$\{\w+\.\w+\}, (now|statement_timestamp)\(\)\)/g

/**
 * Citus's error: `COPY FROM not supported with row-level security`, for selected rows that are joined with no row of
 * the customer.
 */
const ROWS_ALONE =
  /\bINSERT INTO\s+(\w+)[^`;]*?\bSELECT\b(?:(?!\bFROM\b)[^;`])*?\bFROM\s+(?:LATERAL\s+)?(\w+)\s*\(/g

/** Tables without a customer, or written with a setting that needs a replica of a single server. */
const OF_NO_CUSTOMER = new Set(['refused_strangers', 'recent_writes'])

/** Tables that are never distributed. */
const AT_HOME = new Set(['vendor_accounts', 'vendor_budgets', 'sign_in_budgets'])

/** Returns the faults of a file's statements. */
function faultsIn(file: string, text: string): string[] {
  const located = (what: string) => `${file}: ${what}`
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '')
  return [
    ...(SCHEMA.test(file)
      ? []
      : [...code.matchAll(VOLATILE)].map(([match]) =>
          located(`${match} is volatile: write statement_timestamp()`),
        )),
    ...[...code.matchAll(SUBQUERY)].map(() => located('a subquery in ON CONFLICT: write two statements')),
    ...[...code.matchAll(MUTABLE)]
      .filter(([, table = '']) => !AT_HOME.has(table))
      .map(([, , name]) => located(`${name}() in ON CONFLICT: write what is inserted, by excluded`)),
    ...[...code.matchAll(IN_CASE)].map(([, name]) => located(`${name}() in coalesce: write least()`)),
    ...[...code.matchAll(ROWS_ALONE)]
      .filter(([, table = '']) => !OF_NO_CUSTOMER.has(table))
      .map(([, table, source]) =>
        located(`INSERT INTO ${table} … SELECT from ${source}() alone: put a row beside it`),
      ),
  ]
}

test('Citus accepts all statements, too', () => {
  expect(FILES.flatMap((file) => faultsIn(file, read(file)))).toEqual([])
})

test('the patterns and tables of the check exist', () => {
  expect(unmatched([SCHEMA, /\/store\.ts$/], FILES)).toEqual([])
  const rest = FILES.filter((file) => !SCHEMA.test(file))
  expect(unmatched([SCHEMA], rest)).toEqual([String(SCHEMA)])
  const writers = FILES.filter((file) => /\b(INSERT INTO|DO UPDATE|UPDATE)\b/.test(read(file)))
  expect(writers.length).toBeGreaterThan(20)
  const tables = FILES.filter((file) => SCHEMA.test(file))
    .map(read)
    .join()
  const absent = [...OF_NO_CUSTOMER, ...AT_HOME].filter((table) => !tables.includes(`'${table}'`))
  expect(absent).toEqual([])
})

describe('a statement that Citus rejects is found', () => {
  test.each([
    ['sql`UPDATE a SET at = clock_timestamp()`', 'clock_timestamp() is volatile'],
    ['.set({ id: sql`gen_random_uuid()` })', 'gen_random_uuid() is volatile'],
    ['`INSERT INTO a (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET (x, y) = (\n SELECT 1, 2)`', 'a subquery'],
    ['`INSERT INTO a (x) SELECT $1, r.* FROM json_to_recordset($2::json) AS r(x text)`', 'alone'],
    [
      '`INSERT INTO a (x, at) VALUES (1, now()) ON CONFLICT (x) DO UPDATE SET at = now()`',
      'now() in ON CONFLICT',
    ],
    [`.set({ at: sql\`coalesce(\${a.at}, statement_timestamp())\` })`, 'in coalesce'],
    [
      '`INSERT INTO a (x)\n SELECT r.x FROM unnest($1::text[]) AS r(x)`',
      'INSERT INTO a … SELECT from unnest()',
    ],
  ])('%s', (text, expected) => {
    expect(faultsIn('lib/planted.ts', text)).toEqual([expect.stringContaining(expected)])
  })
})

test('a statement that Citus accepts passes', () => {
  const fine = [
    '// clock_timestamp() is not for statements',
    "at: time('at').default(sql`statement_timestamp()`)",
    '`INSERT INTO a (x) SELECT own.x, r.* FROM b AS own, json_to_recordset($1::json) AS r(y int) WHERE own.x = $2`',
    '`INSERT INTO a (x) VALUES ($1) ON CONFLICT (x) DO UPDATE SET y = excluded.y`',
    'const wait = Math.random() * 1000',
    "const rows = 'SELECT 1 FROM unnest($1)'; const other = `INSERT INTO a VALUES (1)`",
  ]
  expect(fine.flatMap((text) => faultsIn('lib/planted.ts', text))).toEqual([])
})
