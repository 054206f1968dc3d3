import 'server-only'
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { builtOnce, value } from '#lib/platform/db/built.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { seatReadings } from '#lib/platform/db/schema/assets.ts'

/** Purchased and assigned seats from a time on. */
export type SeatReading = { at: Date; purchased: number; assigned: number }

type NewReading = Omit<SeatReading, 'at'> & { assetId: string }

/** Notes what the seats of some assets are from now on: a few hundred at most. */
export async function addReadings(
  tx: Transaction,
  customerId: CustomerId,
  readings: readonly NewReading[],
): Promise<void> {
  const [only] = readings
  if (only && readings.length === 1) await oneAdded(tx, { customerId, ...only })
  else if (only) await addAll(tx, customerId, readings)
}

/** What a change of licenses adds. */
const oneAdded = builtOnce<unknown>((tx) =>
  tx.insert(seatReadings).values({
    customerId: value('customerId'),
    assetId: value('assetId'),
    purchased: value('purchased'),
    assigned: value('assigned'),
  }),
)

async function addAll(tx: Transaction, customerId: CustomerId, readings: readonly NewReading[]) {
  const rows = readings.map(({ assetId, purchased, assigned }) => ({
    customerId,
    assetId,
    purchased,
    assigned,
  }))
  await tx.insert(seatReadings).values(rows)
}

/**
 * What the seats were from `since` on, oldest first: what held at that time, where that is known, else the first
 * reading; then the last one of each day of UTC, for seats may move every hour.
 */
export async function listReadings(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  since: Date,
): Promise<SeatReading[]> {
  const { at, purchased, assigned } = seatReadings
  const own = and(eq(seatReadings.customerId, customerId), eq(seatReadings.assetId, assetId))
  const fields = { at, purchased, assigned }
  const one = (when: SQL, order: SQL) =>
    tx.select(fields).from(seatReadings).where(and(own, when)).orderBy(order).limit(1)
  const day = sql`date_trunc('day', ${at}, 'UTC')`
  const [before, first, days] = await Promise.all([
    one(lt(at, since), sql`${at} desc`),
    one(gte(at, since), sql`${at}`),
    tx
      .selectDistinctOn([day], fields)
      .from(seatReadings)
      .where(and(own, gte(at, since)))
      .orderBy(day, sql`${at} desc`),
  ])
  return [...(before.length > 0 ? before : first), ...days]
}

/** So long anybody may look back, or compare what was billed. */
const KEPT = sql`interval '3 years'`
/** In one statement, which has three seconds. */
const MOST_REMOVED = 10_000

/**
 * Removes the customer's readings of long ago, but for the one that held when the time that is kept begins.
 * @returns how many; of very many at most a part
 */
export async function pruneReadings(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM seat_readings WHERE customer_id = ${customerId} AND (asset_id, at) IN (
      SELECT r.asset_id, r.at FROM seat_readings r
      WHERE r.customer_id = ${customerId} AND r.at < now() - ${KEPT} AND EXISTS (
        SELECT FROM seat_readings n WHERE n.customer_id = ${customerId} AND n.asset_id = r.asset_id
          AND n.at > r.at AND n.at < now() - ${KEPT})
      LIMIT ${MOST_REMOVED})`)
  return rowCount ?? 0
}
