import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { changeFilter } from './changes.ts'

// Notes on an open change: the poll lease, observed totals, and the time to wait.

/** Takes the lease for polling the vendor about a change: one request or job at a time, at a limited rate. */
export async function acquirePollLease(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { everyMs, requestId }: { everyMs: number; requestId: string },
): Promise<boolean> {
  const { checkedAt, state } = licenseChanges
  const isFree = sql`(${checkedAt} IS NULL OR ${checkedAt} < statement_timestamp() - ${everyMs} * interval '1 millisecond')`
  const rows = await tx
    .update(licenseChanges)
    .set({ checkedAt: sql`statement_timestamp()`, checkedBy: requestId })
    .where(and(changeFilter(customerId, id), eq(state, 'UNKNOWN'), isFree))
    .returning({ id: licenseChanges.id })
  return rows.length === 1
}

/** Releases the lease after a poll without a result, so that waiting requests continue. */
export async function releasePollLease(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  requestId: string,
): Promise<void> {
  const { checkedBy, state } = licenseChanges
  await tx
    .update(licenseChanges)
    .set({ checkedBy: null })
    .where(and(changeFilter(customerId, id), eq(state, 'UNKNOWN'), eq(checkedBy, requestId)))
}

/** Stores the vendor's reference of a write, where only a poll returned the reference. */
export async function notePollRef(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  pollRef: string,
): Promise<void> {
  const unknown = and(changeFilter(customerId, id), eq(licenseChanges.state, 'UNKNOWN'))
  await tx.update(licenseChanges).set({ pollRef }).where(unknown)
}

/**
 * Stores a third total that a read has shown during an unknown change: from then on the previous total proves nothing.
 */
export async function noteSeen(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seenQuantity: number,
): Promise<void> {
  const unknown = and(changeFilter(customerId, id), eq(licenseChanges.state, 'UNKNOWN'))
  await tx.update(licenseChanges).set({ seenQuantity }).where(unknown)
}

/** In seconds: a shorter wait is counted down by the client and not stored. */
const SHORT_WAIT = 120

/** Stores the vendor's wait until another change, with the change that was not applied. */
export async function noteWait(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seconds: number | undefined,
): Promise<void> {
  if (seconds === undefined || seconds <= SHORT_WAIT) return
  const notBefore = sql`statement_timestamp() + ${seconds}::int * interval '1 second'`
  await tx.update(licenseChanges).set({ notBefore }).where(changeFilter(customerId, id))
}
