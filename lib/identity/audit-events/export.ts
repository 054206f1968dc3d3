import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/keyset.ts'
import { type EventRow, type EventSelection, keyOfEvent, listEvents } from './store.ts'

const MAX_ROWS = 250

const COLUMNS: Column<EventRow>[] = [
  { name: 'time', moment: ({ at }) => at },
  { name: 'action', text: ({ action }) => action },
  { name: 'subject', text: ({ subject }) => subject },
  { name: 'actorKind', text: ({ actorKind }) => actorKind },
  { name: 'actorID', text: ({ actorId }) => actorId },
  { name: 'actorName', text: ({ actorName }) => actorName },
  { name: 'session', text: ({ session }) => session },
  { name: 'address', text: ({ address }) => address },
  { name: 'browser', text: ({ agent }) => agent },
  { name: 'requestID', text: ({ requestId }) => requestId },
  { name: 'details', text: ({ details }) => JSON.stringify(details) },
  { name: 'id', text: ({ id }) => id },
  { name: 'place', number: ({ seq }) => seq },
  { name: 'digest', text: ({ digest }) => digest },
]

/** Returns all events of a selection from one snapshot, newest first. */
export function eventsTable(caller: { customerId: CustomerId }, selection: EventSelection): Table<EventRow> {
  return { columns: COLUMNS, batches: eventPages(caller, selection) }
}

/** Like `exportEvents`, but returns rows. */
export function eventPages(caller: { customerId: CustomerId }, selection: EventSelection) {
  return streamScope(caller, (tx) => pages(tx, caller.customerId, selection))
}

function pages(tx: Transaction, customerId: CustomerId, selection: EventSelection) {
  const read = (cursor?: Cursor) => listEvents(tx, customerId, selection, { limit: MAX_ROWS, cursor })
  return allPages(MAX_ROWS, read, keyOfEvent)
}
