import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { slugOf } from '../focus/platforms.ts'

/** Row that needs an id: a new invoice, or the replacement of the invoice with the id `after`. */
export type Nameless = { number: string; issuer: string; after?: string | undefined }

/**
 * Returns keys for new rows, in order. The first invoice with a number has the number as its id; a later one from
 * another issuer has the issuer as a prefix, as in `cloud-resale-ltd:2026-05-1`; a replacement has the id with a count,
 * as in `2026-05-1~2`. Keys of rows never
 * change; on the wire a valid invoice has the bare number (`wireIdOf`).
 */
export async function idsFor(tx: Transaction, customerId: CustomerId, rows: readonly Nameless[]) {
  const ids: string[] = []
  const assignedIds = new Set<string>()
  const waiting = rows.map((row, index) => ({ index, candidates: candidatesOf(row) }))
  while (waiting.length > 0) {
    const nextCandidates = waiting.map(({ candidates }) => candidates.next().value)
    const existingIds = await selectExistingIds(tx, customerId, nextCandidates)
    for (let at = nextCandidates.length - 1; at >= 0; at--) {
      const [id = '', one] = [nextCandidates[at], waiting[at]]
      if (!one || existingIds.has(id) || nextCandidates.indexOf(id) !== at || assignedIds.has(id)) continue
      assignedIds.add(id)
      ids[one.index] = id
      waiting.splice(at, 1)
    }
  }
  return ids
}

function* candidatesOf({ number, issuer, after }: Nameless): Generator<string, never> {
  if (after === undefined) yield number
  const base = after === undefined ? `${slugOf(issuer)}:${number}` : baseOf(after, number)
  if (after === undefined) yield base
  for (let count = 2; ; count++) yield `${base}~${count}`
}

/** An id without its count; an issuer's own number may end like one. */
function baseOf(id: string, number: string): string {
  return id === number || id.endsWith(`:${number}`) ? id : id.replace(/~\d+$/, '')
}

/** Returns the ids among these that the customer's invoices already use. */
async function selectExistingIds(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT found.id FROM unnest(${sql.param([...ids].sort())}::text[]) AS given(id) CROSS JOIN LATERAL (
      SELECT id FROM invoices WHERE customer_id = ${customerId} AND id >= given.id AND id <= given.id
      ORDER BY customer_id, id LIMIT 1) AS found`)
  return new Set(rows.map(({ id }) => id))
}
