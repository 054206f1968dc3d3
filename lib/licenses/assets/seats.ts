import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { builtOnce, value } from '#lib/platform/db/built.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import type { QuantityFacts } from './commitment.ts'
import { type AssetRow, hasLicenses, type LicensedRow } from './store.ts'

type Seats = { purchased: number; maximum: number; assigned: number }

/** What a change of licenses is decided by, with the seats as they are. */
export type LicenseFacts = QuantityFacts & { seats: Seats }

/** What the checks of a change need to know of an asset: no facts where its type has no licenses. */
export function knownOf(row: AssetRow): { seatVersion: number; facts: LicenseFacts | undefined } {
  const { seatVersion } = row
  if (!hasLicenses(row)) return { seatVersion, facts: undefined }
  const { status, isCommitmentPlan, commitmentEnd, seatsPurchased: purchased } = row
  const seats = { purchased, maximum: row.seatsMaximum, assigned: row.seatsAssigned }
  const facts = { status, isCommitmentPlan, purchased, commitmentEnd: commitmentEnd?.getTime(), seats }
  return { seatVersion, facts }
}

/** Writes the seats that the vendor confirmed; the seat version moves. The row must be locked. */
export async function setSeats(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seats: Seats,
): Promise<AssetRow> {
  const { purchased, maximum, assigned } = seats
  const rows = await seatsSet(tx, { customerId, id, purchased, maximum, assigned })
  return rows[0] as AssetRow
}

const seatsSet = builtOnce<AssetRow[]>((tx) =>
  tx
    .update(assets)
    .set({
      seatsPurchased: value<number>('purchased'),
      seatsMaximum: value<number>('maximum'),
      seatsAssigned: value<number>('assigned'),
      seatVersion: sql`${assets.seatVersion} + 1`,
    })
    .where(and(eq(assets.customerId, value('customerId')), eq(assets.id, value('id'))))
    .returning(),
)

/** Writes what the vendor told; `moves` says whether the seat version does. The row must be locked. */
export async function setObserved(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  values: Partial<LicensedRow>,
  { moves }: { moves: boolean },
): Promise<LicensedRow> {
  const rows = await tx
    .update(assets)
    .set({
      ...values,
      ...(moves ? { seatVersion: sql`${assets.seatVersion} + 1` } : {}),
    })
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
    .returning()
  return rows[0] as LicensedRow
}
