import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'

// Measures the bytes that a changed quantity writes: its rows and their index entries, by table, and the server's log
// (WAL), without and with the full-page images that follow a checkpoint. Customer ids have 17 characters, keys and
// members are as in production, and the database has no rows before.
// npm run change-bytes -- [changes] [database]

const CHANGES = Number(process.argv[2] ?? 10_000)
const CUSTOMERS = 100
const ASSETS = 8

const countArgument = process.argv[3]
const folder = await mkdtemp(join(tmpdir(), 'console-bytes-'))
const embedded = countArgument ? undefined : await startEmbedded(folder)
const url = countArgument ?? embedded?.url ?? ''
await migrate(url)
const database = openDatabase(url)
const owner = new pg.Client({ connectionString: url })
await owner.connect()
try {
  await report()
} finally {
  await owner.end()
  await database.close()
  await embedded?.release()
  await rm(folder, { recursive: true, force: true })
}

async function report(): Promise<void> {
  const callers: Awaited<ReturnType<typeof callerOf>>[] = []
  for (let n = 0; n < CUSTOMERS; n++) {
    const id = `customer-${String(n).padStart(8, '0')}`
    await addCustomer(id)
    for (let at = 0; at < ASSETS; at++) await addAsset(id, `workspace-suite-${at}`, { purchased: 1 })
    callers.push(await callerOf(id, 'admin'))
  }
  let made = 0
  const change = async () => {
    const n = made++
    const caller = callers[n % CUSTOMERS]
    if (!caller) throw new Error('There is no customer.')
    const input = {
      params: { asset_id: `workspace-suite-${Math.floor(n / CUSTOMERS) % ASSETS}` },
      query: {},
      headers: { 'idempotency-key': randomUUID() },
      body: { quantity: 2 + Math.floor(n / CUSTOMERS / ASSETS) },
    } as unknown as Parameters<typeof setQuantity>[1]
    await setQuantity(caller, input, { requestId: randomUUID() })
  }
  const many = async (count: number) => {
    for (let n = 0; n < count; n++) await change()
  }
  await many(CUSTOMERS)
  await owner.query('VACUUM FULL')
  await owner.query('CHECKPOINT')
  const before = await sizes()
  const start = await walPosition()
  await many(CHANGES)
  const logged = await since(start)
  const after = await sizes()
  // Each page that the changes touch was touched since the checkpoint, so the WAL has no full-page images.
  const again = await walPosition()
  await many(1000)
  const bare = await since(again)
  const most = [...after].map(([table, size]) => {
    const was = before.get(table) ?? { rows: 0, heap: 0, indexes: 0 }
    return { table, heap: (size.heap - was.heap) / CHANGES, indexes: (size.indexes - was.indexes) / CHANGES }
  })
  const grown = most.filter(({ heap, indexes }) => heap + indexes >= 1)
  console.log('| of a changed quantity | table | its indexes | together |\n|---|---:|---:|---:|')
  const row = (name: string, tableBytes: number, indexes: number) =>
    console.log(
      `| ${name} | ${tableBytes.toFixed(0)} | ${indexes.toFixed(0)} | ${(tableBytes + indexes).toFixed(0)} |`,
    )
  for (const { table, heap, indexes } of grown) row(`\`${table}\``, heap, indexes)
  const sum = (part: 'heap' | 'indexes') => grown.reduce((all, one) => all + one[part], 0)
  row('all', sum('heap'), sum('indexes'))
  console.log(
    `\nWAL: ${(logged / CHANGES).toFixed(0)} B a change after a checkpoint, ${(bare / 1000).toFixed(0)} B between`,
  )
}

type Size = { heap: number; indexes: number }

async function sizes(): Promise<Map<string, Size>> {
  await owner.query('VACUUM')
  const { rows } = await owner.query<Size & { table: string }>(
    `SELECT coalesce(p.relname, c.relname) AS table, sum(pg_table_size(c.oid))::float8 AS heap, sum(pg_indexes_size(c.oid))::float8 AS indexes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relnamespace IN ('public'::regnamespace, 'months'::regnamespace) AND c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
  )
  return new Map(rows.map(({ table, ...size }) => [table, size]))
}

async function walPosition(): Promise<string> {
  return (await owner.query('SELECT pg_current_wal_insert_lsn() AS at')).rows[0].at
}

async function since(start: string): Promise<number> {
  const { rows } = await owner.query('SELECT pg_current_wal_insert_lsn() - $1::pg_lsn AS bytes', [start])
  return Number(rows[0].bytes)
}
