import 'server-only'
import { and, eq, inArray } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/paging.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import type { AssetSort, Selection } from './selection.ts'
import * as store from './store.ts'
import { type AssetRow, pageClauses } from './store.ts'

/** Most rows per statement: few enough to be garbage soon and not to delay other requests. */
const MAX_ROWS = 250

const COLUMNS: Column<store.AssetRow>[] = [
  { name: 'id', text: ({ id }) => id },
  { name: 'type', text: ({ type }) => type },
  { name: 'name', text: ({ name }) => name },
  { name: 'customerDomain', text: ({ customerDomain }) => customerDomain },
  { name: 'customerID', text: ({ vendorCustomerId }) => vendorCustomerId },
  { name: 'reseller', text: ({ reseller }) => reseller },
  { name: 'createDate', day: ({ createdAt }) => day(createdAt) },
  { name: 'purchasedSeats', number: ({ seatsPurchased }) => seatsPurchased },
  { name: 'maximumSeats', number: ({ seatsMaximum }) => seatsMaximum },
  { name: 'assignedSeats', number: ({ seatsAssigned }) => seatsAssigned },
  { name: 'subscriptionID', text: ({ subscriptionId }) => subscriptionId },
  { name: 'skuID', text: ({ skuId }) => skuId },
  { name: 'skuName', text: ({ skuName }) => skuName },
  { name: 'status', text: ({ status }) => status },
  { name: 'planName', text: ({ planName }) => planName },
  { name: 'isCommitmentPlan', text: ({ isCommitmentPlan: is }) => (is === null ? null : String(is)) },
  { name: 'commitmentStartDate', day: ({ commitmentStart }) => day(commitmentStart) },
  { name: 'commitmentEndDate', day: ({ commitmentEnd }) => day(commitmentEnd) },
  { name: 'renewalType', text: ({ renewalType }) => renewalType },
  { name: 'billingMethod', text: ({ billingMethod }) => billingMethod },
  { name: 'purchaseOrderID', text: ({ purchaseOrderId }) => purchaseOrderId },
]

type Query = Selection & { orderBy?: AssetSort | undefined }

/**
 * Returns the table of all assets of a selection at one moment, newest first by default. The license cells of an asset
 * without licenses are empty.
 */
export function assetsTable(caller: Caller, selection: Query): Table<store.AssetRow> {
  return { columns: COLUMNS, batches: streamScope(caller, (tx) => pages(tx, caller, selection)) }
}

async function* pages(tx: Transaction, { customerId }: Caller, { orderBy, ...selection }: Query) {
  if (orderBy) {
    yield* sortedPages(tx, customerId, selection, { orderBy, size: MAX_ROWS })
    return
  }
  const read = (cursor?: Cursor) => store.listAssets(tx, customerId, selection, MAX_ROWS, cursor)
  for await (const rows of allPages(MAX_ROWS, read, store.keyOf)) yield rows.map(({ asset }) => asset)
}

function day(time: Date | null): string | null {
  return time && dayOf(time.getTime())
}

/**
 * Yields all rows of a selection in an order that has no index, page by page. The ids are sorted once; sorting per page
 * would sort the whole selection for each page.
 */
async function* sortedPages(
  tx: Transaction,
  customerId: CustomerId,
  selection: Selection,
  { orderBy, size }: { orderBy: AssetSort; size: number },
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
