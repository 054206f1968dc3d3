'use client'

import type { ReactNode } from 'react'
import { filtersOf } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { platformOption } from '#components/lists/filters/platform-option.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { cleared } from '#components/lists/filters/view.ts'
import { Money } from '#components/platform/values/money.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { RenewalList } from '#lib/costs/renewals/contract.ts'
import { periodText, plansText } from '#lib/costs/renewals/format.ts'
import { quarterOf } from '#lib/platform/values/days.ts'
import { MonthStrip } from './month-strip.tsx'
import { RenewalTable } from './renewal-table.tsx'
import { hrefOf, isFiltered, type View } from './view.ts'

/** Year of months, and the plans whose commitment ends in them. The address holds the view. */
export function RenewalsScreen({ view, list, tools }: { view: View; list: RenewalList; tools: ReactNode }) {
  const { requestedView, isWaiting, go } = useView<View>(view, hrefOf)
  const { months, types, renewals, isWhole, today, ...money } = list
  const narrow = (next: View) => go(next, 'replace')
  if (types.length === 0 && !isFiltered(view)) return <NothingEnds />
  return (
    <>
      <FilterBar
        view={requestedView}
        isFiltered={isFiltered(requestedView)}
        chips={[quarterChip(requestedView, today, narrow)]}
        main={[filtersOf(requestedView, narrow)('type', platformOption(types))]}
        active={activePeriods(requestedView, today)}
        onChange={narrow}
      >
        {tools}
      </FilterBar>
      <MonthStrip months={months} view={requestedView} onNavigate={narrow} />
      {isWhole ? null : (
        <p className="mb-3 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
          These are the 1,000 plans whose commitment ends first.
        </p>
      )}
      <RenewalSums {...money} view={view} count={renewals.length} />
      {renewals.length > 0 ? (
        <RenewalTable
          renewals={renewals}
          hasPrices={money.unpriced !== undefined}
          today={today}
          pending={isWaiting}
        />
      ) : (
        <Card>
          <EmptyState
            title="Nothing matches"
            action={<Button onClick={() => narrow(cleared(view))}>Clear filters</Button>}
          >
            <p>No commitment of these types ends then.</p>
          </EmptyState>
        </Card>
      )}
    </>
  )
}

/** Returns the filter for the next calendar quarter, a chip. */
function quarterChip({ month: _, quarter, ...view }: View, today: number, onChange: (view: View) => void) {
  const next = quarterOf(today, 1)
  const selected = quarter === next
  return {
    legend: 'Period',
    allName: null,
    isAll: !selected,
    choices: [{ value: next, name: 'Next quarter', selected }],
    onToggle: () => onChange(selected ? view : { ...view, quarter: next }),
  }
}

/** Returns the month of a view, which the strip sets, and a quarter without a control, as active filters. */
function activePeriods(view: View, today: number) {
  const { month, quarter, ...others } = view
  const nameOf = (period: Parameters<typeof periodText>[0]) => periodText(period).replace(/^in /, '')
  return [
    ...(month === undefined ? [] : [{ text: nameOf({ month }), without: { ...others, quarter } }]),
    ...(quarter === undefined || quarter === quarterOf(today, 1)
      ? []
      : [{ text: nameOf({ quarter }), without: { ...others, month } }]),
  ]
}

function NothingEnds() {
  return (
    <Card>
      <EmptyState title="No commitment ends in the next 12 months">
        <p>Plans appear here a year before their commitment ends.</p>
      </EmptyState>
    </Card>
  )
}

type RenewalSumsProps = Pick<RenewalList, 'sums' | 'unpriced'> & {
  view: View
  /** Number of plans below. */
  count: number
}

/** Number of plans below and, for members who may see prices, their annual costs per currency. */
function RenewalSums({ sums, unpriced = 0, view, count }: RenewalSumsProps) {
  return (
    <div className="mb-3 flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-2">
      <p role="status" className="font-[550] text-ink">
        {plansText(count)} {periodText(view)}
      </p>
      {sums.length + unpriced > 0 ? (
        <ul aria-label="In a year, at the last prices" className="contents">
          {sums.map(({ currency, amount, idleAmount }) => (
            <li key={currency}>
              <span className="font-[550] text-ink">
                <Money amount={amount} currency={currency} />
              </span>{' '}
              a year at the last prices
              {idleAmount > 0 ? (
                <>
                  , <Money amount={idleAmount} currency={currency} /> of it unassigned
                </>
              ) : null}
            </li>
          ))}
          {unpriced > 0 ? (
            <li>
              {plansText(unpriced)} {unpriced === 1 ? 'has' : 'have'} no annual price.
            </li>
          ) : null}
        </ul>
      ) : null}
    </div>
  )
}
