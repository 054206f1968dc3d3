import 'server-only'
import { createHash, randomUUID } from 'node:crypto'
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import type { Observed } from '#lib/vendors/vendor.ts'

// The subscriptions whose books a vendor keeps. One stands in one asset, whose row is locked before anything here is
// written: locks in one order. On a single server a foreign key keeps what an asset repeats of its subscription equal;
// Citus has no such key between these two tables.

/** Where a subscription is kept: at which vendor, by which of the reseller's accounts, under which ids. */
export type SubscriptionLocation = {
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
  locations: readonly SubscriptionLocation[],
): Promise<string[]> {
  const rows = locations.map(({ vendorAccount: account, ...location }) => ({
    ...location,
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
  await tx
    .update(vendorSubscriptions)
    .set({ releasedAt: sql`now()` })
    .where(activeSubscriptionFilter(customerId, id))
}

/** Another SKU for a subscription, because an import says so; the asset follows. */
export async function setSku(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  skuId: string,
): Promise<void> {
  await tx.update(vendorSubscriptions).set({ skuId }).where(activeSubscriptionFilter(customerId, id))
  await updateAsset(tx, customerId, id, { skuId })
}

/** Writes a value of a subscription to its asset, unless the foreign key's ON UPDATE CASCADE has done it. */
async function updateAsset(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  values: { skuId: string } | { subscriptionId: string },
): Promise<void> {
  const isAsset = and(eq(assets.customerId, customerId), eq(assets.vendorSubscriptionId, id))
  const differs =
    'skuId' in values ? ne(assets.skuId, values.skuId) : ne(assets.subscriptionId, values.subscriptionId)
  await tx.update(assets).set(values).where(and(isAsset, differs))
}

/** Points a subscription to the id that its vendor gives it now, with a row of history; the asset follows. */
export async function changeSubscriptionId(
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
  await tx
    .update(vendorSubscriptions)
    .set({ subscriptionId: to })
    .where(activeSubscriptionFilter(customerId, id))
  await updateAsset(tx, customerId, id, { subscriptionId: to })
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
 * Notes an observation of a subscription, now.
 * @param observation its digest, where our asset has all of it; else null
 * @param waitMs until the next separate read, in milliseconds; null: the list reads it
 */
export async function noteObserved(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { observation, waitMs }: { observation: string | null; waitMs: number | null },
): Promise<void> {
  await tx
    .update(vendorSubscriptions)
    .set({
      observedAt: sql`statement_timestamp()`,
      observation,
      nextReadAt: waitMs === null ? null : inMs(waitMs),
    })
    .where(activeSubscriptionFilter(customerId, id))
}

/** Has a subscription read by itself, so many milliseconds from now, or before where that was planned. */
export async function scheduleRead(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  waitMs: number,
): Promise<void> {
  const { nextReadAt } = vendorSubscriptions
  await tx
    .update(vendorSubscriptions)
    .set({ nextReadAt: inMs(waitMs) })
    .where(
      and(
        activeSubscriptionFilter(customerId, id),
        sql`coalesce(${nextReadAt}, 'infinity') > ${inMs(waitMs)}`,
      ),
    )
}

/**
 * Notes a read without a result. @param waitOf delay of the next attempt, by the subscription's age; both in
 * milliseconds
 */
export async function noteUnread(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  waitOf: (age: number) => number | null,
): Promise<void> {
  const { observedAt } = vendorSubscriptions
  const age = sql<number>`coalesce(extract(epoch from statement_timestamp() - ${observedAt}) * 1000, 'infinity')::float8`
  const [row] = await tx
    .select({ age })
    .from(vendorSubscriptions)
    .where(activeSubscriptionFilter(customerId, id))
  const waitMs = row && waitOf(row.age)
  if (typeof waitMs !== 'number') return
  await tx
    .update(vendorSubscriptions)
    .set({ nextReadAt: inMs(waitMs) })
    .where(activeSubscriptionFilter(customerId, id))
}

function inMs(ms: number) {
  return sql`statement_timestamp() + ${Math.round(ms)} * interval '1 millisecond'`
}

/** Forgets the vendor's last observation, because the asset was written otherwise: the next read compares it again. */
export async function forgetObservation(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx
    .update(vendorSubscriptions)
    .set({ observation: null })
    .where(activeSubscriptionFilter(customerId, id))
}

/**
 * Returns an asset, and whether it equals the vendor's observation of the last `ms` milliseconds: it was not written
 * otherwise since, and its term did not end since.
 */
export async function readFreshness(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  ms: number,
): Promise<{ row: typeof assets.$inferSelect; isFresh: boolean } | undefined> {
  const { observation, observedAt } = vendorSubscriptions
  const { commitmentEnd: end } = assets
  const isRecent = sql`${observedAt} > statement_timestamp() - ${ms}::int * interval '1 millisecond'`
  const isInTerm = sql`(${end} IS NULL OR ${end} > statement_timestamp() OR ${observedAt} >= ${end})`
  const isFresh = sql<boolean>`coalesce(${observation} IS NOT NULL AND ${isRecent} AND ${isInTerm}, false)`
  const same = and(
    eq(vendorSubscriptions.customerId, assets.customerId),
    eq(vendorSubscriptions.id, assets.vendorSubscriptionId),
  )
  const [found] = await tx
    .select({ row: assets, isFresh })
    .from(assets)
    .leftJoin(vendorSubscriptions, same)
    .where(and(eq(assets.customerId, customerId), eq(assets.id, assetId)))
  return found
}

function activeSubscriptionFilter(customerId: CustomerId, id: string) {
  const { customerId: customer, id: idColumn, releasedAt } = vendorSubscriptions
  return and(eq(customer, customerId), eq(idColumn, id), isNull(releasedAt))
}

/** Where a subscription is kept, also one that its asset was pointed away from. @param id our id of it */
export async function findSubscriptionLocation(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<SubscriptionLocation | undefined> {
  const { vendor, account: vendorAccount, vendorCustomerId, subscriptionId, skuId } = vendorSubscriptions
  const [location] = await tx
    .select({ vendor, vendorAccount, vendorCustomerId, subscriptionId, skuId })
    .from(vendorSubscriptions)
    .where(and(eq(vendorSubscriptions.customerId, customerId), eq(vendorSubscriptions.id, id)))
  return location
}

/** Returns the digest of an observation's values that an asset stores: equal digests need no comparison. */
export function observationOf(observed: Observed): string {
  const { subscriptionId, status, planName, isCommitmentPlan, renewalType, seats, scheduled } = observed
  const times = [observed.commitmentStart, observed.commitmentEnd, scheduled?.at].map((time) =>
    time ? time.getTime() : null,
  )
  const values = [
    subscriptionId,
    status,
    planName,
    isCommitmentPlan,
    renewalType,
    seats.purchased,
    seats.maximum,
    seats.assigned ?? null,
    scheduled?.total ?? null,
    ...times,
  ]
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
}
