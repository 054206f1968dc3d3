import 'server-only'
import { deletedCustomers } from '#lib/identity/access/due-work.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { asOwnerOf, type OwnersWork } from './as-owner.ts'

/**
 * Removes deleted customers whose retention is over: each with all rows in one transaction, if it was exported after it
 * was closed. Only the database's owner may do so: in a process without that login (MIGRATE_AT_START=0), the customers
 * that the operator's command would remove are logged.
 * @param url of the database
 * @returns how many customers
 * @throws AggregateError of the failures; all other customers were tried
 */
export async function purgeDeletedCustomers(
  requestId: string,
  signal: AbortSignal,
  url: string,
): Promise<number> {
  const errors: unknown[] = []
  let count = 0
  for (const { customerId, isExported } of await deletedCustomers()) {
    if (signal.aborted) break
    if (!isExported || !databaseSettings().migratesAtStart) {
      const todo = isExported ? 'run: customers remove-gone' : 'export it: its rows wait'
      log().warn({ requestId, customerId, todo }, 'customer is gone and not removed')
      continue
    }
    try {
      if (await removeCustomer(url, customerId)) count += 1
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} customers could not be removed.`)
  return count
}

/**
 * Removes all rows of a customer whose retention is over and that was exported after it was closed, in one transaction
 * of the database's owner. Its id and the end of its audit chain stay.
 * @param url database address for the owner
 * @returns false where it must not be removed: it was reopened, for example
 */
export function removeCustomer(url: string, customerId: CustomerId): Promise<boolean> {
  return asOwnerOf(url, { alone: [customerId] }, async ({ query, write }) => {
    const recorded = await write(
      `INSERT INTO former_customers (id, closed_at, chain_seq, chain_digest)
       SELECT c.id, c.closed_at, h.seq, h.digest FROM customers c LEFT JOIN audit_heads h ON h.customer_id = c.id
       WHERE c.id = $1 AND c.gone_at <= now() AND c.exported_at >= c.closed_at`,
      [customerId],
    )
    if (recorded === 0) return false
    // Rows of invoice totals are deleted directly, instead of being decremented per invoice.
    await write("SET LOCAL console.sums = 'left'")
    for (const table of await tablesOf(query))
      await write(`DELETE FROM ${table} WHERE customer_id = $1`, [customerId])
    // Of people, who may be members elsewhere, only the parts for this customer are removed.
    for (const table of ['second_factors', 'recovery_codes'])
      await write(`DELETE FROM ${table} WHERE reach = $1`, [customerId])
    await write('DELETE FROM customers WHERE id = $1', [customerId])
    return true
  })
}

type Table = { name: string; pointsTo: string[] }

/**
 * Returns all tables with rows of customers, each before the tables that it references; tables added later are
 * included.
 */
async function tablesOf(query: OwnersWork['query']): Promise<string[]> {
  const rows = await query<Table>(
    `SELECT c.oid::regclass::text AS name, ARRAY(
       SELECT k.confrelid::regclass::text FROM pg_constraint k
       WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.confrelid <> c.oid) AS "pointsTo"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`,
  )
  const left = new Map(rows.map((row) => [row.name, row]))
  const sortedTables: string[] = []
  while (left.size > 0) {
    const pointedTo = new Set([...left.values()].flatMap(({ pointsTo }) => pointsTo))
    const free = [...left.keys()].filter((name) => !pointedTo.has(name))
    if (free.length === 0) throw new Error(`The tables ${[...left.keys()].join(', ')} point to each other.`)
    for (const name of free) left.delete(name)
    sortedTables.push(...free.sort())
  }
  return sortedTables
}
