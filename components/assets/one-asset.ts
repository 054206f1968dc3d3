import { tagOf } from '#lib/api/client.ts'
import type { Output } from '#lib/api/contract.ts'
import type { Asset, AssetListItem, listAssets } from '#lib/assets/contract.ts'
import { readAsset } from '#lib/assets/queries.ts'

export type List = Output<typeof listAssets>

/** The page of one asset; `search` is the query string of the list that the way back leads to. */
export function assetHref(id: string, search = ''): string {
  const path = `/assets/${encodeURIComponent(id)}`
  return search ? `${path}?${search}` : path
}

/** One asset in the cache: a list of one under the lists' name, so that a change of licenses finds it too. */
export const oneAsset = {
  key: (id: string) => ['listAssets', readAsset.path({ params: { asset_id: id } })] as const,
  list: (item: AssetListItem): List => ({ assets: [item], rowCount: 1 }),
  /** Reads it again; name and creation time, which the answer lacks, stay those of `item`. */
  read: async (item: AssetListItem, signal: AbortSignal): Promise<List> =>
    withAsset(oneAsset.list(item), await readAsset({ params: { asset_id: item.id } }, signal)),
}

/** The list with what one asset's own answer says of it. */
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

/** Purchased licenses; undefined where there are none to have. */
export function seatsOf(asset: Asset): number | undefined {
  return asset.properties.subscription?.Seats.NumberOfSeats
}
