import { licensesText } from '#components/licenses/assets/labels.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'

type LastChange = NonNullable<AssetListItem['lastChange']>
type ChangeSummary = Pick<LastChange, 'state' | 'from' | 'to'>

/**
 * Returns a line about a settled change for its asset; undefined where no action is needed.
 * @param label the vendor's display name
 */
export function newsText({ state, from, to }: ChangeSummary, label: string): string | undefined {
  const step = `${from.toLocaleString('en')} → ${to.toLocaleString('en')}`
  if (state === 'DRIFT') return from === to ? `Product changed at ${label}` : `Changed at ${label}: ${step}`
  if (state === 'FAILED') return `Not applied: ${step}`
  return state === 'UNCLEAR' ? `We can’t tell whether ${licensesText(to)} reached ${label}` : undefined
}

/** Returns the total of a failed change that may be requested again; undefined where there is none. */
export function totalToSetAgain(
  change: Pick<LastChange, 'state' | 'to'> | undefined,
  purchased: number,
): number | undefined {
  return change?.state === 'FAILED' && change.to !== purchased ? change.to : undefined
}

/** Returns the facts and next steps of an unclear change, without the beginning that repeats the line above. */
export function whatToDoText(vendorReason: string): string {
  const [, rest] = /^We can’t tell whether [^:]*: (.+)$/.exec(vendorReason) ?? []
  return rest === undefined ? vendorReason : rest.charAt(0).toUpperCase() + rest.slice(1)
}

type Change = { id: string; assetId: string; state: string; from: number; to: number }

/** Returns the ids of failed changes with no later change of the same asset, from a list with the newest first. */
export function idsToSetAgain(changes: readonly Change[]): Set<string> {
  const seen = new Set<string>()
  const newest = changes.filter(({ assetId }) => !seen.has(assetId) && seen.add(assetId))
  return new Set(newest.filter(({ state }) => state === 'FAILED').map(({ id }) => id))
}
