import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { actor, others } from '#lib/platform/history/schemas.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { timeOf, unixTime } from '#lib/platform/lists/parameters.ts'
import { auditEventRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { KIND_NAMES } from './rules.ts'

const text = (description: string) => z.string().meta({ description })
const detail = z.union([z.string(), z.number(), z.array(z.string()), z.null()])

/** Audit event with its actor. An addition to the specified API. */
const AuditEvent = z
  .object({
    id: text('Names the event.'),
    place: z
      .int()
      .optional()
      .meta({ description: 'Its place in the chain of your events. Absent where it has none yet.' }),
    createTime: timeOf('When it happened'),
    action: text(
      `What happened, as \`<thing>.<past verb>\`: session.opened, session.ended, sign-in.failed, key.issued, member.disabled, license-change.applied, export.begun, access.denied, and others.`,
    ),
    subject: text('The id of the thing that it happened to.'),
    actor: actor.meta({ description: 'Who did it.' }),
    requestId: text('The `Request-Id` of the answer, or the id of a job or a command.'),
    session: text('The beginning of the digest of the session.').optional(),
    address: text(
      'The address that the actor called from. Absent where it was no request of theirs.',
    ).optional(),
    browser: text('What their browser or program calls itself, cut after 300 characters.').optional(),
    device: text('The browser and system that `browser` speaks of, in short.').optional(),
    details: z.record(z.string(), detail).meta({ description: `What else is known of it; ${others}` }),
  })
  .meta({ id: 'AuditEvent', description: 'Something that happened, and who did it.' })

export type AuditEvent = z.output<typeof AuditEvent>

const selection = {
  filter: filterText(['kind', 'action', 'actor', 'subject', 'asset'], { kind: KIND_NAMES })
    .optional()
    .meta({
      description: `As in \`kind:sign-ins|exports|actor:<id>\`. Keys: kind (${KIND_NAMES.join(', ')}), action, actor (the id of a member or key), subject, asset (its id: events of the asset and of its license changes). ${FILTER_GRAMMAR}`,
    }),
  minCreationTime: unixTime('events of this time or later'),
  maxCreationTime: unixTime('events of this second or earlier', 999),
}

/** Lists the audit log. An addition to the specified API. */
export const listAuditEvents = contract({
  ...auditEventRoutes.listAuditEvents,
  summary: 'List what happened, newest first',
  permission: 'audit-viewer',
  description:
    'Who did what, when and from where: sign-ins, failed and refused attempts, keys, members, exports, changes. Nothing of it is ever changed; each event has its place in a chain that your reseller can verify. It is kept for 13 months, unless your reseller keeps it longer or shorter.',
  query: z.object({ ...selection, ...paging }),
  output: pageSchema('auditEvents', AuditEvent).meta({
    id: 'AuditEventList',
    description: 'A page of what happened.',
  }),
  examples: examples.listAuditEvents,
})

export const exportAuditEvents = contract({
  ...auditEventRoutes.exportAuditEvents,
  summary: 'All events of a selection as a CSV file',
  permission: 'audit-viewer',
  description: 'All rows that match the filters at one moment, newest first, without a limit.',
  query: z.object({ ...selection, ...dialect }),
  output: csvFile(),
  examples: examples.exportAuditEvents,
})

export const exportAuditEventsXlsx = contract({
  ...auditEventRoutes.exportAuditEventsXlsx,
  summary: 'All events of a selection as a workbook',
  permission: 'audit-viewer',
  description: 'All rows that match the filters at one moment, newest first, without a limit.',
  query: z.object(selection),
  output: xlsxFile(),
  examples: examples.exportAuditEventsXlsx,
})
