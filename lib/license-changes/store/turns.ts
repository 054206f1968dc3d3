import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { licenseChanges } from '#lib/db/schema/license-changes.ts'
import { own } from './transitions.ts'

// What is noted of a change that is unknown and stays so: who may ask, and what was seen.

/** Takes the turn to ask the vendor what became of a change: one process at a time, and not too often. */
export async function takeTurn(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  everyMs: number,
): Promise<boolean> {
  const { checkedAt, state } = licenseChanges
  const isFree = sql`(${checkedAt} IS NULL OR ${checkedAt} < clock_timestamp() - ${everyMs} * interval '1 millisecond')`
  const rows = await tx
    .update(licenseChanges)
    .set({ checkedAt: sql`clock_timestamp()` })
    .where(and(own(customerId, id), eq(state, 'UNKNOWN'), isFree))
    .returning({ id: licenseChanges.id })
  return rows.length === 1
}

/** Keeps a third total that a read has shown of a change that is unknown: from then on the one before proves nothing. */
export async function noteSeen(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seenQuantity: number,
): Promise<void> {
  const unknown = and(own(customerId, id), eq(licenseChanges.state, 'UNKNOWN'))
  await tx.update(licenseChanges).set({ seenQuantity }).where(unknown)
}
