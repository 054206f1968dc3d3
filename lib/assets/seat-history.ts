import 'server-only'
import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { licenseChanges, seatReadings } from '#lib/db/schema.ts'
import type { Change } from './license-change.ts'

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

/** Notes what the seats are from now on. */
export async function addReading(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  { purchased, assigned }: Omit<SeatReading, 'at'>,
): Promise<void> {
  await tx.insert(seatReadings).values({ customerId, assetId, purchased, assigned })
}

// More steps than a plot has room for.
const MOST_READINGS = 2000

/** What the seats were from `since` on, oldest first; it begins with what held at that time, where that is known. */
export async function listReadings(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  since: Date,
): Promise<SeatReading[]> {
  const { at, purchased, assigned } = seatReadings
  const own = and(eq(seatReadings.customerId, customerId), eq(seatReadings.assetId, assetId))
  const fields = { at, purchased, assigned }
  const [before, after] = await Promise.all([
    tx
      .select(fields)
      .from(seatReadings)
      .where(and(own, lt(at, since)))
      .orderBy(sql`${at} desc`)
      .limit(1),
    tx
      .select(fields)
      .from(seatReadings)
      .where(and(own, gte(at, since)))
      .orderBy(sql`${at} desc`)
      .limit(MOST_READINGS),
  ])
  return [...before, ...after.reverse()]
}

function ofAsset(customerId: CustomerId, assetId: string) {
  const { customerId: customer, assetId: asset, state } = licenseChanges
  return and(eq(customer, customerId), eq(asset, assetId), inArray(state, MOVED_SEATS))
}
