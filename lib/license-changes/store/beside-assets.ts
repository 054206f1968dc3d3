import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import { type AssetRow, type ListRow, type Page, pageClauses } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { assets, licenseChanges } from '#lib/db/schema/assets.ts'
import { IS_OPEN, isDue } from './find.ts'
import type { Change } from './transitions.ts'

// Assets with the change that is open there, in the one statement that reads them.

/** `isDue`: it is time to ask what became of the open change. */
export type OpenBeside = { asset: AssetRow; open: Change | null; isDue: boolean | null }

const ITS_OPEN_CHANGE = and(
  eq(licenseChanges.customerId, assets.customerId),
  eq(licenseChanges.assetId, assets.id),
  IS_OPEN,
)

/** The rows of `listAssets`, each with the change that is open there. */
export async function listBesideAssets(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & OpenBeside)[]> {
  const { micros, where, order, limit } = pageClauses(customerId, page)
  return tx
    .select({ asset: assets, micros, open: licenseChanges, isDue: isDue() })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
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
    .select({ asset: assets, open: licenseChanges, isDue: isDue() })
    .from(assets)
    .leftJoin(licenseChanges, ITS_OPEN_CHANGE)
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
  return rows[0]
}
