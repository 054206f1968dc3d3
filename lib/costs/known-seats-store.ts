import 'server-only'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets, seatReadings } from '#lib/platform/db/schema/assets.ts'

/** The assets of a type that have licenses, the newest ones; `read`: since when their seats were read, epoch milliseconds. */
export async function listSeats(tx: Transaction, customerId: CustomerId, type: string, limit: number) {
  return tx
    .select({
      id: assets.id,
      name: assets.name,
      skuName: assets.skuName,
      purchased: assets.seatsPurchased,
      read: sql<number | null>`(extract(epoch from (SELECT min(${seatReadings.at}) FROM ${seatReadings}
        WHERE ${seatReadings.customerId} = ${customerId} AND ${seatReadings.assetId} = ${assets.id})) * 1000)::float8`,
    })
    .from(assets)
    .where(and(eq(assets.customerId, customerId), eq(assets.type, type), isNotNull(assets.seatsPurchased)))
    .orderBy(sql`${assets.createdAt} desc, ${assets.id} desc`)
    .limit(limit)
}
