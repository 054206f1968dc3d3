'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BilledPlot } from '#components/billing/billed-months/plot.tsx'
import type { FilterChoices } from '#components/billing/invoice-filters/choices.ts'
import { FilterBar } from '#components/billing/invoice-filters/filter-bar.tsx'
import { StatCards } from '#components/billing/invoice-summary/stat-cards.tsx'
import {
  StatCardsError,
  StatCardsSkeleton,
} from '#components/billing/invoice-summary/stat-cards-fallback.tsx'
import {
  type PendingSummary,
  StreamedSummary,
} from '#components/billing/invoice-summary/streamed-summary.tsx'
import { ColumnsMenu } from '#components/lists/columns/columns-menu.tsx'
import { useColumns } from '#components/lists/columns/use-columns.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Card } from '#components/ui/card.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { listInvoices } from '#lib/billing/client.ts'
import type { DocumentState } from '#lib/billing/invoices/rules.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { pagerLabels } from '../invoices/sort.ts'
import { hrefOf, pagesOf, statesOf, type View } from '../invoices/view.ts'
import { InvoiceList } from './invoice-list.tsx'
import { redundantColumns } from './invoice-table.tsx'

/**
 * List of the invoices that a view selects. Each change of the view navigates to another address; the page brings the
 * answers, the figures' later than the list's. `today` is the present time in epoch milliseconds. The filters come
 * first, because they apply to both.
 */
export function Invoices({
  view,
  choices,
  today,
  columns: first,
  pendingSummary,
  products,
}: {
  view: View
  choices: FilterChoices
  today: number
  /** Columns that the member has chosen. */
  columns: readonly InvoiceColumn[]
  pendingSummary: PendingSummary
  /** Months of the product that the view names; replaces the figures. */
  products: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const { columns, show } = useColumns('invoices', first)
  const list = useQuery({
    queryKey: listInvoices.key({ query: view }),
    queryFn: ({ signal }) => listInvoices({ query: view }, signal),
  })
  const invoices = list.data?.invoices ?? []
  const states = statesOf(view)
  const isOwed = states.includes('issued')
  const hasStats = isOwed && !products
  return (
    <>
      <FilterBar view={requestedView} choices={choices} rows={invoices} today={today} onChange={go}>
        <ColumnsMenu list="invoices" columns={columns} without={redundantColumns(choices)} onShow={show} />
      </FilterBar>
      {isOwed ? null : <NotOwed states={states} />}
      {products}
      <StreamedSummary answer={pendingSummary} view={view} fallback={hasStats ? <StatCardsSkeleton /> : null}>
        {({ summary, failed, pending, retry }) =>
          failed ? (
            <StatCardsError failed={failed} onRetry={retry} />
          ) : hasStats && summary && summary.count > 0 ? (
            <Card aria-busy={isWaiting || pending} className={`mb-3.5 ${staleClass(isWaiting || pending)}`}>
              <StatCards summary={summary} view={view} onNavigate={go} />
              <BilledPlot currencies={summary.currencies} view={view} onNavigate={go} />
            </Card>
          ) : null
        }
      </StreamedSummary>
      {list.error ? (
        <RefreshFailed label="invoices" error={list.error} onRetry={() => list.refetch()} />
      ) : null}
      <InvoiceList
        invoices={list.data?.invoices}
        view={view}
        requestedView={requestedView}
        choices={choices}
        today={today}
        columns={columns}
        pendingSummary={pendingSummary}
        pending={isWaiting}
        onNavigate={go}
      />
      <Pager {...pagesOf(view, list.data)} labels={pagerLabels(view.orderBy)} />
    </>
  )
}

/** Explains why a list of drafts or voided invoices has no figures of amounts due. */
function NotOwed({ states }: { states: readonly DocumentState[] }) {
  return (
    <p className="mb-4 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
      {states.includes('draft')
        ? 'Drafts are not billed yet: their charges may change until they are issued. '
        : ''}
      {states.includes('voided') ? 'Voided documents are valid no more, and kept for the record. ' : ''}
      Nothing of these is owed.
    </p>
  )
}
