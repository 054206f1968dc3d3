import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { builtOnce, value } from '#lib/platform/db/built.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import type { Cursor } from '#lib/platform/lists/page-token.ts'
import { selectsAll } from './list/conditions.ts'
import { type AssetRow, type Page, pageClauses } from './store.ts'

const shownColumns = {
  id: assets.id,
  type: assets.type,
  name: assets.name,
  seatsPurchased: assets.seatsPurchased,
}

/** What a list shows of an asset; `micros` and `sort` are as in `ListRow`. */
export type ShownRow = {
  asset: Pick<AssetRow, keyof typeof shownColumns>
  micros: string
  sort?: string | undefined
}

/** A page as `listAssets` reads it, with what a list shows of each asset, and no more: nothing else is read as often. */
export async function listShown(tx: Transaction, customerId: CustomerId, ...page: Page): Promise<ShownRow[]> {
  const [selection, limit, cursor, orderBy] = page
  if (orderBy || !selectsAll(selection)) return selectShown(tx, customerId, page)
  const [micros, id] = cursor?.key ?? []
  return pages[cursor?.direction ?? 'first'](tx, { customerId, limit, micros, id })
}

/** The pages of all assets: most calls ask for no others. */
const pages = { first: anyPage(), older: anyPage('older'), newer: anyPage('newer') }

function anyPage(direction?: Cursor['direction']) {
  const cursor = direction && { direction, key: [value<string>('micros'), value<string>('id')] }
  return builtOnce<ShownRow[]>((tx) =>
    selectShown(tx, value('customerId'), [{}, value<number>('limit'), cursor]),
  )
}

function selectShown(tx: Transaction, customerId: CustomerId, page: Page) {
  const { keys, where, order, limit } = pageClauses(customerId, page)
  return tx
    .select({ asset: shownColumns, ...keys })
    .from(assets)
    .where(where)
    .orderBy(order)
    .limit(limit)
}
