import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { database, type Transaction } from './client.ts'
import { perDatabase } from './per-database.ts'

/**
 * SQL expression of the version of the rows of the customer `$1`: text that each transaction which writes rows of the
 * customer replaces. An answer that was computed for a version is right as long as the customer has it.
 */
export const VERSION = `coalesce((SELECT v.version FROM customer_versions v WHERE v.customer_id = $1)::text, '0')
  || '.' || (SELECT count(*) FROM unversioned_writes u WHERE u.customer_id = $1)`

/** Properties of the server of a transaction: whether it has Citus, and whether it has a replica that is read from. */
type ServerOf = { isDistributed: boolean; hasReplica: boolean }

const servers = new WeakMap<Transaction, ServerOf>()

/** Remembers the server of a transaction, for the statements at its end. */
export function noteServer(tx: Transaction, server: ServerOf): void {
  servers.set(tx, server)
}

/**
 * Returns the statements with which a writing transaction ends for a customer: they replace the version of its rows if
 * the transaction wrote anything, and note the write for replicas. Their lock on the version is held for the COMMIT
 * only.
 */
export function closing(tx: Transaction, customerId: string): pg.QueryConfig[] {
  const values = [customerId, newVersion()]
  const { isDistributed, hasReplica } = servers.get(tx) ?? { isDistributed: false, hasReplica: false }
  const replaced = isDistributed ? REPLACE_VERSION : REPLACE_VERSION_IF_WRITTEN
  return [{ ...replaced, values }, ...(hasReplica ? [NOTE_WRITE] : [])]
}

const VERSION_REPLACED = 'ON CONFLICT (customer_id) DO UPDATE SET version = excluded.version'
const REPLACE_VERSION_IF_WRITTEN = {
  name: 'replace-version-if-written',
  text: `INSERT INTO customer_versions (customer_id, version)
    SELECT $1, $2::bigint WHERE pg_current_xact_id_if_assigned() IS NOT NULL ${VERSION_REPLACED}`,
}
// With Citus, the nodes' transactions have ids, and the coordinator's has none.
const REPLACE_VERSION = {
  name: 'replace-version',
  text: `INSERT INTO customer_versions (customer_id, version) VALUES ($1, $2::bigint) ${VERSION_REPLACED}`,
}

/**
 * Records in `recent_writes` that this transaction has written rows of its customer, if it has. Sent as its last
 * statement, so that later reads of the customer's callers, in any process, avoid a replica that lacks them.
 */
const NOTE_WRITE = {
  name: 'note-write',
  text: `INSERT INTO recent_writes (customer_id, transaction)
    SELECT customer, id FROM pg_current_xact_id_if_assigned() id, current_setting('console.customer') customer
    WHERE id IS NOT NULL AND customer <> '' ON CONFLICT DO NOTHING`,
}

/** Returns the owner's statement that replaces the version of a customer, unless the customer was removed. */
export function replaceVersionOfRemaining(customerId: string): pg.QueryConfig {
  const text = `INSERT INTO customer_versions (customer_id, version)
    SELECT id, $2::bigint FROM customers WHERE id = $1 ${VERSION_REPLACED}`
  return { text, values: [customerId, newVersion()] }
}

function newVersion(): string {
  return randomBytes(8).readBigInt64BE().toString()
}

// The migration's own transaction is noted for no customer. A later id than all of this server is from a server whose
// dump was restored here.
const ARE_EARLIER_TRANSACTIONS_OVER = `
  SELECT transaction < pg_snapshot_xmin(pg_current_snapshot()) OR transaction >= pg_snapshot_xmax(pg_current_snapshot())
    AS "areOver"
  FROM unversioned_writes WHERE customer_id = ''`

type Readiness = { isReady: boolean; askedAt: number }
const readiness = perDatabase((): Readiness => ({ isReady: false, askedAt: Number.NEGATIVE_INFINITY }))

/** Pause between two checks whether versions are complete, in milliseconds. */
const CHECK_PAUSE_MS = 1000

/**
 * Returns whether every open transaction replaces the version of what it writes: answers may be cached only then. False
 * until the transactions have ended that began before the migration `customer-versions`.
 */
export function areVersionsComplete(): boolean {
  const state = readiness()
  if (!state.isReady && performance.now() - state.askedAt > CHECK_PAUSE_MS) void check(state)
  return state.isReady
}

async function check(state: Readiness): Promise<void> {
  state.askedAt = performance.now()
  const result = await database()
    .keys.query<{ areOver: boolean }>(ARE_EARLIER_TRANSACTIONS_OVER)
    .catch(() => undefined)
  state.isReady = result?.rows[0]?.areOver ?? false
}
