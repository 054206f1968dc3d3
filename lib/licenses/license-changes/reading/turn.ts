import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'

/** `waits`: it was asked a moment ago and has told nothing since; in whole seconds it may be asked again. */
export type ReadTurn = { kind: 'free' } | { kind: 'known' } | { kind: 'waits'; seconds: number }

/**
 * Takes the turn to ask a vendor for an asset, because somebody wants to know at once: one process at a time, and not
 * where it was asked, or has told of it by itself, within the last `everyMs` milliseconds.
 */
export async function takeReadTurn(
  tx: Transaction,
  customerId: CustomerId,
  vendorSubscriptionId: string,
  everyMs: number,
): Promise<ReadTurn> {
  const { askedAt, observedAt } = vendorSubscriptions
  const own = and(
    eq(vendorSubscriptions.customerId, customerId),
    eq(vendorSubscriptions.id, vendorSubscriptionId),
  )
  const since = sql`statement_timestamp() - ${everyMs}::int * interval '1 millisecond'`
  const taken = await tx
    .update(vendorSubscriptions)
    .set({ askedAt: sql`statement_timestamp()` })
    .where(and(own, sql`coalesce(greatest(${askedAt}, ${observedAt}), '-infinity') < ${since}`))
    .returning({ id: vendorSubscriptions.id })
  if (taken.length === 1) return { kind: 'free' }
  const wait = sql<number>`ceil(extract(epoch from ${askedAt} - (${since})))::int`
  const isUnanswered = sql<boolean>`coalesce(${askedAt} > coalesce(${observedAt}, '-infinity'), false)`
  const [row] = await tx.select({ wait, isUnanswered }).from(vendorSubscriptions).where(own)
  return row?.isUnanswered ? { kind: 'waits', seconds: Math.max(1, row.wait) } : { kind: 'known' }
}
