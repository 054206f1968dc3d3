import 'server-only'
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { licenseChanges, seatReadings } from '#lib/db/schema.ts'
import type { Change } from '#lib/license-changes/license-change.ts'

/** Purchased and assigned seats from a time on. */
export type SeatReading = { at: Date; purchased: number; assigned: number }

const MOVED_SEATS = ['APPLIED', 'DRIFT']

/** Who changed the seats last, and when. */
export async function lastChange(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<Change | undefined> {
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(ofAsset(customerId, assetId))
    .orderBy(sql`${licenseChanges.createdAt} desc`)
    .limit(1)
  return rows[0]
}

/** Whether the vendor itself has confirmed the change to us: not so what an import wrote, or what we found. */
export function isConfirmed({ state, sentAt }: Change): boolean {
  return state === 'APPLIED' && sentAt !== null
}

/** The changes that moved the seats within the last `ms` milliseconds. */
export async function changesWithin(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  ms: number,
): Promise<Change[]> {
  const since = sql`clock_timestamp() - ${ms} * interval '1 millisecond'`
  return tx
    .select()
    .from(licenseChanges)
    .where(and(ofAsset(customerId, assetId), gte(licenseChanges.settledAt, since)))
}

type NewReading = Omit<SeatReading, 'at'> & { assetId: string }

/** Notes what the seats of some assets are from now on: a few hundred at most. */
export async function addReadings(
  tx: Transaction,
  customerId: CustomerId,
  readings: readonly NewReading[],
): Promise<void> {
  const rows = readings.map(({ assetId, purchased, assigned }) => ({
    customerId,
    assetId,
    purchased,
    assigned,
  }))
  if (rows.length > 0) await tx.insert(seatReadings).values(rows)
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

function ofAsset(customerId: CustomerId, assetId: string) {
  const { customerId: customer, assetId: asset, state } = licenseChanges
  return and(eq(customer, customerId), eq(asset, assetId), inArray(state, MOVED_SEATS))
}
