import type { ReactNode } from 'react'
import { Table, TableBody, TableHeader, TableHeaderCell } from './table.tsx'

/** Table of a history, newest first: the time, and the other columns in `headers`. */
export function HistoryTable({
  label,
  pending,
  headers,
  children,
}: {
  /** Accessible name of the table. */
  label: string
  pending: boolean
  headers: ReactNode
  children: ReactNode
}) {
  return (
    // Long reasons and names wrap; if there is still too little room, the columns scroll, not the page.
    <div className="overflow-x-auto max-md:overflow-visible">
      <Table label={`${label}, newest first`} pending={pending}>
        <TableHeader>
          <TableHeaderCell aria-sort="descending">
            When (UTC) <span aria-hidden="true">↓</span>
          </TableHeaderCell>
          {headers}
        </TableHeader>
        <TableBody>{children}</TableBody>
      </Table>
    </div>
  )
}
