import { useCallback, useState } from 'react'
import type { FilterChoices } from '#components/billing/invoice-filters/choices.ts'
import {
  type PendingSummary,
  StreamedSummary,
} from '#components/billing/invoice-summary/streamed-summary.tsx'
import { SummaryLine, SummaryLineSkeleton } from '#components/billing/invoice-summary/summary-line.tsx'
import { changed } from '#components/lists/filters/view.ts'
import { Card } from '#components/ui/card.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { isFiltered, type View } from '../invoices/view.ts'
import { InvoiceTable } from './invoice-table.tsx'

const NoRows = lazyWithPreload(() =>
  import('#components/lists/filters/no-rows.tsx').then(({ NoRows }) => NoRows<View>),
)
const StatsError = lazyWithPreload(() =>
  import('#components/billing/invoice-summary/stats-error.tsx').then(({ StatsError }) => StatsError),
)
const SelectedInvoices = lazyWithPreload(() =>
  import('./selected-invoices.tsx').then(({ SelectedInvoices }) => SelectedInvoices),
)

/**
 * Rows of a page, their sums, and the actions on the selected rows. The selection is state of this component and not of
 * its parent, so that selecting a row draws neither filters nor figures again.
 */
export function InvoiceList({
  invoices,
  view,
  requestedView,
  choices,
  today,
  columns,
  pendingSummary,
  pending,
  onNavigate,
}: {
  /** Invoices of the page; undefined during the first load. */
  invoices: readonly Invoice[] | undefined
  /** View that selected the invoices, and the view requested since. */
  view: View
  requestedView: View
  choices: FilterChoices
  /** Present time, in epoch milliseconds. */
  today: number
  columns: readonly InvoiceColumn[]
  pendingSummary: PendingSummary
  pending: boolean
  onNavigate: (view: View) => void
}) {
  // Kept from page to page, and while the filters change.
  const [selectedIds, setSelectedIds] = useState<string[]>([])
  const tick = useCallback(
    (id: string) =>
      setSelectedIds((before) =>
        before.includes(id) ? before.filter((other) => other !== id) : [...before, id],
      ),
    [],
  )
  return (
    <>
      <Card aria-busy={pending} className={staleClass(pending)}>
        <StreamedSummary answer={pendingSummary} view={view} fallback={<SummaryLineSkeleton />}>
          {({ summary, failed, pending: isStale, retry }) =>
            failed ? (
              <StatsError failed={failed} onRetry={retry} />
            ) : summary ? (
              <div aria-busy={isStale} className={staleClass(isStale)}>
                <SummaryLine summary={summary} view={view} onNavigate={onNavigate} />
              </div>
            ) : null
          }
        </StreamedSummary>
        {!invoices ? <SkeletonRows count={8} /> : null}
        {invoices?.length === 0 ? (
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            rowLabels={['invoice', 'invoices']}
            toFirst="Back to the first page"
            instead={suggestProductFilter(view)}
            onNavigate={onNavigate}
          >
            <p>They appear here as soon as they are issued to one of your billing profiles.</p>
          </NoRows>
        ) : null}
        {invoices && invoices.length > 0 ? (
          <InvoiceTable
            invoices={invoices}
            view={requestedView}
            choices={choices}
            columns={columns}
            today={today}
            pending={pending}
            onNavigate={onNavigate}
            selectedIds={selectedIds}
            onTick={tick}
          />
        ) : null}
      </Card>
      {selectedIds.length > 0 ? (
        <SelectedInvoices ids={selectedIds} invoices={invoices ?? []} onChange={setSelectedIds} />
      ) : null}
    </>
  )
}

/**
 * Returns the view with the search moved to the product filter. The search covers numbers and issuers, so a member who
 * searches for a product is led to its filter.
 */
function suggestProductFilter({ search, product, ...rest }: View) {
  if (!search || product) return undefined
  return { name: 'Search in products', view: changed(rest as View, { product: search }) }
}
