import 'server-only'
import { and, eq, inArray } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { type AssetRow, pageClauses } from '../store.ts'
import type { Selection } from './conditions.ts'
import type { AssetOrder } from './order.ts'

/**
 * All rows of a selection in an order that no index has, so many at a time. It is sorted once, by ids alone: page by page
 * the whole would be sorted for each.
 */
export async function* allInOrder(
  tx: Transaction,
  customerId: CustomerId,
  selection: Selection,
  { orderBy, size }: { orderBy: AssetOrder; size: number },
): AsyncGenerator<AssetRow[], void, undefined> {
  const { where, order } = pageClauses(customerId, [selection, 0, undefined, orderBy])
  const ids = await tx.select({ id: assets.id }).from(assets).where(where).orderBy(order)
  for (let at = 0; at < ids.length; at += size) {
    const some = ids.slice(at, at + size).map(({ id }) => id)
    const rows = await tx
      .select()
      .from(assets)
      .where(and(eq(assets.customerId, customerId), inArray(assets.id, some)))
    const byId = new Map(rows.map((row) => [row.id, row]))
    yield some.flatMap((id) => byId.get(id) ?? [])
  }
}
