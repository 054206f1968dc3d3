import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { changeFilter } from './changes.ts'

// What is noted of a change that is open: who may ask what became of it, what was seen, and for how long to wait.

/** Takes the turn to ask the vendor what became of a change: one request or job at a time, and not too often. */
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

/** Gives the turn back, when the vendor was asked and nothing is known yet: whoever waits for it need not any more. */
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

/** Keeps what the vendor calls a write, where it told that only when it was asked. */
export async function notePollRef(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  pollRef: string,
): Promise<void> {
  const unknown = and(changeFilter(customerId, id), eq(licenseChanges.state, 'UNKNOWN'))
  await tx.update(licenseChanges).set({ pollRef }).where(unknown)
}

/** Keeps a third total that a read has shown of a change that is unknown: from then on the one before proves nothing. */
export async function noteSeen(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seenQuantity: number,
): Promise<void> {
  const unknown = and(changeFilter(customerId, id), eq(licenseChanges.state, 'UNKNOWN'))
  await tx.update(licenseChanges).set({ seenQuantity }).where(unknown)
}

/** In seconds: a shorter wait is counted down where the change was asked for, and not kept. */
const SHORT_WAIT = 120

/** Keeps for how long the vendor asks to wait with another change, with the change that it has not done. */
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
