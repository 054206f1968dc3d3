import 'server-only'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { type AssetRow, type ListRow, type Page, pageClauses } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'
import { type Change, IS_OPEN, isDue } from './changes.ts'

// Assets with the change that is open there and the newest one, in the one statement that reads them.

/**
 * `isDue`: the open change is due for reconciliation. `newest`: newest of all changes, if any. `observedAt`: time of
 * the vendor's last report on the asset.
 */
export type AssetChangeRow = {
  asset: AssetRow
  open: Change | null
  isDue: boolean | null
  newest: NewestChange | null
  observedAt: Date | null
}

/**
 * `isLately`: settled within seven days. `notBefore`: time until which the vendor accepts no other change, if in the
 * future.
 */
export type NewestChange = Pick<
  Change,
  | 'id'
  | 'fromQuantity'
  | 'toQuantity'
  | 'state'
  | 'vendorReason'
  | 'actorKind'
  | 'actorId'
  | 'actorName'
  | 'settledAt'
  | 'notBefore'
> & { isLately: boolean | null }

const ITS_OPEN_CHANGE = and(
  eq(licenseChanges.customerId, assets.customerId),
  eq(licenseChanges.assetId, assets.id),
  IS_OPEN,
)
const ITS_SUBSCRIPTION = and(
  eq(vendorSubscriptions.customerId, assets.customerId),
  eq(vendorSubscriptions.id, assets.vendorSubscriptionId),
)
const { observedAt } = vendorSubscriptions

/** Returns the rows of `listAssets`, each with its open change and its newest change. */
export async function listAssetChangeRows(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & AssetChangeRow)[]> {
  const { keys, where, order, limit } = pageClauses(customerId, page)
  const newest = newestOf(tx)
  return tx
    .select({
      asset: assets,
      ...keys,
      open: licenseChanges,
      isDue: isDue(),
      newest: columnsOf(newest),
      observedAt,
    })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .leftJoin(vendorSubscriptions, ITS_SUBSCRIPTION)
    .leftJoinLateral(newest, sql`true`)
    .where(where)
    .orderBy(order)
    .limit(limit)
}

/** Returns one asset with its open change and its newest change. */
export async function readAssetChangeRow(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<AssetChangeRow | undefined> {
  const newest = newestOf(tx)
  const rows = await tx
    .select({ asset: assets, open: licenseChanges, isDue: isDue(), newest: columnsOf(newest), observedAt })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .leftJoin(vendorSubscriptions, ITS_SUBSCRIPTION)
    .leftJoinLateral(newest, sql`true`)
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
  return rows[0]
}

/** SQL of the state of the newest change of an asset that was not made at the vendor. */
const OUR_NEWEST_STATE = sql`(
  SELECT CASE WHEN ours.acknowledged_at IS NULL THEN ours.state END FROM license_changes ours
  WHERE ours.customer_id = ${assets.customerId} AND ours.asset_id = ${assets.id} AND ours.state <> 'DRIFT'
  ORDER BY ours.created_at DESC LIMIT 1)`

/**
 * Returns a lateral subquery for the newest change of each asset of the outer query: one index scan. A total set at the
 * vendor often makes a change unclear, and is followed by the vendor's DRIFT row: the unclear change is the one to
 * show.
 */
function newestOf(tx: Transaction) {
  const { customerId, assetId, createdAt, settledAt, notBefore, ...rest } = licenseChanges
  const { id, fromQuantity, toQuantity, state, vendorReason, actorKind, actorId, actorName } = rest
  return tx
    .select({
      ...{ id, fromQuantity, toQuantity, state, vendorReason, actorKind, actorId, actorName, settledAt },
      notBefore: sql<Date | null>`case when ${notBefore} > statement_timestamp() then ${notBefore} end`
        .mapWith(notBefore)
        .as('wait_until'),
      isLately: sql<boolean | null>`${settledAt} > statement_timestamp() - interval '7 days'`.as('is_lately'),
    })
    .from(licenseChanges)
    .where(
      and(
        eq(customerId, assets.customerId),
        eq(assetId, assets.id),
        // An acknowledged change is not shown as news.
        isNull(licenseChanges.acknowledgedAt),
        sql`NOT (${state} = 'DRIFT' AND ${OUR_NEWEST_STATE} IS NOT DISTINCT FROM 'UNCLEAR')`,
      ),
    )
    .orderBy(desc(createdAt))
    .limit(1)
    .as('newest')
}

function columnsOf(newest: ReturnType<typeof newestOf>) {
  const { id, fromQuantity, toQuantity, state, vendorReason, actorKind, actorId, actorName } = newest
  const { settledAt, notBefore, isLately } = newest
  return {
    ...{ id, fromQuantity, toQuantity, state, vendorReason, actorKind, actorId, actorName },
    ...{ settledAt, notBefore, isLately },
  }
}
