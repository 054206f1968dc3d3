import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { assets, licenseChanges } from '#lib/db/schema.ts'
import { env } from '#lib/env.ts'
import { IS_OPEN, isDue, type OpenBeside } from '#lib/license-changes/open-change.ts'
import { type AssetRow, type ListRow, type Page, pageQuery } from './store.ts'

// Assets with the change that is open there, in the one statement that reads them.

export type FullRow = { asset: AssetRow } & OpenBeside

const ITS_OPEN_CHANGE = and(
  eq(licenseChanges.customerId, assets.customerId),
  eq(licenseChanges.assetId, assets.id),
  IS_OPEN,
)

/** The rows of `listAssets`, each with the change that is open there. */
export async function listFullAssets(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & FullRow)[]> {
  const { micros, where, order, limit } = pageQuery(customerId, page)
  return tx
    .select({ asset: assets, micros, open: licenseChanges, isDue: isDue(env().vendorTimes) })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .where(where)
    .orderBy(order)
    .limit(limit)
}

/** One asset with the change that is open there. */
export async function readFullAsset(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<FullRow | undefined> {
  const rows = await tx
    .select({ asset: assets, open: licenseChanges, isDue: isDue(env().vendorTimes) })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
  return rows[0]
}
