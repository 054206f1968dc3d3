import 'server-only'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { type AssetRow, addSeatSamples, movesVersion } from '#lib/licenses/assets/store.ts'
import { addLicenseChange } from '#lib/licenses/license-changes/store/changes.ts'
import { type AtVendor, holdersOf } from '#lib/licenses/vendor-passes/holders.ts'
import {
  forgetObservation,
  holdSubscriptions,
  releaseSubscription,
  type SubscriptionLocation,
  setSku,
} from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import type { AssetValues } from './asset-differences.ts'
import { type ImportProblem, MAX_PROBLEMS, problemText } from './import-error.ts'

/** Stored asset, its new values, and the differences. */
export type Replacement = { stored: AssetRow; values: AssetValues; problems: ImportProblem[] }

/**
 * Returns and locks the existing assets among `ids`, with the lock of every seat change (waits 1 s, then throws 55P03).
 */
export async function readStored(tx: Transaction, customerId: CustomerId, ids: string[]) {
  const rows = await tx
    .select()
    .from(assets)
    .where(and(eq(assets.customerId, customerId), inArray(assets.id, ids)))
    .orderBy(assets.id)
    .for('no key update')
  return new Map(rows.map((row) => [row.id, row]))
}

/** Inserts new assets with their first seat samples: a few hundred at most. */
export async function addAssets(tx: Transaction, customerId: CustomerId, added: AssetValues[]) {
  if (added.length === 0) return
  const vendorRefs = new Map(added.flatMap((values) => [[values, vendorRefOf(values)] as const]))
  const refs = [...vendorRefs.values()].filter((ref) => ref !== undefined)
  const ids = new Map((await holdSubscriptions(tx, customerId, refs)).map((id, at) => [refs[at], id]))
  const rows = added.map((values) => ({
    customerId,
    ...values,
    vendorSubscriptionId: ids.get(vendorRefs.get(values)) ?? null,
  }))
  await tx.insert(assets).values(rows)
  await addSeatSamples(tx, customerId, added.flatMap(seatSampleOf))
}

/** Returns the seat sample of an asset; none without licenses. */
function seatSampleOf({ id, seatsPurchased: purchased, seatsAssigned: assigned }: AssetValues) {
  return purchased === null || assigned === null ? [] : [{ assetId: id, purchased, assigned }]
}

/**
 * Writes over an asset. Other purchased seats leave a change row and its audit row, and other seats a
 * reading, as any change does.
 */
export async function overwriteAsset(
  tx: Transaction,
  customerId: CustomerId,
  { stored, values, problems }: Replacement,
  requestId: string,
) {
  const by = { actor: OPERATOR, requestId }
  const { id } = stored
  const [from, to] = [stored.seatsPurchased ?? 0, values.seatsPurchased ?? 0]
  const vendorSubscriptionId = await moved(tx, customerId, stored, values)
  if (from !== to) {
    const asset = { id, vendorSubscriptionId }
    await addLicenseChange(tx, customerId, { asset, from, to, state: 'RECORDED', ...by })
  }
  const seatVersion = movesVersion(stored, values) ? sql`${assets.seatVersion} + 1` : undefined
  await tx
    .update(assets)
    .set({ ...values, vendorSubscriptionId, ...(seatVersion && { seatVersion }) })
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
  if (from !== to || stored.seatsAssigned !== values.seatsAssigned) {
    await addSeatSamples(tx, customerId, seatSampleOf(values))
  }
  const changes = problems.slice(0, MAX_PROBLEMS).map(problemText)
  await recordAudit(tx, customerId, { action: 'asset.replaced', subject: id, details: { changes }, ...by })
}

/**
 * Returns the vendor reference of an asset's subscription; undefined for built-in records, and for assets without a
 * subscription.
 */
export function vendorRefOf({
  vendor,
  vendorAccount,
  ...values
}: AssetValues): SubscriptionLocation | undefined {
  const { vendorCustomerId, subscriptionId, skuId } = values
  if (vendor === builtIn.name || subscriptionId === null || skuId === null) return undefined
  return { vendor, vendorAccount, vendorCustomerId, subscriptionId, skuId }
}

