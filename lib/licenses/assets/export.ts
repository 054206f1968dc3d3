import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages } from '#lib/platform/lists/keyset.ts'
import type { Cursor } from '#lib/platform/lists/page-token.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import type { Selection } from './list/conditions.ts'
import { allInOrder } from './list/in-order.ts'
import type { AssetOrder } from './list/order.ts'
import * as store from './store.ts'

/** Rows of one statement: so few that they are gone again soon, and keep no other request waiting. */
const MOST_ROWS = 250

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

type Query = Selection & { orderBy?: AssetOrder | undefined }

/** All assets that a selection holds at one moment, in its order, newest first unless told. Without licenses, those cells are empty. */
export function assetsTable(caller: Caller, selection: Query): Table<store.AssetRow> {
  return { columns: COLUMNS, batches: streamScope(caller, (tx) => pages(tx, caller, selection)) }
}

async function* pages(tx: Transaction, { customerId }: Caller, { orderBy, ...selection }: Query) {
  if (orderBy) {
    yield* allInOrder(tx, customerId, selection, { orderBy, size: MOST_ROWS })
    return
  }
  const read = (cursor?: Cursor) => store.listAssets(tx, customerId, selection, MOST_ROWS, cursor)
  for await (const rows of allPages(MOST_ROWS, read, store.keyOf)) yield rows.map(({ asset }) => asset)
}

function day(time: Date | null): string | null {
  return time && dayOf(time.getTime())
}
