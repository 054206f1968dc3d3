import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Kinds of records that are compared. */
export const WHAT = ['invoices', 'lines', 'changes', 'events'] as const

/** Returns the ids of all records; with a moment, of those committed until then. */
export async function readState(
  url: string,
  moment?: string,
): Promise<Record<(typeof WHAT)[number], string[]>> {
  const ids = async (id: string, table: string) => {
    const until = moment ? `WHERE pg_xact_commit_timestamp(xmin) <= '${moment}'` : ''
    const rows = await queryRows<{ id: string }>(url, `SELECT ${id} AS id FROM ${table} ${until} ORDER BY 1`)
    return rows.map(({ id }) => id)
  }
  return {
    invoices: await ids('id', 'invoices'),
    lines: await ids("invoice_id || ' ' || position", 'line_items'),
    changes: await ids("asset_id || ' ' || to_quantity", 'license_changes'),
    events: await ids('id::text', 'audit_events'),
  }
}

/** Resolves when the archive has the WAL up to now. */
export async function archived(url: string): Promise<void> {
  const [{ file } = { file: '' }] = await queryRows<{ file: string }>(
    url,
    'SELECT pg_walfile_name(pg_current_wal_lsn() - 1) AS file',
  )
  for (;;) {
    const [row] = await queryRows<{ last: string | null }>(
      url,
      'SELECT last_archived_wal AS last FROM pg_stat_archiver',
    )
    if (row?.last && row.last >= file) return
    await sleep(100)
  }
}

/** Returns the rows of a query on a new connection. */
export async function queryRows<Row extends object>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(query)
  await client.end()
  return rows
}
