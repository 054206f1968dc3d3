import { Moment } from '#components/platform/values/times.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { HistoryTable } from '#components/ui/history-table.tsx'
import { Cell, Row, RowHeaderCell, TableHeaderCell } from '#components/ui/table.tsx'
import type { AuditEvent } from '#lib/identity/audit-events/contract.ts'
import { actionText, detailTexts, subjectText } from './labels.ts'

type Chooser = { selected: readonly string[]; onActor: (id: string) => void }

/** Events, newest first. Each actor is a filter link to only their events. */
export function EventTable({
  events,
  pending,
  ...chooser
}: { events: readonly AuditEvent[]; pending: boolean } & Chooser) {
  return (
    <HistoryTable
      label="Events"
      pending={pending}
      headers={
        <>
          <TableHeaderCell>Who</TableHeaderCell>
          <TableHeaderCell>What</TableHeaderCell>
          <TableHeaderCell>Source</TableHeaderCell>
        </>
      }
    >
      {events.map((event) => (
        <Row key={event.id}>
          <RowHeaderCell className="align-top max-md:text-sm max-md:text-ink-2 xl:whitespace-nowrap">
            <Moment at={event.createTime} />
          </RowHeaderCell>
          <Cell
            className="align-top wrap-anywhere max-md:text-right md:min-w-28 xl:min-w-40"
            placement="right-1"
          >
            <Who event={event} {...chooser} />
          </Cell>
          <Cell className="align-top wrap-anywhere md:min-w-64" placement="across">
            <What event={event} />
          </Cell>
          <Cell
            className="align-top text-sm wrap-anywhere text-ink-2 md:min-w-36 max-md:empty:hidden"
            placement="across"
          >
            <FromWhere event={event} />
          </Cell>
        </Row>
      ))}
    </HistoryTable>
  )
}

function Who({ event: { actor }, selected, onActor }: { event: AuditEvent } & Chooser) {
  const who = whoText(actor)
  if (selected.includes(actor.id)) return who
  return (
    <button
      type="button"
      // In print the actor is plain text, not a control.
      data-subject=""
      onClick={() => onActor(actor.id)}
      aria-label={`Only what ${who} did`}
      className="rounded-sm text-left underline-offset-2 hover:underline max-md:text-right"
    >
      {who}
    </button>
  )
}

function What({ event }: { event: AuditEvent }) {
  const details = detailTexts(event)
  const subject = subjectText(event)
  return (
    <>
      <span className="block font-[550]">{actionText(event.action)}</span>
      {subject === undefined ? null : (
        <span className="block text-sm text-ink-2">{escapeInvisible(subject)}</span>
      )}
      {details.length > 0 ? (
        <span className="block text-xs text-ink-3">{escapeInvisible(details.join(' · '))}</span>
      ) : null}
    </>
  )
}

function FromWhere({ event: { address, device, browser } }: { event: AuditEvent }) {
  if (address === undefined) return null
  return (
    <>
      <span className="block tabular-nums">{address}</span>
      {device === undefined ? null : (
        <span className="block text-xs text-ink-3" title={browser}>
          {device}
        </span>
      )}
    </>
  )
}
