import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import { type AssetRow, type ListRow, type Page, pageClauses } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { assets } from '#lib/db/schema/assets.ts'
import { licenseChanges } from '#lib/db/schema/license-changes.ts'
import { vendorSubscriptions } from '#lib/db/schema/vendors.ts'
import { IS_OPEN, isDue } from './find.ts'
import type { Change } from './transitions.ts'

// Assets with the change that is open there, in the one statement that reads them.

/** `isDue`: it is time to ask what became of the open change. `observedAt`: when the vendor last told of the asset. */
export type OpenBeside = {
  asset: AssetRow
  open: Change | null
  isDue: boolean | null
  observedAt: Date | null
}

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

/** The rows of `listAssets`, each with the change that is open there. */
export async function listBesideAssets(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & OpenBeside)[]> {
  const { micros, where, order, limit } = pageClauses(customerId, page)
  return tx
    .select({ asset: assets, micros, open: licenseChanges, isDue: isDue(), observedAt })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .leftJoin(vendorSubscriptions, ITS_SUBSCRIPTION)
    .where(where)
    .orderBy(order)
    .limit(limit)
}

/** One asset with the change that is open there. */
export async function readBesideAsset(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<OpenBeside | undefined> {
  const rows = await tx
    .select({ asset: assets, open: licenseChanges, isDue: isDue(), observedAt })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .leftJoin(vendorSubscriptions, ITS_SUBSCRIPTION)
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
  return rows[0]
}
