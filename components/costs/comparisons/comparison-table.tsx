import type { ReactNode } from 'react'
import { DIFFERENCE_TABLE } from '#components/costs/difference-table.ts'
import { Card } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Differences, the largest effect first, and their sum. `smaller` differences and `unchanged` lines are collapsed. */
export function ComparisonTable({
  headers,
  changes,
  smaller,
  unchanged,
  differences,
}: {
  headers: SideHeaders
  changes: readonly ChangeView[]
  smaller: readonly ChangeView[]
  unchanged: readonly ChangeView[]
  differences: readonly DifferenceView[]
}) {
  return (
    <Card className="overflow-hidden">
      {changes.length > 0 ? (
        <ComparisonLines label="Differences" headers={headers} lines={changes} differences={differences} />
      ) : (
        <EmptyState title="No line is different">
          <p>Each line has the same quantity and price on both invoices.</p>
        </EmptyState>
      )}
      {smaller.length > 0 ? (
        <Disclosure name={`${smaller.length.toLocaleString('en')} smaller differences`}>
          <ComparisonLines label="Smaller differences" headers={headers} lines={smaller} />
        </Disclosure>
      ) : null}
      {unchanged.length > 0 ? (
        <Disclosure name={`${unchanged.length.toLocaleString('en')} unchanged`}>
          <ComparisonLines label="Unchanged lines" headers={headers} lines={unchanged} />
        </Disclosure>
      ) : null}
    </Card>
  )
}

type ComparisonSide = { amount: string; product: string }
/** Lines that bill the same product, as text; missing details are an empty text. */
export type ChangeView = {
  description: string
  /** Description on the first invoice, where it differs. */
  formerly: string | undefined
  details: string
  /** Kind of the change: `Added`, `Price and quantity`. */
  kind: string
  from: ComparisonSide | undefined
  to: ComparisonSide | undefined
  effect: string
  /** Reasons of the difference, if any are known. */
  notes: readonly string[]
}
/** Sums of both invoices, and their difference; the sums may be empty. */
export type DifferenceView = { label: string; from: string; to: string; effect: string }

/** Column headers of the two invoices. */
type SideHeaders = { from: ReactNode; to: ReactNode }

/** Lines of two invoices next to each other, with a row of sums if `differences` has them. */
function ComparisonLines({
  label,
  headers,
  lines,
  differences = [],
}: {
  label: string
  headers: SideHeaders
  lines: readonly ChangeView[]
  differences?: readonly DifferenceView[]
}) {
  return (
    <table aria-label={label} className={DIFFERENCE_TABLE}>
      <thead>
        <tr>
          <th scope="col" className="md:w-2/5">
            Line
          </th>
          <th scope="col" className="wide">
            Change
          </th>
          <th scope="col" className="n wide">
            {headers.from}
          </th>
          <th scope="col" className="n wide">
            {headers.to}
          </th>
          <th scope="col" className="n">
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ description, formerly, details, kind, from, to, effect, notes }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
          <tr key={index}>
            <th scope="row">
              {escapeInvisible(description)}
              {formerly ? <small>Before: {escapeInvisible(formerly)}</small> : null}
              {details ? <small>{escapeInvisible(details)}</small> : null}
              {notes.map((note) => (
                <span key={note} className="block text-xs text-info tabular-nums">
                  {escapeInvisible(note)}
                </span>
              ))}
              <small className="small">
                {kind}: {from ? from.product : 'none'} → {to ? to.product : 'none'}
              </small>
            </th>
            <td className="wide text-sm text-ink-2">{kind}</td>
            <Amount side={from} />
            <Amount side={to} />
            <td className="n font-[550]">{effect}</td>
          </tr>
        ))}
      </tbody>
      {differences.length > 0 ? (
        <tfoot>
          {differences.map(({ label: name, from, to, effect }) => (
            <tr key={name}>
              <th scope="row" colSpan={2} className="max-md:hidden">
                {name}
              </th>
              <th scope="row" className="md:hidden">
                {name}
                {from || to ? (
                  <small>
                    {from} → {to}
                  </small>
                ) : null}
              </th>
              <td className="n wide">{from}</td>
              <td className="n wide">{to}</td>
              <td className="n">{effect}</td>
            </tr>
          ))}
        </tfoot>
      ) : null}
    </table>
  )
}

function Amount({ side }: { side: ComparisonSide | undefined }) {
  return (
    <td className="n wide">
      {side ? (
        <>
          {side.amount}
          <small>{side.product}</small>
        </>
      ) : (
        <span className="text-ink-3">–</span>
      )}
    </td>
  )
}
