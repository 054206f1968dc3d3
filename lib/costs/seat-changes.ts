import 'server-only'
import { and, desc, eq, gte, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import { MOVED_SEATS } from '#lib/licenses/license-changes/store/changes.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { epochOfDay, LAST_DAY, monthBegin } from '#lib/platform/values/days.ts'
import type { SeatChange, SeatHistory } from './seat-check.ts'

/** Most assets that are examined, newest first. */
const MAX_ASSETS = 2000
/** Most changes within a time, latest first. */
const MAX_CHANGES = 5000

/** Asset's type, its names as an invoice may call it, and the changes of its seats within a time, oldest first. */
export type SeatChanges = Pick<SeatHistory, 'names'> & { type: string; changes: readonly SeatChange[] }

/**
 * Returns the seat changes of all assets around the days of some invoices: requested changes, vendors' changes, and
 * changes recorded by imports. The caller may read invoices; actors are included for callers who may see the assets
 * (decision 110). Two statements, each independent of the other's rows.
 * @param days as `YYYY-MM-DD`; a bill may cover the time before or after its day
 */
export async function seatChangesAround(
  tx: Transaction,
  caller: Pick<Caller, 'customerId' | 'roles'>,
  days: readonly string[],
): Promise<SeatChanges[]> {
  const { customerId } = caller
  const times = days.map(epochOfDay)
  const from = new Date(monthBegin(Math.min(...times), -2))
  const to = new Date(Math.min(monthBegin(Math.max(...times), 2), LAST_DAY))
  const { assetId, createdAt, settledAt, state, fromQuantity, toQuantity, actorName } = licenseChanges
  const [seated, moved] = await Promise.all([
    tx
      .select({ id: assets.id, type: assets.type, name: assets.name, skuName: assets.skuName })
      .from(assets)
      .where(and(eq(assets.customerId, customerId), isNotNull(assets.seatsPurchased)))
      .orderBy(desc(assets.createdAt), desc(assets.id))
      .limit(MAX_ASSETS),
    tx
      .select({ assetId, createdAt, settledAt, from: fromQuantity, to: toQuantity, by: actorName })
      .from(licenseChanges)
      .where(
        and(
          eq(licenseChanges.customerId, customerId),
          gte(createdAt, from),
          lte(createdAt, to),
          inArray(state, [...MOVED_SEATS]),
          sql`${fromQuantity} <> ${toQuantity}`,
        ),
      )
      .orderBy(desc(createdAt), desc(licenseChanges.id))
      .limit(MAX_CHANGES),
  ])
  const seesNames = may(caller, 'licenses-manager')
  const byAsset = Map.groupBy(moved, (change) => change.assetId)
  return seated.map(({ id, type, name, skuName }) => ({
    type,
    names: [...new Set([skuName ?? name, name])],
    changes: (byAsset.get(id) ?? []).toReversed().map((change) => ({
      at: (change.settledAt ?? change.createdAt).getTime(),
      from: change.from,
      to: change.to,
      ...(seesNames ? { by: change.by } : {}),
    })),
  }))
}
