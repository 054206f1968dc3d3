import 'server-only'
import pg from 'pg'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { ownerOf } from '#lib/platform/db/logins.ts'
import { replaceVersionOfRemaining } from '#lib/platform/db/prepared-queries.ts'
import { type Addition, appending, OPERATOR } from '#lib/platform/history/audit.ts'

/** Transaction of the database's owner: changes to some customers, and their audit events. */
export type OwnersWork = {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** Runs a statement. @returns how many rows it wrote */
  write(text: string, values?: unknown[]): Promise<number>
  /** Adds an audit event by the operator immediately: its chain continues in this transaction. */
  addEvent(
    customerId: CustomerId,
    event: { action: string; subject: string; details?: Record<string, string | number | string[] | null> },
  ): Promise<void>
}

/** Longest wait for earlier transactions, in milliseconds; later ones queue behind. */
const LOCK_WAIT = 1000

/**
 * Runs `work` as the owner of the database, restricted to the rows of these customers. No role of the serving processes
 * can do so.
 * @param url database address for the owner
 * @param customers customers to lock exclusively (`alone`), and customers that only must not be closed (`related`)
 * @throws Error of the database: 55P03 where one of them is being changed for longer than a second
 */
export async function asOwnerOf<T>(
  url: string,
  { alone, related = [] }: { alone: readonly CustomerId[]; related?: readonly CustomerId[] },
  work: (owner: OwnersWork) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...ownerOf(url), application_name: 'licenses-invoices' })
  await client.connect()
  try {
    await client.query('BEGIN')
    // SET LOCAL reaches each machine of a distributed database; `set_config` does not.
    const operated = pg.escapeLiteral([...alone, ...related].join(' '))
    for (const set of [`console.operated = ${operated}`, "timezone = 'UTC'", `lock_timeout = ${LOCK_WAIT}`])
      await client.query(`SET LOCAL ${set}`)
    for (const id of related)
      await client.query('SELECT pg_advisory_xact_lock_shared(43, hashtext($1))', [id])
    for (const id of alone) await client.query('SELECT pg_advisory_xact_lock(43, hashtext($1))', [id])
    const value = await work(workOf(client))
    for (const id of [...alone, ...related].sort()) await client.query(replaceVersionOfRemaining(id))
    await client.query('COMMIT')
    return value
  } finally {
    // Closing the connection rolls back an uncommitted transaction.
    await client.end()
  }
}

function workOf(client: pg.Client): OwnersWork {
  const requestId = crypto.randomUUID()
  return {
    query: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await client.query<Row>(text, values)).rows,
    write: async (text, values) => (await client.query(text, values)).rowCount ?? 0,
    async addEvent(customerId, { action, subject, details = {} }) {
      const { kind: actorKind, id: actorId, name: actorName } = OPERATOR
      const who = { actorKind, actorId, actorName, requestId, session: null, address: null, agent: null }
      const addition: Addition = { entry: { customerId, action, subject, ...who, details } }
      for (const query of appending([addition])) await client.query(query)
    },
  }
}
