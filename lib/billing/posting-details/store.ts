import 'server-only'
import { and, asc, eq, inArray, isNotNull, or } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'
import type { AssetPostingDetails, PostedAsset, PostingDetails } from './rules.ts'

/** Billing profile with the posting details of its invoices. */
export type ProfileRow = PostingDetails & { id: string; name: string; country: string | null }

const { id, name, country, purchaseOrder, buyerReference, costCenter } = billingProfiles
const profileColumns = { id, name, country, purchaseOrder, buyerReference, costCenter }
const assetColumns = { purchaseOrder: assets.postingOrder, costCenter: assets.costCenter }

/** Returns the customer's billing profiles with these ids, or all without `ids`. */
export function listProfiles(
  tx: Transaction,
  customerId: CustomerId,
  ids?: readonly string[],
): Promise<ProfileRow[]> {
  return tx
    .select(profileColumns)
    .from(billingProfiles)
    .where(and(eq(billingProfiles.customerId, customerId), ids && inArray(id, [...ids])))
    .orderBy(asc(id))
}

/** Returns a billing profile and locks its row until the transaction ends. */
export async function lockProfile(
  tx: Transaction,
  customerId: CustomerId,
  profileId: string,
): Promise<ProfileRow | undefined> {
  const rows = await tx
    .select(profileColumns)
    .from(billingProfiles)
    .where(and(eq(billingProfiles.customerId, customerId), eq(id, profileId)))
    .for('no key update')
  return rows[0]
}

export async function setProfile(
  tx: Transaction,
  customerId: CustomerId,
  profileId: string,
  details: PostingDetails,
): Promise<void> {
  const profileFilter = and(eq(billingProfiles.customerId, customerId), eq(id, profileId))
  await tx.update(billingProfiles).set(details).where(profileFilter)
}

/** Returns the posting details of one asset; undefined for an unknown asset. */
export async function readAsset(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<AssetPostingDetails | undefined> {
  const rows = await tx.select(assetColumns).from(assets).where(oneAsset(customerId, assetId))
  return rows[0]
}

/**
 * Like `readAsset`, but locks the row until the transaction ends: waits 1 s for a license change, then throws 55P03.
 */
export async function lockAsset(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<AssetPostingDetails | undefined> {
  const rows = await tx
    .select(assetColumns)
    .from(assets)
    .where(oneAsset(customerId, assetId))
    .for('no key update')
  return rows[0]
}

export async function setAsset(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  { purchaseOrder: postingPurchaseOrder, costCenter }: AssetPostingDetails,
): Promise<void> {
  await tx
    .update(assets)
    .set({ postingOrder: postingPurchaseOrder, costCenter })
    .where(oneAsset(customerId, assetId))
}

/** Returns all assets as lines may name them; empty where no asset has details. */
export async function listPosted(tx: Transaction, customerId: CustomerId): Promise<PostedAsset[]> {
  const customerFilter = eq(assets.customerId, customerId)
  const isSet = or(isNotNull(assets.postingOrder), isNotNull(assets.costCenter))
  const [some] = await tx.select({ id: assets.id }).from(assets).where(and(customerFilter, isSet)).limit(1)
  if (!some) return []
  const { type, name: assetName, skuName, vendorCustomerId } = assets
  return tx
    .select({ id: assets.id, type, name: assetName, skuName, vendorCustomerId, ...assetColumns })
    .from(assets)
    .where(customerFilter)
}

function oneAsset(customerId: CustomerId, assetId: string) {
  return and(eq(assets.customerId, customerId), eq(assets.id, assetId))
}
