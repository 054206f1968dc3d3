import { Day } from '#components/platform/values/times.tsx'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import type { Lines } from './seat-chart.tsx'
import { seatDays } from './seat-steps.ts'

/** Data of the plot as a table: a row for each day on which one of the two lines changed. Collapsed at first. */
export function SeatTable({ purchased, assigned }: Lines) {
  const count = (seats: number | undefined) => (seats === undefined ? 'Unknown' : seats.toLocaleString('en'))
  return (
    <details className="-mx-4 mt-1 border-t border-line not-open:print:hidden">
      <summary className="px-4 py-2.5 text-sm text-ink-2 hover:text-ink">Show as table</summary>
      {/* A row per day with a change: the table scrolls, not the page below. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse it is scrolled by keys
        tabIndex={0}
        aria-label="Seats by day"
        className="max-h-80 overflow-y-auto border-t border-line -outline-offset-2"
      >
        <Table label="Purchased and assigned licenses at the end of each day with a change, newest first">
          <TableHeader>
            <TableHeaderCell aria-sort="descending">
              Day (UTC) <span aria-hidden="true">↓</span>
            </TableHeaderCell>
            <TableHeaderCell right>Purchased</TableHeaderCell>
            <TableHeaderCell right>Assigned</TableHeaderCell>
            <TableHeaderCell right>Unassigned</TableHeaderCell>
          </TableHeader>
          <TableBody>
            {seatDays(purchased, assigned).map(({ day, ...seats }) => (
              <Row key={day}>
                <RowHeaderCell className="max-md:row-span-3">
                  <Day at={day} />
                </RowHeaderCell>
                <Cell placement="right-1" right number>
                  {count(seats.purchased)}
                  <Unit text="purchased" />
                </Cell>
                <Cell placement="right-2" right number>
                  {count(seats.assigned)}
                  <Unit text="assigned" />
                </Cell>
                <Cell placement="right-3" right number className="text-ink-3">
                  {idle(seats)}
                  <Unit text="unassigned" />
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      </section>
    </details>
  )
}

function idle({ purchased, assigned }: { purchased: number | undefined; assigned: number | undefined }) {
  if (purchased === undefined || assigned === undefined) return '–'
  return Math.max(0, purchased - assigned).toLocaleString('en')
}

/** Unit of a number where the column headers are hidden. */
function Unit({ text }: { text: string }) {
  return (
    <span aria-hidden="true" className="text-ink-3 md:hidden">
      {' '}
      {text}
    </span>
  )
}
