import 'server-only'
import type { LastPrice } from '#components/assets/cost.ts'
import type { Caller } from '#lib/access/rules.ts'
import type { Trace } from '#lib/api/operation.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { listAssets } from '#lib/assets/operations.ts'
import { lastPrices, newestInvoices } from '../last-prices.ts'

const PAGE = 250
// Beyond a thousand assets a list shows no money: the page would wait for it.
const MOST_PAGES = 4

/** What a license of each asset cost when last billed, by asset id, where it is known. */
export async function pricesOfAll(caller: Caller, trace: Trace): Promise<Record<string, LastPrice>> {
  const invoices = await newestInvoices(caller, trace)
  if (invoices.length === 0) return {}
  const assets: AssetListItem[] = []
  let pageToken: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { view: 'full' as const, maxResults: PAGE, pageToken }
    const { body } = await listAssets(caller, { params: {}, query, body: undefined }, trace)
    assets.push(...body.assets)
    pageToken = body.pageToken
    if (!pageToken) break
  }
  // Alike ones have one price: a few products are looked for, not a thousand assets.
  const alike = new Map(assets.map((item) => [kindOf(item), item]))
  const known = lastPrices([...alike.values()], invoices)
  const priced = assets.flatMap((item): [string, LastPrice][] => {
    const price = known[alike.get(kindOf(item))?.id ?? '']
    return price ? [[item.id, price]] : []
  })
  return Object.fromEntries(priced)
}

/** All that a price depends on. */
function kindOf({ type, properties }: AssetListItem): string {
  const { SkuName, Seats } = properties?.subscription ?? {}
  return JSON.stringify([type, SkuName, (Seats?.NumberOfSeats ?? 0) <= 1])
}