/** Returns the subscription of an overwritten asset from now on: the same, another, or none. */
async function moved(
  tx: Transaction,
  customerId: CustomerId,
  stored: AssetRow,
  values: AssetValues,
): Promise<string | null> {
  const { vendorSubscriptionId: storedSubscriptionId } = stored
  const [from, to] = [vendorRefOf(stored), vendorRefOf(values)]
  if (storedSubscriptionId !== null && from && to && isSameRef(from, to)) {
    if (from.skuId !== to.skuId) await setSku(tx, customerId, storedSubscriptionId, to.skuId)
    await forgetObservation(tx, customerId, storedSubscriptionId)
    return storedSubscriptionId
  }
  if (storedSubscriptionId !== null) await releaseSubscription(tx, customerId, storedSubscriptionId)
  const [id] = await holdSubscriptions(tx, customerId, to ? [to] : [])
  return id ?? null
}

function isSameRef(one: SubscriptionLocation, other: SubscriptionLocation): boolean {
  const names = ['vendor', 'vendorAccount', 'vendorCustomerId', 'subscriptionId'] as const
  return names.every((name) => one[name] === other[name])
}

type VendorAsset = AssetValues & AtVendor

/**
 * Returns a problem for each asset whose subscription already belongs to another asset: of this customer, of another
 * customer, or of the same file. The operator sees which. A unique index guards against races.
 */
export async function findClaimed(
  tx: Transaction,
  customerId: CustomerId,
  values: readonly AssetValues[],
): Promise<ImportProblem[]> {
  const vendorAssets = values.filter(
    (one): one is VendorAsset => one.vendor !== builtIn.name && one.subscriptionId !== null,
  )
  if (vendorAssets.length === 0) return []
  // Assets of this customer as changed by this import; those of others as committed.
  const holders = await customerHolders(tx, customerId, vendorAssets)
  const others = (await holdersOf(vendorAssets)).filter((holder) => holder.customerId !== customerId)
  const takers = new Map<string, { assetId: string; suffix: string }>()
  for (const holder of others) {
    takers.set(nameOf(holder), { assetId: holder.assetId, suffix: ` of the customer ${holder.customerId}` })
  }
  for (const holder of holders) takers.set(nameOf(holder), { assetId: holder.assetId, suffix: '' })
  return vendorAssets.flatMap((one) => {
    const taker = takers.get(nameOf(one))
    if (!taker) takers.set(nameOf(one), { assetId: one.id, suffix: '' })
    if (!taker || (taker.assetId === one.id && taker.suffix === '')) return []
    const reason = `it is in the asset ${taker.assetId}${taker.suffix} already`
    return [{ subject: `asset ${one.id}`, column: 'subscriptionId', reason }]
  })
}

async function customerHolders(
  tx: Transaction,
  customerId: CustomerId,
  vendorAssets: readonly VendorAsset[],
) {
  const { vendor, vendorAccount, vendorCustomerId, subscriptionId, id: assetId } = assets
  const ids = vendorAssets.map((one) => one.subscriptionId.toLowerCase())
  const rows = await tx
    .select({ vendor, vendorAccount, vendorCustomerId, subscriptionId, assetId })
    .from(assets)
    .where(
      and(
        eq(assets.customerId, customerId),
        ne(vendor, builtIn.name),
        inArray(sql`lower(${subscriptionId})`, ids),
      ),
    )
  return rows.flatMap((row) =>
    row.subscriptionId === null ? [] : [{ ...row, subscriptionId: row.subscriptionId }],
  )
}

/** Returns a key without letter case, which Microsoft's ids ignore. */
function nameOf({ vendor, vendorAccount, vendorCustomerId, subscriptionId }: AtVendor): string {
  return JSON.stringify([vendor, vendorAccount, vendorCustomerId, subscriptionId]).toLowerCase()
}
