import 'server-only'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { movesVersion } from '#lib/licenses/assets/rules.ts'
import { type AssetRow, addReadings } from '#lib/licenses/assets/store.ts'
import { addLicenseChange } from '#lib/licenses/license-changes/store/changes.ts'
import { type AtVendor, holdersOf } from '#lib/licenses/vendor-readings/holders.ts'
import {
  forgetObservation,
  holdSubscriptions,
  type Place,
  releaseSubscription,
  setSku,
} from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import type { AssetValues } from './asset-differences.ts'
import { type ImportProblem, MOST_PROBLEMS, problemText } from './refused.ts'

/** A stored asset, what it becomes, and where the two differ. */
export type Replacement = { stored: AssetRow; values: AssetValues; problems: ImportProblem[] }

/** Those of `ids` that are there, locked first as every change of seats does it (waits 1 s, then 55P03). */
export async function readStored(tx: Transaction, customerId: CustomerId, ids: string[]) {
  const rows = await tx
    .select()
    .from(assets)
    .where(and(eq(assets.customerId, customerId), inArray(assets.id, ids)))
    .orderBy(assets.id)
    .for('no key update')
  return new Map(rows.map((row) => [row.id, row]))
}

/** Adds assets that are not there, and what their seats are from now on: a few hundred at most. */
export async function addAssets(tx: Transaction, customerId: CustomerId, added: AssetValues[]) {
  if (added.length === 0) return
  const places = new Map(added.flatMap((values) => [[values, placeOf(values)] as const]))
  const held = [...places.values()].filter((place) => place !== undefined)
  const ids = new Map((await holdSubscriptions(tx, customerId, held)).map((id, at) => [held[at], id]))
  const rows = added.map((values) => ({
    customerId,
    ...values,
    vendorSubscriptionId: ids.get(places.get(values)) ?? null,
  }))
  await tx.insert(assets).values(rows)
  await addReadings(tx, customerId, added.flatMap(readingOf))
}

/** None without licenses. */
function readingOf({ id, seatsPurchased: purchased, seatsAssigned: assigned }: AssetValues) {
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
    await addReadings(tx, customerId, readingOf(values))
  }
  const changes = problems.slice(0, MOST_PROBLEMS).map(problemText)
  await recordAudit(tx, customerId, { action: 'asset.replaced', subject: id, details: { changes }, ...by })
}

/** Where the subscription of an asset is kept; undefined where the books are ours, or it has none. */
export function placeOf({ vendor, vendorAccount, ...values }: AssetValues): Place | undefined {
  const { vendorCustomerId, subscriptionId, skuId } = values
  if (vendor === builtIn.name || subscriptionId === null || skuId === null) return undefined
  return { vendor, vendorAccount, vendorCustomerId, subscriptionId, skuId }
}

/** The subscription to which an asset that is written over points from now on: the same one, another one, or none. */
async function moved(
  tx: Transaction,
  customerId: CustomerId,
  stored: AssetRow,
  values: AssetValues,
): Promise<string | null> {
  const { vendorSubscriptionId: held } = stored
  const [from, to] = [placeOf(stored), placeOf(values)]
  if (held !== null && from && to && isSamePlace(from, to)) {
    if (from.skuId !== to.skuId) await setSku(tx, customerId, held, to.skuId)
    await forgetObservation(tx, customerId, held)
    return held
  }
  if (held !== null) await releaseSubscription(tx, customerId, held)
  const [id] = await holdSubscriptions(tx, customerId, to ? [to] : [])
  return id ?? null
}

function isSamePlace(one: Place, other: Place): boolean {
  const names = ['vendor', 'vendorAccount', 'vendorCustomerId', 'subscriptionId'] as const
  return names.every((name) => one[name] === other[name])
}

type Held = AssetValues & AtVendor

/**
 * The assets whose subscription stands in another asset already: of this customer, of another one, or of the same file.
 * The operator is told which. A unique index holds it, whatever comes at the same moment.
 */
export async function takenAmong(
  tx: Transaction,
  customerId: CustomerId,
  values: readonly AssetValues[],
): Promise<ImportProblem[]> {
  const held = values.filter((one): one is Held => one.vendor !== builtIn.name && one.subscriptionId !== null)
  if (held.length === 0) return []
  // Those of this customer as this import has them by now; those of others as they are committed.
  const own = await ownHolders(tx, customerId, held)
  const others = (await holdersOf(held)).filter((holder) => holder.customerId !== customerId)
  const takers = new Map<string, { assetId: string; of: string }>()
  for (const holder of others) {
    takers.set(nameOf(holder), { assetId: holder.assetId, of: ` of the customer ${holder.customerId}` })
  }
  for (const holder of own) takers.set(nameOf(holder), { assetId: holder.assetId, of: '' })
  return held.flatMap((one) => {
    const taker = takers.get(nameOf(one))
    if (!taker) takers.set(nameOf(one), { assetId: one.id, of: '' })
    if (!taker || (taker.assetId === one.id && taker.of === '')) return []
    const reason = `it stands in the asset ${taker.assetId}${taker.of} already`
    return [{ subject: `asset ${one.id}`, column: 'subscriptionId', reason }]
  })
}

async function ownHolders(tx: Transaction, customerId: CustomerId, held: readonly Held[]) {
  const { vendor, vendorAccount, vendorCustomerId, subscriptionId, id: assetId } = assets
  const ids = held.map((one) => one.subscriptionId.toLowerCase())
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

/** Microsoft takes capital and small letters for the same. */
function nameOf({ vendor, vendorAccount, vendorCustomerId, subscriptionId }: AtVendor): string {
  return JSON.stringify([vendor, vendorAccount, vendorCustomerId, subscriptionId]).toLowerCase()
}
