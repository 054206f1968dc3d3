import { billedPeriod } from '#lib/costs/billed-period.ts'
import { namedBy, type SeatChange } from '#lib/costs/seat-verdict.ts'
import { LICENSE_TYPES } from '#lib/licenses/assets/rules.ts'
import type { Days, KnownChanges } from './cause.ts'

/** What is known of an asset's licenses: what moved them, oldest first. */
export type KnownAsset = { type: string; names: readonly string[]; changes: readonly SeatChange[] }

/** Whether a platform sells licenses; what others bill is usage. */
export function isLicensed(type: string): boolean {
  return (LICENSE_TYPES as readonly string[]).includes(type)
}

/** What moved the licenses of the assets that a line names, oldest first; undefined where it names none. */
export function knownOf(
  { type, description }: { type: string; description: string },
  known: readonly KnownAsset[],
): KnownChanges | undefined {
  const own = known.filter((asset) => asset.type === type)
  const { assets, exact } = namedBy(description, own)
  if (assets.length === 0) return undefined
  const changes = assets.flatMap((asset) => asset.changes)
  return { changes: changes.toSorted((a, b) => a.at - b.at), sure: exact && assets.length === 1 }
}

/** The period that a line itself names, else that of its invoice. */
export function daysOf(details: string | null, otherwise: Days): Days {
  const { told, ...period } = billedPeriod(details ?? undefined, otherwise.to)
  return told ? period : otherwise
}
