import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'

/** Piece of an export: rows of a table, one JSON object per line, or a stored document. */
export type ExportPiece =
  | { kind: 'rows'; table: string; lines: string[] }
  | { kind: 'file'; invoiceId: string; document: string; name: string | null; bytes: Uint8Array }
  /** Time of the export's snapshot in ISO 8601. */
  | { kind: 'moment'; at: string }

/**
 * Tables without use for a person, or with secrets: sessions and known browsers, stored responses, and data derived
 * from invoices. What a reseller paid does not belong to the customer: no database role that serves customers may read
 * it.
 */
const LEFT_OUT = [
  'customer_versions',
  'idempotency_keys',
  'invoice_sums',
  'invoice_tokens',
  'known_browsers',
  'limit_windows',
  'look_ups',
  'recent_writes',
  'sessions',
  'unversioned_writes',
  'used_confirmations',
]
/** The digests of the audit chain verify the audit log, and are not secret. */
const CHAIN = ['audit_chain', 'audit_closings', 'audit_heads']
/** Matches secret columns by whole words of their names, so that tables added later are covered as well. */
const NO_COLUMN = '(^|_)(digest|secret|hash|tokens?|codes?|credential|observation)($|_)'

const PORTION = 1000

/**
 * Exports all data of one customer in pieces, from one snapshot. Tables that are added later are included
 * automatically.
 */
export function exportCustomer(customerId: CustomerId): AsyncGenerator<ExportPiece> {
  return streamScope({ customerId }, (tx) => pieces(tx, customerId))
}

async function* pieces(tx: Transaction, customerId: CustomerId): AsyncGenerator<ExportPiece> {
  const { rows } = await tx.execute<{ at: string }>(
    sql`SELECT to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
  )
  yield { kind: 'moment', at: rows[0]?.at ?? '' }
  for (const { table, columns, order } of await exportedTables(tx)) {
    const customerColumn = sql.identifier(table === 'customers' ? 'id' : 'customer_id')
    const row = sql.join(
      columns.map(({ name, isBytes }) => columnOf(name, isBytes)),
      sql`, `,
    )
    const by = sql.join(
      order.map((name) => sql.identifier(name)),
      sql`, `,
    )
    const all = sql`SELECT to_json(t)::text AS line FROM (
      SELECT ${row} FROM ${sql.identifier(table)} WHERE ${customerColumn} = ${customerId} ORDER BY ${by}) t`
    for await (const lines of fetched<{ line: string }>(tx, all))
      yield { kind: 'rows', table, lines: lines.map(({ line }) => line) }
  }
  yield* files(tx, customerId)
}

function columnOf(name: string, isBytes: boolean): SQL {
  const column = sql.identifier(name)
  return isBytes ? sql`encode(${column}, 'hex') AS ${column}` : sql`${column}`
}

type Table = { table: string; columns: { name: string; isBytes: boolean }[]; order: string[] }

/** Returns the exportable columns of each table with rows of customers, in the order of its key. */
async function exportedTables(tx: Transaction): Promise<Table[]> {
  const { rows } = await tx.execute<Table>(sql`
    SELECT c.relname AS "table",
      jsonb_agg(jsonb_build_object('name', a.attname, 'isBytes', a.atttypid = 'bytea'::regtype) ORDER BY a.attnum)
        AS columns,
      coalesce((SELECT jsonb_agg(k.attname ORDER BY array_position(i.indkey::int[], k.attnum::int))
        FROM pg_index i JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary), '["customer_id"]') AS "order"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
      AND (c.relname = 'customers' OR EXISTS (SELECT FROM pg_attribute o
        WHERE o.attrelid = c.oid AND o.attname = 'customer_id' AND NOT o.attisdropped))
      AND c.relname <> ALL (${sql.param(LEFT_OUT)}::text[])
      AND has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND (c.relname = ANY (${sql.param(CHAIN)}::text[])
        OR a.atttypid <> 'bytea'::regtype AND a.attname !~ ${NO_COLUMN})
    GROUP BY c.oid, c.relname ORDER BY c.relname = 'customers' DESC, c.relname`)
  return rows
}

/** Reads the rows of a statement in portions. */
async function* fetched<Row extends Record<string, unknown>>(
  tx: Transaction,
  query: SQL,
): AsyncGenerator<Row[]> {
  await tx.execute(sql`DECLARE exported NO SCROLL CURSOR FOR ${query}`)
  for (;;) {
    const { rows } = await tx.execute(sql.raw(`FETCH ${PORTION} FROM exported`))
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < PORTION) break
  }
  await tx.execute(sql`CLOSE exported`)
}

async function* files(tx: Transaction, customerId: CustomerId): AsyncGenerator<ExportPiece> {
  const storedFiles = sql`SELECT invoice_id AS id, kind FROM invoice_files
    WHERE customer_id = ${customerId} ORDER BY invoice_id, kind`
  for await (const portion of fetched<{ id: string; kind: string }>(tx, storedFiles))
    for (const { id, kind } of portion) {
      const { rows } = await tx.execute<{ name: string | null; bytes: Buffer }>(sql`
        SELECT name, bytes FROM invoice_files
        WHERE customer_id = ${customerId} AND invoice_id = ${id} AND kind = ${kind}`)
      for (const { name, bytes } of rows) yield { kind: 'file', invoiceId: id, document: kind, name, bytes }
    }
}
