import 'server-only'
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { type Caller, may } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { assets, licenseChanges, seatReadings } from '#lib/db/schema.ts'
import { readScope } from '#lib/db/scope.ts'

/** What is known of one asset's seats, as an invoice is checked against it. Times are epoch milliseconds. */
export type SeatFacts = {
  names: string[]
  purchased: number
  since: number
  changes: { at: number; from: number; to: number; by?: string | undefined }[]
}

/** So many assets of a type are looked at, the newest. */
const MOST_ASSETS = 500
/** And so many of their latest changes. */
const MOST_CHANGES = 5000

/**
 * The seats of the assets of a type since we know them, for whoever may read invoices: totals and days, which bills
 * tell too. Who changed them is told to those who may see the assets.
 * @throws Problem `permission_denied`
 */
export async function seatFacts(caller: Caller, type: string): Promise<SeatFacts[]> {
  checkPermission(caller, 'invoice-viewer')
  const { customerId } = caller
  const seesNames = may(caller, 'licenses-manager')
  return readScope(caller, async (tx) => {
    const rows = await tx
      .select({
        id: assets.id,
        name: assets.name,
        skuName: assets.skuName,
        purchased: assets.seatsPurchased,
        read: sql<number | null>`(extract(epoch from (SELECT min(${seatReadings.at}) FROM ${seatReadings}
          WHERE ${seatReadings.customerId} = ${assets.customerId} AND ${seatReadings.assetId} = ${assets.id})) * 1000)::float8`,
      })
      .from(assets)
      .where(and(eq(assets.customerId, customerId), eq(assets.type, type), isNotNull(assets.seatsPurchased)))
      .orderBy(sql`${assets.createdAt} desc, ${assets.id} desc`)
      .limit(MOST_ASSETS)
    const { assetId, state, createdAt } = licenseChanges
    const ids = rows.map(({ id }) => id)
    const changes = await tx
      .select()
      .from(licenseChanges)
      .where(
        and(
          eq(licenseChanges.customerId, customerId),
          inArray(assetId, ids),
          inArray(state, ['APPLIED', 'DRIFT']),
        ),
      )
      .orderBy(sql`${createdAt} desc`)
      .limit(MOST_CHANGES)
    const oldest = changes.length === MOST_CHANGES ? changes.at(-1)?.createdAt.getTime() : undefined
    return rows.map(({ id, name, skuName, purchased, read }) => {
      const own = changes.filter((change) => change.assetId === id).reverse()
      const first = own[0]?.createdAt.getTime()
      const since = oldest ?? Math.min(read ?? Date.now(), first ?? Number.POSITIVE_INFINITY)
      return {
        names: [...new Set([skuName ?? name, name])],
        purchased: purchased ?? 0,
        since,
        changes: own.map((change) => ({
          at: (change.settledAt ?? change.createdAt).getTime(),
          from: change.fromQuantity,
          to: change.toQuantity,
          ...(seesNames ? { by: change.actorName } : {}),
        })),
      }
    })
  })
}
