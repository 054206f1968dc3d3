import { Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import type { Session } from '#lib/identity/sessions/contract.ts'
import { EndSession } from './end-session.tsx'

/** Sessions, newest first; `named` adds the member. `onEnded` is called after a session has ended. */
export function SessionTable({
  sessions,
  named,
  pending,
  onEnded,
}: {
  sessions: readonly Session[]
  named: boolean
  pending: boolean
  onEnded: () => void
}) {
  return (
    <Table label="Sessions, newest first" pending={pending}>
      <TableHeader>
        {named ? <TableHeaderCell>Who</TableHeaderCell> : null}
        <TableHeaderCell>Device</TableHeaderCell>
        <TableHeaderCell>Address</TableHeaderCell>
        <TableHeaderCell aria-sort="descending">
          Signed in (UTC) <span aria-hidden="true">↓</span>
        </TableHeaderCell>
        <TableHeaderCell>Last seen (UTC)</TableHeaderCell>
        <TableHeaderCell right>
          <span className="sr-only">Sign out</span>
        </TableHeaderCell>
      </TableHeader>
      <TableBody>
        {sessions.map((session) => (
          <Row key={session.id}>
            {named ? (
              <Cell placement="across" className="wrap-anywhere md:min-w-40">
                <span className="block font-[550]">{escapeInvisible(session.member.name)}</span>
                <span className="block text-xs text-ink-3">{session.member.email}</span>
              </Cell>
            ) : null}
            <RowHeaderCell className="wrap-anywhere md:min-w-36">
              <span className={named ? '' : 'font-[550]'}>{session.device}</span>
            </RowHeaderCell>
            <Cell className="wrap-anywhere text-ink-2 max-md:text-sm md:min-w-32">
              {session.address ?? 'Unknown'}
            </Cell>
            <Cell placement="across" className="text-ink-2 max-md:text-sm">
              <span className="text-ink-3 md:hidden">Signed in </span>
              <Moment at={session.createTime} />
            </Cell>
            <Cell placement="across" className="text-ink-2 max-md:text-sm">
              <span className="text-ink-3 md:hidden">Last seen </span>
              <Moment at={session.lastSeenTime} />
            </Cell>
            <Cell placement={named ? 'right-2' : 'right'} right className="max-md:row-span-2">
              {session.isCurrent ? (
                <Badge tone="ok">This device</Badge>
              ) : (
                <EndSession session={session} named={named} onEnded={onEnded} />
              )}
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}
