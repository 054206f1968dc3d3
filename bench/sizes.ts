import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import pg from 'pg'
import { readFile } from '#lib/billing/invoice-files/files.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { addLoaded, addSmall } from './http/seed.ts'

// Measures how many bytes a row takes in each table and in each of its indexes, after sequential writes and a vacuum:
// docs/evidence/scale.md calculates with them.
// npm run sizes -- [invoices of the large customer]

const INVOICES = Number(process.argv[2] ?? 1_000_000)
const CHANGES = 10_000
const DOCUMENTS = 1_000
/** Customers of the small size, with a member and a session each. */
const MEMBERS = 20_000

const PEOPLE = [
  `INSERT INTO members (customer_id, id, email, name, password_hash, roles)
   SELECT 's-' || n, gen_random_uuid(), 'ana.ruiz@s-' || n || '.example', 'Ana Ruiz', repeat('x', 97), '{admin}'
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO sessions (customer_id, digest, member_id)
   SELECT customer_id, translate(encode(sha256(id::bytea), 'base64'), '+/=', '-_'), id FROM members, (SELECT $1::int) n`,
  `INSERT INTO api_keys (customer_id, id, name, digest, prefix, last_four, roles, last_used_at)
   SELECT customer_id, gen_random_uuid(), 'Nightly export', translate(encode(sha256(('k' || id)::bytea), 'base64'), '+/=', '-_'),
     'lic_abcd', 'wxyz', '{finance-user}', now() FROM members, (SELECT $1::int) n`,
]

const folder = await mkdtemp(join(tmpdir(), 'console-sizes-'))
const embedded = await startEmbedded(folder)
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await write(embedded.url)
  await report(embedded.url)
} finally {
  await database.close()
  await embedded.release()
  await rm(folder, { recursive: true, force: true })
}

async function write(url: string): Promise<void> {
  const { id } = await addLoaded(url, 'large', INVOICES)
  await addSmall(url, 64)
  const caller = await callerOf(id, 'admin')
  const few = pLimit(4)
  // The total differs from the current one, so that each PATCH is a change, with its history rows and its stored
  // response.
  const change = (n: number) =>
    setQuantity(
      caller,
      {
        params: { asset_id: `workspace-suite-${n % 64}` },
        query: {},
        headers: { 'idempotency-key': randomUUID() },
        body: { quantity: 2 + Math.floor(n / 64) },
      } as unknown as Parameters<typeof setQuantity>[1],
      { requestId: randomUUID() },
    )
  await Promise.all(Array.from({ length: CHANGES }, (_, n) => few(() => change(n))))
  const renderPdf = (n: number) => readFile(caller, `IN-${String(1 + n).padStart(8, '0')}`, 'drawn')
  await Promise.all(Array.from({ length: DOCUMENTS }, (_, n) => few(() => renderPdf(n))))
  await inOne(url, async (owner) => {
    for (const query of PEOPLE) await owner.query(query, [MEMBERS])
    await owner.query('VACUUM ANALYZE')
  })
}

/** Size of a table or an index with monthly partitions, all of them together. */
function ofParts(size: string, part: string): string {
  return `coalesce((SELECT sum(${size}(relid)) FROM pg_partition_tree(${part}) WHERE isleaf), ${size}(${part}))::float8`
}

type Size = { table: string; index: string | null; rows: number; bytes: number }

/** A table's own bytes are those of its rows, its TOAST table, and its free-space and visibility maps. */
async function report(url: string): Promise<void> {
  const sizes = await inOne(url, async (owner) => {
    const { rows: tables } = await owner.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1",
    )
    const tableSizes: Size[] = []
    for (const { name } of tables) {
      const { rows } = await owner.query<Size>(
        `WITH counted AS (SELECT count(*)::float8 AS rows FROM ${name})
         SELECT '${name}' AS table, NULL AS index, rows, ${ofParts('pg_table_size', `'${name}'::regclass`)} AS bytes FROM counted
         UNION ALL
         SELECT '${name}', c.relname, rows, ${ofParts('pg_relation_size', 'c.oid')} FROM counted, pg_index i
         JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = '${name}'::regclass`,
      )
      tableSizes.push(...rows)
    }
    return tableSizes
  })
  console.log('| table, index | rows | bytes a row |\n|---|---:|---:|')
  for (const { table, index, rows, bytes } of sizes.filter((size) => size.rows >= 500))
    console.log(`| ${index ? `· ${index}` : `**${table}**`} | ${rows} | ${(bytes / rows).toFixed(1)} |`)
}

async function inOne<T>(url: string, fn: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    return await fn(owner)
  } finally {
    await owner.end()
  }
}
