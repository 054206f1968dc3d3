import { licensesText } from '#components/licenses/assets/labels.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'

type LastChange = NonNullable<AssetListItem['lastChange']>
type ChangeSummary = Pick<LastChange, 'state' | 'from' | 'to'>

/**
 * What a settled change has to tell beside its asset, in a line; undefined where there is nothing to see to.
 * @param label the vendor's name for people
 */
export function newsText({ state, from, to }: ChangeSummary, label: string): string | undefined {
  const step = `${from.toLocaleString('en')} → ${to.toLocaleString('en')}`
  if (state === 'DRIFT') return from === to ? `Product changed at ${label}` : `Changed at ${label}: ${step}`
  if (state === 'FAILED') return `Not applied: ${step}`
  return state === 'UNCLEAR' ? `We can’t tell whether ${licensesText(to)} reached ${label}` : undefined
}

/** The total that was not applied, and may be asked for again; undefined where there is none. */
export function totalToSetAgain(
  change: Pick<LastChange, 'state' | 'to'> | undefined,
  purchased: number,
): number | undefined {
  return change?.state === 'FAILED' && change.to !== purchased ? change.to : undefined
}

/** What is known of an unclear change and what to do, where the line above has said already that we can't tell. */
export function whatToDoText(vendorReason: string): string {
  const [, rest] = /^We can’t tell whether [^:]*: (.+)$/.exec(vendorReason) ?? []
  return rest === undefined ? vendorReason : rest.charAt(0).toUpperCase() + rest.slice(1)
}

type Change = { id: string; assetId: string; state: string; from: number; to: number }

/** Of changes, newest first, the ids of those that were not applied and that nothing of their asset has followed. */
export function idsToSetAgain(changes: readonly Change[]): Set<string> {
  const seen = new Set<string>()
  const newest = changes.filter(({ assetId }) => !seen.has(assetId) && seen.add(assetId))
  return new Set(newest.filter(({ state }) => state === 'FAILED').map(({ id }) => id))
}
