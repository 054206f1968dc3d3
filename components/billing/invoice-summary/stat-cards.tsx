import Link from 'next/link'
import { useState } from 'react'
import { hrefOf, type View } from '#components/billing/invoices/view.ts'
import { Button } from '#components/ui/button.tsx'
import { GoLink } from '#components/ui/go-link.tsx'
import { ROLE } from '#components/ui/table.tsx'
import type { InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import type { Stat } from '../invoices/stat.ts'
import { type StatGroup, statGroups } from './stat-groups.ts'

// Container query, not media query: the side bar takes room from the table. A row per currency where its amounts fit
// next to each other; else its figures form a grid of their own.
const TABLE =
  '@max-fig:block @max-fig:[&_tbody]:block w-full border-collapse tabular-nums @fig:[&_thead_th]:border-b @fig:[&_thead_th]:border-line @fig:[&_thead_th]:py-1.75'
const ROW =
  'border-b border-line last:border-b-0 @max-fig:not-data-collapsed:grid @phone:@max-fig:data-[collapsed=phone]:grid print:@max-fig:grid not-print:data-[collapsed=always]:hidden not-print:@max-phone:data-[collapsed=phone]:hidden @max-fig:gap-x-3 @max-fig:gap-y-2 @max-fig:px-4 @max-fig:py-2.5'
/** Column widths that fit the longest amount, so that the amounts of all currencies are aligned. */
const COLUMNS = {
  usual: '@max-fig:grid-cols-[repeat(auto-fit,minmax(min(7rem,100%),1fr))]',
  long: '@max-fig:grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))]',
}
const CELL = '@fig:px-3 @fig:py-2 @fig:text-right @max-fig:block @max-fig:min-w-0'
/** Number of currencies shown at first: more lines would leave no room for the invoices. Phones show one. */
const INITIAL_CURRENCIES = 3
const HEADER_CLASS = 'px-3 text-xs font-medium whitespace-nowrap text-ink-3'

/** Outstanding, late, soon due and newly billed amounts of the view: a line per currency, never added together. */
export function StatCards({
  summary,
  view,
  onNavigate,
}: {
  summary: InvoiceSummary
  view: View
  onNavigate: Navigate
}) {
  const [isOpen, setIsOpen] = useState(false)
  const sets = statGroups(summary, view)
  const [first] = sets
  const columns = sets.some(hasLong) ? COLUMNS.long : COLUMNS.usual
  if (!first) return null
  return (
    <section aria-label="Figures" className="@container">
      <div className="overflow-x-auto">
        <table {...ROLE.table} aria-label="Figures per currency" className={TABLE}>
          <thead {...ROLE.rowgroup} className="@max-fig:sr-only">
            <tr {...ROLE.row}>
              <th {...ROLE.columnheader} scope="col" className={`${HEADER_CLASS} @fig:pl-4 text-left`}>
                Currency
              </th>
              {first.stats.map(({ name }) => (
                <th
                  key={name}
                  {...ROLE.columnheader}
                  scope="col"
                  className={`${HEADER_CLASS} text-right last:pr-4`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...ROLE.rowgroup}>
            {sets.map((set, index) => (
              <Line
                key={set.currency}
                {...set}
                onNavigate={onNavigate}
                className={columns}
                collapsed={isOpen ? undefined : collapsedAt(index)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {isOpen ? null : (
        <>
          <More count={sets.length - 1} className="@phone:hidden" onOpen={() => setIsOpen(true)} />
          <More
            count={sets.length - INITIAL_CURRENCIES}
            className="@max-phone:hidden"
            onOpen={() => setIsOpen(true)}
          />
        </>
      )}
    </section>
  )
}

function hasLong({ currency, stats }: StatGroup): boolean {
  return stats.some(({ amount }) => formatAmount(amount, currency).length > 13)
}

/** Returns where the row of a currency is hidden at first. */
function collapsedAt(index: number): 'always' | 'phone' | undefined {
  if (index >= INITIAL_CURRENCIES) return 'always'
  return index > 0 ? 'phone' : undefined
}

function More({ count, className, onOpen }: { count: number; className: string; onOpen: () => void }) {
  if (count <= 0) return null
  return (
    <div className={`border-t border-line px-1 print:hidden ${className}`}>
      <Button variant="quiet" onClick={onOpen}>
        {count === 1 ? 'Show 1 more currency' : `Show ${count} more currencies`}
      </Button>
    </div>
  )
}

function Line({
  currency,
  stats,
  onNavigate,
  className,
  collapsed,
}: StatGroup & { onNavigate: Navigate; className: string; collapsed: 'always' | 'phone' | undefined }) {
  return (
    <tr {...ROLE.row} data-collapsed={collapsed} className={`${ROW} ${className}`}>
      <th
        {...ROLE.rowheader}
        scope="row"
        className="text-left font-semibold @fig:w-16 @fig:px-4 @max-fig:block @max-fig:col-span-full @max-fig:text-xs"
      >
        {currency}
      </th>
      {stats.map((stat) => (
        <td
          key={stat.name}
          {...ROLE.cell}
          className={`${CELL} @fig:last:pr-4 ${stat.name === 'Total' ? '@max-phone:hidden' : ''}`}
        >
          <span className="block text-xs text-ink-3 @fig:hidden">{stat.name}</span>
          <span
            className={`block font-semibold whitespace-nowrap ${stat.isPastDue ? 'text-danger' : ''} ${stat.amount === 0 ? 'font-normal text-ink-3' : ''}`}
          >
            {formatAmount(stat.amount, currency)}
            <span className="sr-only"> {currency}</span>
          </span>
          <span className="block text-xs text-ink-3">
            <StatNote stat={stat} currency={currency} onNavigate={onNavigate} />
          </span>
        </td>
      ))}
    </tr>
  )
}

type Navigate = (view: View) => void

/** Note below a figure, with a link to its invoices. */
function StatNote({
  stat: { name, note, more, view, change },
  currency,
  onNavigate,
}: {
  stat: Stat
  currency: string
  onNavigate: Navigate
}) {
  if (!view) return note
  return (
    <>
      <GoLink
        href={hrefOf(view)}
        onNavigate={() => onNavigate(view)}
        className="rounded-sm text-ink-2 underline decoration-line-2 underline-offset-2 hover:text-ink hover:decoration-current"
      >
        <span className="sr-only">
          {name}, {currency}:{' '}
        </span>
        {note}
      </GoLink>
      {more ? `, ${more}` : null}
      {change ? <Change {...change} /> : null}
    </>
  )
}

/** Difference to the month before, with a link to its explanation. */
function Change({ text, explained }: NonNullable<Stat['change']>) {
  if (!explained) return `, ${text}`
  return (
    <>
      {', '}
      <Link
        href={explained}
        prefetch={false}
        className="rounded-sm text-ink-2 underline decoration-line-2 underline-offset-2 hover:text-ink hover:decoration-current"
      >
        <span className="sr-only">Explain: </span>
        {text}
      </Link>
    </>
  )
}
