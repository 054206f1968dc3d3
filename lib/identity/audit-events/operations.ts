import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { pageOf, readPageToken } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import * as contract from './contract.ts'
import { eventsTable } from './export.ts'
import { serializeAuditEvent } from './serialize.ts'
import { EventKey, keyOfEvent, listEvents } from './store.ts'

export const listAuditEvents = operation(contract.listAuditEvents, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'audit-events', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, EventKey) : undefined
  const rows = await readScope(caller, (tx) =>
    listEvents(tx, caller.customerId, selection, { limit: maxResults + 1, cursor }),
  )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: keyOfEvent,
    list: filters,
  })
  const auditEvents = pageRows.map(serializeAuditEvent)
  return { body: { ...links, auditEvents, rowCount: auditEvents.length } }
})

export const exportAuditEvents = operation(contract.exportAuditEvents, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(dated('audit-events'), eventsTable(caller, selection), { separator, decimal })
})

export const exportAuditEventsXlsx = operation(contract.exportAuditEventsXlsx, async (caller, { query }) =>
  xlsxReply(dated('audit-events'), 'Events', eventsTable(caller, query)),
)
