import { useCallback, useState } from 'react'
import type { FilterChoices } from '#components/billing/invoice-filters/choices.ts'
import { type LateAnswer, LateSummary } from '#components/billing/invoice-summary/late-summary.tsx'
import { changed } from '#components/lists/filters/view.ts'
import { Card } from '#components/ui/card.tsx'
import { dimmed } from '#components/ui/dimmed.ts'
import { later } from '#components/ui/later.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import type { InvoiceColumn } from '#lib/workspace/list-columns/rules.ts'
import { isFiltered, statesOf, type View } from '../invoices/view.ts'
import { InvoiceTable } from './invoice-table.tsx'
import { InvoiceTotals } from './invoice-totals.tsx'

const NoRows = later(() => import('#components/lists/filters/no-rows.tsx').then(({ NoRows }) => NoRows<View>))
const Ticked = later(() => import('./ticked.tsx').then(({ Ticked }) => Ticked))

/**
 * The rows of a page, their sums, and what is done with those that are ticked. What is ticked is known here and not above, so
 * that a tick draws neither filters nor figures again.
 */
export function InvoiceList({
  invoices,
  view,
  wanted,
  choices,
  today,
  columns,
  figures,
  isWaiting,
  onGo,
}: {
  /** None while they are on their way for the first time. */
  invoices: readonly Invoice[] | undefined
  /** What they were selected by, and what was asked for since. */
  view: View
  wanted: View
  choices: FilterChoices
  /** In epoch milliseconds. */
  today: number
  columns: readonly InvoiceColumn[]
  figures: LateAnswer
  isWaiting: boolean
  onGo: (view: View) => void
}) {
  // Kept from page to page, and while the filters change.
  const [ticked, setTicked] = useState<string[]>([])
  const tick = useCallback(
    (id: string) =>
      setTicked((before) => (before.includes(id) ? before.filter((other) => other !== id) : [...before, id])),
    [],
  )
  const isOwed = statesOf(view).includes('issued')
  return (
    <>
      <Card aria-busy={isWaiting} className={dimmed(isWaiting)}>
        <LateSummary answer={figures} view={view}>
          {({ summary }) => <InvoiceTotals summary={summary} isOwed={isOwed} />}
        </LateSummary>
        {!invoices ? <SkeletonRows count={8} /> : null}
        {invoices?.length === 0 ? (
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            what={['invoice', 'invoices']}
            toFirst="Back to the start"
            instead={amongProducts(view)}
            onGo={onGo}
          >
            <p>They appear here as soon as they are issued to one of your billing profiles.</p>
          </NoRows>
        ) : null}
        {invoices && invoices.length > 0 ? (
          <InvoiceTable
            invoices={invoices}
            view={wanted}
            choices={choices}
            columns={columns}
            today={today}
            busy={isWaiting}
            onGo={onGo}
            ticked={ticked}
            onTick={tick}
          />
        ) : null}
      </Card>
      {ticked.length > 0 ? <Ticked ids={ticked} invoices={invoices ?? []} onChange={setTicked} /> : null}
    </>
  )
}

/** Numbers and issuers are searched, and what is billed has a filter: who looks for it in the wrong place is led there. */
function amongProducts({ search, product, ...rest }: View) {
  if (!search || product) return undefined
  return { name: 'Look among products', view: changed(rest as View, { product: search }) }
}
