import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/paging.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import type { ChangeState } from './rules.ts'
import { CHANGE_STATE_NAMES } from './state-names.ts'
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

const READABLE_COLUMNS: Column<ChangeRow>[] = [
  { name: 'Time (UTC)', width: 18, moment: ({ change }) => change.createdAt },
  { name: 'Product', width: 40, text: ({ assetName }) => assetName },
  { name: 'Platform', width: 22, text: ({ type }) => platformName(type) },
  { name: 'Licenses before', width: 16, number: ({ change }) => change.fromQuantity },
  { name: 'Licenses after', width: 16, number: ({ change }) => change.toQuantity },
  { name: 'Difference', width: 12, number: ({ change }) => change.toQuantity - change.fromQuantity },
  { name: 'Changed by', width: 26, text: ({ change }) => actorText(change) },
  {
    name: 'Outcome',
    width: 24,
    text: ({ change }) => CHANGE_STATE_NAMES[change.state as ChangeState] ?? change.state,
  },
  { name: 'Reason', width: 50, text: ({ change }) => change.vendorReason },
]

/** Returns the name of an actor; API keys and vendors are labeled as such. */
function actorText({ actorKind, actorName }: ChangeRow['change']): string {
  if (actorKind === 'vendor') return `${actorName} (vendor)`
  return actorKind === 'key' ? `API key “${actorName}”` : actorName
}

/**
 * Returns all license changes of a selection from one snapshot, newest first.
 * @param columns `words` for columns for people instead of those of the API
 */
export function changesTable(
  caller: { customerId: CustomerId },
  { columns, ...selection }: ChangeSelection & { columns?: 'words' | undefined },
): Table<ChangeRow> {
  return {
    columns: columns === 'words' ? READABLE_COLUMNS : COLUMNS,
    batches: streamScope(caller, (tx) => pages(tx, caller.customerId, selection)),
  }
}

function pages(tx: Transaction, customerId: CustomerId, selection: ChangeSelection) {
  const read = (cursor?: Cursor) => listLicenseChanges(tx, customerId, selection, { limit: MAX_ROWS, cursor })
  return allPages(MAX_ROWS, read, keyOfChange)
}
