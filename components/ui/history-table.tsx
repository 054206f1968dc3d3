import type { ReactNode } from 'react'
import { HeadCell, Table, TableBody, TableHead } from './table.tsx'

/** A table of what happened, newest first: when, and what the other `heads` name. */
export function HistoryTable({
  of,
  busy,
  heads,
  children,
}: {
  /** What its rows are, for its name. */
  of: string
  busy: boolean
  heads: ReactNode
  children: ReactNode
}) {
  return (
    // A long reason or name breaks; where even so there is too little room, the columns scroll, not the page.
    <div className="overflow-x-auto max-xl:[&_td]:px-2 max-xl:[&_th]:px-2 max-md:overflow-visible max-md:[&_td]:px-0 max-md:[&_tbody_th]:px-0">
      <Table label={`${of}, newest first`} busy={busy}>
        <TableHead>
          <HeadCell aria-sort="descending">
            When (UTC) <span aria-hidden="true">↓</span>
          </HeadCell>
          {heads}
        </TableHead>
        <TableBody>{children}</TableBody>
      </Table>
    </div>
  )
}
