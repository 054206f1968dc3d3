import { pathWith } from '#components/lists/filters/list-screen.ts'
import type { Asset, AssetListItem, listAssets } from '#lib/licenses/assets/contract.ts'
import { readAsset, readLicenseChange } from '#lib/licenses/client.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { tagOf } from '#lib/platform/api/client.ts'
import type { Output } from '#lib/platform/api/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

export type List = Output<typeof listAssets>
export type OpenChange = NonNullable<AssetListItem['openChange']>

/** Returns the address of an asset's page; `search` is the query string of the list for the way back. */
export function assetHref(id: string, search = ''): string {
  return pathWith(`/assets/${encodeURIComponent(id)}`, search)
}

/** Query of one asset: a list of one under the lists' key, so that license changes update it too. */
export const oneAsset = {
  key: (id: string) => ['listAssets', readAsset.path({ params: { asset_id: id } })] as const,
  list: (item: AssetListItem): List => ({ assets: [item], rowCount: 1 }),
  /**
   * Reads the asset again, and whether its change is still open; name and creation time, which the answer lacks, are
   * taken from `item`. Reads the change first: the seats of a settled change are in the asset.
   */
  read: async (item: AssetListItem, signal: AbortSignal): Promise<List> => {
    const { openChange } = item
    const change = openChange && (await readChange(openChange.id, signal))
    const list = withAsset(oneAsset.list(item), await readAsset({ params: { asset_id: item.id } }, signal))
    if (!openChange) return list
    if (!change || !isOpen(change.state)) return withOpenChange(list, item.id, undefined)
    const { state, knownBy, repeatable } = change
    return withOpenChange(list, item.id, { ...openChange, state, knownBy, repeatable })
  },
}

/** Reads a change; returns undefined where it was withdrawn without effect. */
export async function readChange(id: string, signal?: AbortSignal): Promise<LicenseChange | undefined> {
  return readLicenseChange({ params: { change_id: id } }, signal).catch((error) => {
    if (error instanceof ProblemError && error.code === 'not_found') return undefined
    throw error
  })
}

/** Returns the refetch interval: every few seconds while a change of one of these assets is open. */
export function refetchInterval({ state }: { state: { data: List | undefined } }): number | false {
  return state.data?.assets.some(({ openChange }) => openChange) ? 4000 : false
}

/** Returns the list with another open change of one asset; undefined removes it. */
export function withOpenChange(list: List, id: string, openChange: OpenChange | undefined): List {
  const assets = list.assets.map((item) => {
    if (item.id !== id) return item
    const { openChange: _former, ...rest } = item
    return openChange ? { ...rest, openChange } : rest
  })
  return { ...list, assets }
}

/** Returns the list with one asset replaced by the answer of a call for that asset. */
export function withAsset(list: List, asset: Asset): List {
  const quantity = seatsOf(asset)
  const assets = list.assets.map((item) => {
    if (item.id !== asset.id) return item
    const { etag: _former, ...rest } = item
    const etag = tagOf(asset)
    return {
      ...rest,
      ...(etag === undefined ? {} : { etag }),
      ...(quantity === undefined ? {} : { quantity, licenseQty: String(quantity) }),
      properties: asset.properties,
    }
  })
  return { ...list, assets }
}

/** Returns the purchased licenses; undefined for an asset without seats. */
export function seatsOf(asset: Asset): number | undefined {
  return asset.properties.subscription?.Seats.NumberOfSeats
}
