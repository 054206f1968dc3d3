import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/keyset.ts'
import { type ChangeRow, type ChangeSelection, keyOfChange, listLicenseChanges } from './store/list.ts'

/** Rows of one statement. */
const MAX_ROWS = 250

const COLUMNS: Column<ChangeRow>[] = [
  { name: 'time', moment: ({ change }) => change.createdAt },
  { name: 'assetId', text: ({ change }) => change.assetId },
  { name: 'assetName', text: ({ assetName }) => assetName },
  { name: 'type', text: ({ type }) => type },
  { name: 'from', number: ({ change }) => change.fromQuantity },
  { name: 'to', number: ({ change }) => change.toQuantity },
  { name: 'difference', number: ({ change }) => change.toQuantity - change.fromQuantity },
  { name: 'state', text: ({ change }) => change.state },
  { name: 'vendorReason', text: ({ change }) => change.vendorReason },
  { name: 'actorKind', text: ({ change }) => change.actorKind },
  { name: 'actorId', text: ({ change }) => change.actorId },
  { name: 'actorName', text: ({ change }) => change.actorName },
  { name: 'settleTime', moment: ({ change }) => change.settledAt },
  { name: 'acknowledgedTime', moment: ({ change }) => change.acknowledgedAt },
  { name: 'acknowledgedBy', text: ({ change }) => change.acknowledgedByName },
  { name: 'id', text: ({ change }) => change.id },
]

/** Returns all license changes of a selection from one snapshot, newest first. */
export function changesTable(
  caller: { customerId: CustomerId },
  selection: ChangeSelection,
): Table<ChangeRow> {
  return { columns: COLUMNS, batches: streamScope(caller, (tx) => pages(tx, caller.customerId, selection)) }
}

function pages(tx: Transaction, customerId: CustomerId, selection: ChangeSelection) {
  const read = (cursor?: Cursor) => listLicenseChanges(tx, customerId, selection, { limit: MAX_ROWS, cursor })
  return allPages(MAX_ROWS, read, keyOfChange)
}
