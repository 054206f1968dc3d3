import { Moment } from '#components/platform/values/times.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { HistoryTable } from '#components/ui/history-table.tsx'
import { Cell, Row, RowHeaderCell, TableHeaderCell } from '#components/ui/table.tsx'
import type { AuditEvent } from '#lib/identity/audit-events/contract.ts'
import { actionText, detailTexts } from './labels.ts'
import { type Names, phraseOf } from './sentences.ts'

type Chooser = { selected: readonly string[]; onActor: (id: string) => void }

/** Events as sentences, newest first, each with a part that opens. Each actor is a filter link to only their events. */
export function EventTable({
  events,
  names,
  pending,
  ...chooser
}: { events: readonly AuditEvent[]; names: Names; pending: boolean } & Chooser) {
  return (
    <HistoryTable
      label="Events"
      pending={pending}
      headers={
        <>
          <TableHeaderCell className="w-full">Event</TableHeaderCell>
          <TableHeaderCell>Source</TableHeaderCell>
        </>
      }
    >
      {events.map((event) => (
        <Row key={event.id}>
          <RowHeaderCell className="align-top max-md:text-sm max-md:text-ink-2 xl:whitespace-nowrap">
            <Moment at={event.createTime} />
          </RowHeaderCell>
          <Cell className="align-top wrap-anywhere md:min-w-64" placement="across">
            <Who event={event} {...chooser} /> {escapeInvisible(phraseOf(event, names))}
            <Details event={event} />
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
  if (selected.includes(actor.id)) return <span className="font-[550]">{who}</span>
  return (
    <button
      type="button"
      // In print the actor is plain text, not a control.
      data-subject=""
      onClick={() => onActor(actor.id)}
      aria-label={`Only what ${who} did`}
      className="rounded-sm text-left font-[550] underline-offset-2 hover:underline"
    >
      {who}
    </button>
  )
}

/** Action, ids and details, collapsed. */
function Details({ event }: { event: AuditEvent }) {
  const { action, subject, requestId } = event
  const texts = [actionText(action), `action ${action}`, `subject ${subject}`, ...detailTexts(event)]
  return (
    <details className="text-xs text-ink-3 print:hidden">
      <summary className="w-fit rounded-sm hover:text-ink-2">Details</summary>
      <ul className="mt-1 grid gap-0.5">
        {[...texts, `request ${requestId}`].map((text) => (
          <li key={text}>{escapeInvisible(text)}</li>
        ))}
      </ul>
    </details>
  )
}

function FromWhere({ event: { address, device, browser } }: { event: AuditEvent }) {
  if (address === undefined) return null
  return (
    <>
      <span className="md:block">{address}</span>
      {device === undefined ? null : (
        <span className="text-xs text-ink-3 max-md:ml-2 md:block" title={browser}>
          {device}
        </span>
      )}
    </>
  )
}
