import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { vendorSubscriptions } from '#lib/db/schema/vendors.ts'
import { type Actor, recordAudit } from '#lib/history/audit.ts'

// The subscriptions whose books a vendor keeps. One stands in one asset, whose row is locked before anything here is
// written: locks in one order. What an asset repeats of its subscription follows by a foreign key.

/** Where a subscription is kept: at which vendor, by which of the reseller's accounts, under which ids. */
export type Place = {
  vendor: string
  vendorAccount: string
  /** The customer at the vendor. */
  vendorCustomerId: string
  subscriptionId: string
  skuId: string
}

/** Takes subscriptions for assets that are about to point to them: our ids of them, in the order of the places. */
export async function holdSubscriptions(
  tx: Transaction,
  customerId: CustomerId,
  places: readonly Place[],
): Promise<string[]> {
  const rows = places.map(({ vendorAccount: account, ...place }) => ({
    ...place,
    customerId,
    account,
    id: randomUUID() as string,
  }))
  if (rows.length > 0) await tx.insert(vendorSubscriptions).values(rows)
  return rows.map(({ id }) => id)
}

/** Lets a subscription go to which its asset points no more: another asset may have it. Its changes stay history. */
export async function releaseSubscription(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<void> {
  await tx.update(vendorSubscriptions).set({ releasedAt: sql`now()` }).where(held(customerId, id))
}

/** Another SKU for a subscription, because an import says so; the asset follows. */
export async function setSku(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  skuId: string,
): Promise<void> {
  await tx.update(vendorSubscriptions).set({ skuId }).where(held(customerId, id))
}

/** Points a subscription to the id that its vendor gives it now, with a row of history; the asset follows. */
export async function pointAnew(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  {
    from,
    to,
    assetId,
    actor,
    requestId,
  }: { from: string; to: string; assetId: string; actor: Actor; requestId: string },
): Promise<void> {
  await tx.update(vendorSubscriptions).set({ subscriptionId: to }).where(held(customerId, id))
  const details = { assetId, from, to }
  await recordAudit(tx, customerId, {
    action: 'vendor-subscription.pointed-anew',
    subject: id,
    details,
    actor,
    requestId,
  })
}

/**
 * Notes that its vendor has told of a subscription, now.
 * @param observation digest of what it told, where our asset has it all; null where it has not
 */
export async function noteObserved(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  observation: string | null,
): Promise<void> {
  await tx
    .update(vendorSubscriptions)
    .set({ observedAt: sql`clock_timestamp()`, observation })
    .where(held(customerId, id))
}

/** Forgets what its vendor told last, because the asset was written otherwise: the next reading compares it anew. */
export async function forgetObservation(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.update(vendorSubscriptions).set({ observation: null }).where(held(customerId, id))
}

function held(customerId: CustomerId, id: string) {
  const { customerId: customer, id: own, releasedAt } = vendorSubscriptions
  return and(eq(customer, customerId), eq(own, id), isNull(releasedAt))
}
