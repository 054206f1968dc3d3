import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/paging.ts'
import { serializeAuditEvent } from './serialize.ts'
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

/** Yields the same events as lines of JSON, page by page, with their digests: the chain can be verified offline. */
export async function* eventLines(caller: { customerId: CustomerId }): AsyncGenerator<string> {
  for await (const rows of eventPages(caller, {}))
    yield rows
      .map((row) => `${JSON.stringify({ ...serializeAuditEvent(row), digest: row.digest })}\n`)
      .join('')
}

/** Returns the newest events, with their wire format. */
export async function newestEvents(customerId: CustomerId, kind: string | undefined, limit: number) {
  const filter = kind === undefined ? {} : { kind: [kind] }
  const rows = await readScope({ customerId }, (tx) => listEvents(tx, customerId, { filter }, { limit }))
  return rows.map((row) => ({ row, event: serializeAuditEvent(row) }))
}

function eventPages(caller: { customerId: CustomerId }, selection: EventSelection) {
  return streamScope(caller, (tx) => pages(tx, caller.customerId, selection))
}

function pages(tx: Transaction, customerId: CustomerId, selection: EventSelection) {
  const read = (cursor?: Cursor) => listEvents(tx, customerId, selection, { limit: MAX_ROWS, cursor })
  return allPages(MAX_ROWS, read, keyOfEvent)
}
