import 'server-only'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { changesOf } from '#lib/licenses/license-changes/store/changes.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import { type Caller, type CustomerId, may } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets, seatReadings } from '#lib/platform/db/schema/assets.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { SeatHistory } from './seat-check.ts'

/** Most assets of a type that are examined, newest first. */
const MAX_ASSETS = 500
/** Most changes of these assets, latest first. */
const MAX_CHANGES = 5000

/**
 * Returns the recorded seats of the assets of a type, for readers of invoices: totals and days, which invoices show as
 * well. Actors are included for callers who may see the assets.
 * @throws Problem `permission_denied`
 */
export async function readSeatHistories(caller: Caller, type: string): Promise<SeatHistory[]> {
  checkPermission(caller, 'invoice-viewer')
  return readScope(caller, (tx) => selectSeatHistories(tx, caller, type), { mayBeOld: true })
}

/** Like `readSeatHistories`, but within a transaction and after the permission check. */
export async function selectSeatHistories(
  tx: Transaction,
  caller: Pick<Caller, 'customerId' | 'roles'>,
  type: string,
): Promise<SeatHistory[]> {
  const { customerId } = caller
  const seesNames = may(caller, 'licenses-manager')
  const rows = await listSeats(tx, customerId, type, MAX_ASSETS)
  const ids = rows.map(({ id }) => id)
  const changes = await changesOf(tx, customerId, ids, MAX_CHANGES)
  const oldest = changes.length === MAX_CHANGES ? changes.at(-1)?.createdAt.getTime() : undefined
  const byAsset = Map.groupBy(changes, ({ assetId }) => assetId)
  return rows.map(({ id, name, skuName, purchased, read }) => {
    const assetChanges = (byAsset.get(id) ?? []).toReversed()
    const first = assetChanges[0]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
    return {
      names: [...new Set([skuName ?? name, name])],
      purchased: purchased ?? 0,
      since: oldest ?? Math.min(read, first),
      changes: assetChanges.map((change) => ({
        at: (change.settledAt ?? change.createdAt).getTime(),
        from: change.fromQuantity,
        to: change.toQuantity,
        ...(seesNames ? { by: change.actorName } : {}),
      })),
    }
  })
}

/**
 * Returns the newest assets of a type that have licenses; `read`: start of their seat readings, in epoch milliseconds;
 * without readings, the present, whose seats are known.
 */
async function listSeats(tx: Transaction, customerId: CustomerId, type: string, limit: number) {
  return tx
    .select({
      id: assets.id,
      name: assets.name,
      skuName: assets.skuName,
      purchased: assets.seatsPurchased,
      read: sql<number>`(extract(epoch from coalesce((SELECT min(${seatReadings.at}) FROM ${seatReadings}
        WHERE ${seatReadings.customerId} = ${customerId} AND ${seatReadings.assetId} = ${assets.id}), now())) * 1000)::float8`,
    })
    .from(assets)
    .where(and(eq(assets.customerId, customerId), eq(assets.type, type), isNotNull(assets.seatsPurchased)))
    .orderBy(sql`${assets.createdAt} desc, ${assets.id} desc`)
    .limit(limit)
}
