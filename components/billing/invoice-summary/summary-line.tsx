import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { Fragment, useId, useState } from 'react'
import { hrefOf, statesOf, type View } from '#components/billing/invoices/view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import { GoLink } from '#components/ui/go-link.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import type { InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import { InvoiceTotals } from './invoice-totals.tsx'
import { statGroups } from './stat-groups.ts'

const StatCards = lazyWithPreload(
  () => import('./stat-cards.tsx').then((part) => part.StatCards),
  () => <div className="h-32" />,
)
const BilledPlot = lazyWithPreload(
  () => import('#components/billing/billed-months/plot.tsx').then((part) => part.BilledPlot),
  () => <div className="h-12" />,
)

const LINE =
  'flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 text-sm text-ink-2 tabular-nums max-md:px-3.5'

/** Line that reserves the height of the figures. */
export function SummaryLineSkeleton() {
  return (
    <div role="status" className={LINE}>
      <span className="sr-only">Adding up…</span>
      <span aria-hidden="true" className="appear-late h-4 w-72 max-w-full rounded-control bg-sunken" />
    </div>
  )
}

/**
 * Sums of a view in one line: the number of invoices, their total, the past-due amounts, and the difference of the newest
 * month. It opens the figures per currency and the amounts billed per month.
 */
export function SummaryLine({
  summary,
  view,
  onNavigate,
}: {
  summary: InvoiceSummary
  view: View
  onNavigate: (view: View) => void
}) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const isOwed = statesOf(view).includes('issued')
  const preload = () => {
    StatCards.preload()
    BilledPlot.preload()
  }
  const hasStats = isOwed && !view.product && summary.count > 0
  const change = hasStats ? newestChange(summary, view) : undefined
  const overdue = hasStats ? summary.currencies.filter(({ pastDue }) => pastDue.count > 0) : []
  return (
    <>
      <div className={summary.count === 0 ? 'sr-only' : LINE}>
        <InvoiceTotals summary={summary} isOwed={isOwed} />
        {hasStats ? (
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            {overdue.length > 0 ? (
              <span className="max-lg:hidden">
                Past due{' '}
                {overdue.slice(0, MAX_OVERDUE).map(({ currency, pastDue }, index) => (
                  <Fragment key={currency}>
                    {index > 0 ? ' · ' : ''}
                    <PastDue
                      text={`${formatAmount(pastDue.amountText ?? pastDue.amount, currency)} ${currency}`}
                      view={pastDueView(view, currency)}
                      onNavigate={onNavigate}
                    />
                  </Fragment>
                ))}
              </span>
            ) : null}
            {change?.explained ? (
              <Link
                href={change.explained}
                prefetch={false}
                className="rounded-sm whitespace-nowrap text-ink-2 underline decoration-line-2 underline-offset-2 hover:text-ink hover:decoration-current"
              >
                <span className="sr-only">Explain: </span>
                {change.text}
              </Link>
            ) : null}
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              onPointerEnter={preload}
              onFocus={preload}
              onClick={() => setIsOpen(!isOpen)}
              className="-mr-1.5 inline-flex items-center gap-1 rounded-sm px-1.5 py-1 font-medium text-ink hover:underline max-md:py-2"
            >
              Figures
              <ChevronRight
                aria-hidden="true"
                className={`size-4 text-ink-3 transition-transform duration-120 motion-reduce:transition-none ${isOpen ? 'rotate-90' : ''}`}
              />
            </button>
          </span>
        ) : null}
      </div>
      {isOpen && hasStats ? (
        <div id={id} className="border-b border-line">
          <StatCards summary={summary} view={view} onNavigate={onNavigate} />
          <BilledPlot currencies={summary.currencies} view={view} onNavigate={onNavigate} />
        </div>
      ) : null}
    </>
  )
}

/** Returns how the newest month differs from the one before, in the first currency that has both. */
function newestChange(summary: InvoiceSummary, view: View) {
  return statGroups(summary, view)
    .flatMap(({ currency, stats }) =>
      stats.flatMap(({ change }) =>
        change
          ? [{ ...change, text: summary.currencies.length > 1 ? `${currency} ${change.text}` : change.text }]
          : [],
      ),
    )
    .find(({ explained }) => explained)
}

/** Number of currencies in the line. */
const MAX_OVERDUE = 2

function pastDueView(view: View, currency: string): View {
  return withValues(withValues(view, 'status', ['PAST DUE']), 'currency', [currency])
}

/** Link to the invoices that are past due in one currency. */
function PastDue({ text, view, onNavigate }: { text: string; view: View; onNavigate: (view: View) => void }) {
  return (
    <GoLink
      href={hrefOf(view)}
      onNavigate={() => onNavigate(view)}
      className="rounded-sm font-medium whitespace-nowrap text-danger underline-offset-2 hover:underline"
    >
      {text}
    </GoLink>
  )
}
