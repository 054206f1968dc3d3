import 'server-only'
import type pg from 'pg'
import { database } from '#lib/db/client.ts'
import { log } from '#lib/log.ts'

/** A customer with millions of lines takes minutes; nobody waits for it. */
const LIMITS = "SELECT set_config('statement_timeout', '10min', true), set_config('lock_timeout', '5s', true)"
const MAY_GO = 'gone_at <= now() AND exported_at >= closed_at'

/**
 * Removes the rows of customers whose time is over, of each in one transaction, and keeps of them their id and where their
 * history ended. The database lets this login remove no others: those that were not exported since they were closed wait.
 * @returns how many customers
 * @throws AggregateError of those that failed; each other one was tried
 */
export async function removeDeparted(requestId: string, signal: AbortSignal): Promise<number> {
  const { rows } = await database().jobs.query<{ id: string; mayGo: boolean }>(
    `SELECT id, coalesce(${MAY_GO}, false) AS "mayGo" FROM customers WHERE gone_at <= now() ORDER BY id`,
  )
  const errors: unknown[] = []
  let count = 0
  for (const { id, mayGo } of rows) {
    if (signal.aborted) break
    if (!mayGo) {
      log().warn({ requestId, customerId: id }, 'customer is gone and was not exported: its rows wait')
      continue
    }
    try {
      if (await removeCustomer(id)) count += 1
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} customers could not be removed.`)
  return count
}

/** @returns false where it may not go any more: it was opened again meanwhile */
async function removeCustomer(id: string): Promise<boolean> {
  const client = await database().jobs.connect()
  try {
    await client.query('BEGIN')
    await client.query(LIMITS)
    // The sums of its invoices go as they are, and are not made smaller first.
    await client.query("SELECT set_config('console.sums', 'left', true)")
    const { rowCount } = await client.query(
      `INSERT INTO former_customers (id, closed_at, chain_seq, chain_digest)
       SELECT c.id, c.closed_at, h.seq, h.digest FROM customers c LEFT JOIN audit_heads h ON h.customer_id = c.id
       WHERE c.id = $1 AND ${MAY_GO}`,
      [id],
    )
    if (rowCount === 1) {
      for (const table of await tablesOf(client))
        await client.query(`DELETE FROM ${table} WHERE customer_id = $1`, [id])
      await client.query('DELETE FROM customers WHERE id = $1', [id])
    }
    await client.query('COMMIT')
    client.release()
    return rowCount === 1
  } catch (error) {
    // In an unknown state: the pool must not hand it out again.
    client.release(true)
    throw error
  }
}

type Table = { name: string; pointsTo: string[] }

/** All tables with rows of customers, each before those to which it points: one that is added later is among them. */
async function tablesOf(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.oid::regclass::text AS name, ARRAY(
       SELECT k.confrelid::regclass::text FROM pg_constraint k
       WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.confrelid <> c.oid) AS "pointsTo"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id' AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
  )
  const left = new Map(rows.map((row) => [row.name, row]))
  const order: string[] = []
  while (left.size > 0) {
    const pointedTo = new Set([...left.values()].flatMap(({ pointsTo }) => pointsTo))
    const free = [...left.keys()].filter((name) => !pointedTo.has(name))
    if (free.length === 0) throw new Error(`The tables ${[...left.keys()].join(', ')} point to each other.`)
    for (const name of free) left.delete(name)
    order.push(...free.sort())
  }
  return order
}
