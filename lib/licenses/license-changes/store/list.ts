import 'server-only'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import { type Change, isDue } from './changes.ts'

export type ChangeRow = {
  change: Change
  assetName: string
  type: string
  /** Vendor of the asset, as stored with the asset. */
  vendor: string
  vendorAccount: string
  /** Creation time in whole microseconds, which a Date would cut: half of the sort key. */
  micros: string
}
export type ChangeSelection = {
  filter?: Filter<'asset' | 'state' | 'actor'> | undefined
  /** Epoch milliseconds, both inclusive. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
}

/** Returns the sort key of a change, for page tokens. */
export function keyOfChange({ micros, change }: ChangeRow): string[] {
  return [micros, change.id]
}

/** Returns changes in reading direction from the cursor on: newest first, or oldest first for a backward cursor. */
export async function listLicenseChanges(
  tx: Transaction,
  customerId: CustomerId,
  selection: ChangeSelection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
): Promise<ChangeRow[]> {
  const { columns, micros } = byCreation(licenseChanges.createdAt, licenseChanges.id)
  const { beyond, order } = pageByKey(columns, cursor)
  return tx
    .select({
      change: licenseChanges,
      assetName: assets.name,
      type: assets.type,
      vendor: assets.vendor,
      vendorAccount: assets.vendorAccount,
      micros,
    })
    .from(licenseChanges)
    .innerJoin(assets, ITS_ASSET)
    .where(and(eq(licenseChanges.customerId, customerId), ...selected(selection), beyond))
    .orderBy(order)
    .limit(limit)
}

const ITS_ASSET = and(eq(assets.customerId, licenseChanges.customerId), eq(assets.id, licenseChanges.assetId))

/** Returns one change, and whether its reconciliation is due. */
export async function findChange(tx: Transaction, customerId: CustomerId, id: string) {
  const { customerId: customer, id: idColumn } = licenseChanges
  const rows = await tx
    .select({
      change: licenseChanges,
      assetName: assets.name,
      type: assets.type,
      vendor: assets.vendor,
      vendorAccount: assets.vendorAccount,
      isDue: isDue(),
    })
    .from(licenseChanges)
    .innerJoin(assets, ITS_ASSET)
    .where(and(eq(customer, customerId), eq(idColumn, id)))
  return rows[0]
}

// Range that both a JavaScript date and PostgreSQL can represent.
const LAST = Date.UTC(9999, 11, 31)

function selected({ filter, minCreationTime: min, maxCreationTime: max }: ChangeSelection): SQL[] {
  const { createdAt } = licenseChanges
  const conditions = [
    filter?.asset && inArray(licenseChanges.assetId, filter.asset),
    filter?.state && inArray(licenseChanges.state, filter.state),
    filter?.actor && inArray(licenseChanges.actorId, filter.actor),
    min === undefined ? undefined : sql`${createdAt} >= ${timeOf(min)}`,
    // Covers the whole millisecond, the resolution of a change's time on the wire.
    max === undefined ? undefined : sql`${createdAt} < ${timeOf(max + 1)}`,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

function timeOf(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LAST)).toISOString()}::timestamptz`
}
