import { billedPeriod } from '#lib/costs/billed-period.ts'
import { namedBy, type SeatChange } from '#lib/costs/seat-check.ts'
import { LICENSE_TYPES } from '#lib/licenses/assets/rules.ts'
import type { Days, SeatChanges } from './cause.ts'

/** Licenses of an asset with the changes of their number, oldest first. */
export type LicensedAsset = { type: string; names: readonly string[]; changes: readonly SeatChange[] }

/** Returns whether a platform sells licenses; other platforms bill usage. */
export function isLicensed(type: string): boolean {
  return (LICENSE_TYPES as readonly string[]).includes(type)
}

/** Returns the license changes of the assets that a line names, oldest first; undefined where it names none. */
export function findSeatChanges(
  { type, description }: { type: string; description: string },
  candidates: readonly LicensedAsset[],
): SeatChanges | undefined {
  const platformAssets = candidates.filter((asset) => asset.type === type)
  const { assets, exact } = namedBy(description, platformAssets)
  if (assets.length === 0) return undefined
  const changes = assets.flatMap((asset) => asset.changes)
  return { changes: changes.toSorted((a, b) => a.at - b.at), sure: exact && assets.length === 1 }
}

/** Returns the period that a line names, else the period of its invoice. */
export function daysOf(details: string | null, otherwise: Days): Days {
  const { isStated, ...period } = billedPeriod(details ?? undefined, otherwise.to)
  return isStated ? period : otherwise
}
