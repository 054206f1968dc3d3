'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { FilterChoices } from '#components/billing/invoice-filters/choices.ts'
import { InvoiceFilters } from '#components/billing/invoice-filters/filter-bar.tsx'
import type { PendingSummary } from '#components/billing/invoice-summary/streamed-summary.tsx'
import { ColumnsMenu } from '#components/lists/columns/columns-menu.tsx'
import { useColumns } from '#components/lists/columns/use-columns.ts'
import { pagerLabels } from '#components/lists/filters/list-sort.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SortMenu } from '#components/ui/select-menu.tsx'
import { listInvoices } from '#lib/billing/client.ts'
import type { DocumentState } from '#lib/billing/invoices/rules.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { sortOptions } from '../invoices/sort.ts'
import { hrefOf, pagesOf, statesOf, type View } from '../invoices/view.ts'
import { ExportInvoices } from './export-invoices.tsx'
import { InvoiceList } from './invoice-list.tsx'
import { redundantColumns } from './invoice-table.tsx'

/**
 * List of the invoices that a view selects. Each change of the view navigates to another address; the page brings the
 * answers, the sums' later than the list's. `today` is the present time in epoch milliseconds.
 */
export function Invoices({
  view,
  choices,
  today,
  columns: first,
  pendingSummary,
  products,
  tools,
}: {
  view: View
  choices: FilterChoices
  today: number
  /** Columns that the member has chosen. */
  columns: readonly InvoiceColumn[]
  pendingSummary: PendingSummary
  /** Months of the product that the view names; replaces the figures. */
  products: ReactNode
  /** Further tools. */
  tools: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const { columns, show } = useColumns('invoices', first)
  const list = useQuery({
    queryKey: listInvoices.key({ query: view }),
    queryFn: ({ signal }) => listInvoices({ query: view }, signal),
  })
  const states = statesOf(view)
  const isOwed = states.includes('issued')
  return (
    <>
      <InvoiceFilters view={requestedView} choices={choices} today={today} onChange={go}>
        <ViewMenu path="/invoices" />
        <ColumnsMenu list="invoices" columns={columns} without={redundantColumns(choices)} onShow={show} />
        <SortMenu options={sortOptions(requestedView, go)} />
        <ExportInvoices view={view} today={today} pendingSummary={pendingSummary} />
        {tools}
      </InvoiceFilters>
      {isOwed ? null : <NotOwed states={states} />}
      {products}
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
      {states.includes('voided') ? 'Voided documents are no longer valid, and kept for your records. ' : ''}
      Nothing of these is owed.
    </p>
  )
}
