'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActiveFilters } from '#components/filters/active-filters.tsx'
import { NoRows } from '#components/filters/no-rows.tsx'
import { useView } from '#components/filters/use-view.ts'
import { cleared, selectionOf } from '#components/filters/view.ts'
import { BilledPlot } from '#components/invoice-summary/billed-plot.tsx'
import { Figures } from '#components/invoice-summary/figures.tsx'
import { RefreshFailed } from '#components/problem/refresh-failed.tsx'
import { Card } from '#components/ui/card.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { listInvoices, summarizeInvoices } from '#lib/invoices/queries.ts'
import { activeFilters } from './active-filters.ts'
import { FilterBar } from './filter-bar.tsx'
import { InvoiceTable } from './invoice-table.tsx'
import { InvoiceTotals } from './invoice-totals.tsx'
import { NotOwed } from './not-owed.tsx'
import { pageWords } from './order.ts'
import { Ticked } from './ticked.tsx'
import { hrefOf, isFiltered, pagesOf, statesOf, type View } from './view.ts'

/**
 * The list of invoices that a view selects. Whatever is changed here only leads to another address; the page
 * brings the answers along. `today` is the present time in epoch milliseconds.
 */
export function Invoices({ view, today }: { view: View; today: number }) {
  const { wanted, isWaiting, go } = useView(view, hrefOf)
  // Kept from page to page, and while the filters change.
  const [ticked, setTicked] = useState<string[]>([])
  const selection = selectionOf(view)
  const list = useQuery({
    queryKey: listInvoices.key({ query: view }),
    queryFn: ({ signal }) => listInvoices({ query: view }, signal),
  })
  const summary = useQuery({
    queryKey: summarizeInvoices.key({ query: selection }),
    queryFn: ({ signal }) => summarizeInvoices({ query: selection }, signal),
  })
  const invoices = list.data?.invoices ?? []
  const waiting = `transition-opacity delay-150 duration-120 ${isWaiting ? 'opacity-60' : ''}`
  const states = statesOf(view)
  const isOwed = states.includes('issued')
  const failed = list.error ?? summary.error
  return (
    <>
      {isOwed ? null : <NotOwed states={states} />}
      {isOwed && summary.data && summary.data.count > 0 ? (
        <div className={waiting}>
          <Figures summary={summary.data} view={view} onGo={go} />
          <BilledPlot currencies={summary.data.currencies} view={view} onGo={go} />
        </div>
      ) : null}
      <FilterBar view={wanted} rows={invoices} today={today} onChange={go} />
      <ActiveFilters active={activeFilters(wanted, today)} cleared={cleared(wanted)} onChange={go} />
      {failed ? (
        <RefreshFailed
          what="invoices"
          error={failed}
          onRetry={() => Promise.all([list.refetch(), summary.refetch()])}
        />
      ) : null}
      <Card className={waiting}>
        <InvoiceTotals summary={summary.data} isOwed={isOwed} />
        {!list.data ? <SkeletonRows count={8} /> : null}
        {list.data && invoices.length === 0 ? (
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            what={['invoice', 'invoices']}
            toFirst="Go to the first page"
            onGo={go}
          >
            <p>They appear here as soon as they are issued to one of your billing profiles.</p>
          </NoRows>
        ) : null}
        {invoices.length > 0 ? (
          <InvoiceTable
            invoices={invoices}
            view={wanted}
            today={today}
            busy={isWaiting}
            onGo={go}
            ticked={ticked}
            onTick={(id) =>
              setTicked(ticked.includes(id) ? ticked.filter((other) => other !== id) : [...ticked, id])
            }
          />
        ) : null}
      </Card>
      <Ticked ids={ticked} invoices={invoices} onChange={setTicked} />
      <Pager {...pagesOf(view, list.data)} words={pageWords(view.orderBy)} />
    </>
  )
}
