import 'server-only'
import { sql } from 'drizzle-orm'
import { lookUp } from '#lib/platform/caller/store.ts'

/** What is known of a customer without entering its scope. */
export type CustomerState = { name: string; domain: string; closedAt: Date | null; goneAt: Date | null }

type Times = { closedAt: string | null; goneAt: string | null }

/** All customers by their ids, in the order in which they were added; and the ids of those that were removed. */
export function listCustomerStates(): Promise<{ states: Map<string, CustomerState>; removed: Set<string> }> {
  return lookUp('jobs', async (tx) => {
    const { rows } = await tx.execute<
      { id: string } & Omit<CustomerState, 'closedAt' | 'goneAt'> & Times
    >(sql`
      SELECT id, name, domain, closed_at AS "closedAt", gone_at AS "goneAt" FROM customers ORDER BY created_at, id`)
    const gone = await tx.execute<{ id: string }>(sql`SELECT id FROM former_customers`)
    const dateOf = (time: string | null) => (time === null ? null : new Date(time))
    const states = new Map(
      rows.map(({ id, closedAt, goneAt, ...state }) => [
        id,
        { ...state, closedAt: dateOf(closedAt), goneAt: dateOf(goneAt) },
      ]),
    )
    return { states, removed: new Set(gone.rows.map(({ id }) => id)) }
  })
}
