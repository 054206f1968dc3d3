'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { choiceFilter, dateFilter } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { LastWeek } from '#components/lists/filters/last-week.tsx'
import { ListCard } from '#components/lists/filters/list-card.tsx'
import { NoRows } from '#components/lists/filters/no-rows.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { valuesOf, withValues } from '#components/lists/filters/view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { type Choice, InlineSelect } from '#components/ui/inline-select.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { listLicenseChanges } from '#lib/licenses/client.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { ChangeTable } from './change-table.tsx'
import {
  activeFilters,
  hasOutcome,
  hrefOf,
  isFiltered,
  OUTCOMES,
  pagesOf,
  rangeOf,
  toggledOutcome,
  type View,
  withRange,
} from './view.ts'

/** Actors and assets of the newest changes. */
type Choices = { people: readonly Choice[]; products: readonly Choice[] }

/**
 * License changes that a view selects. Each change of the view navigates to another address; the page brings the
 * answers. `today` is the present time in epoch milliseconds.
 */
export function Activity({
  view,
  today,
  tools,
  ...choices
}: { view: View; today: number; tools: ReactNode } & Choices) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const { data, error, refetch } = useQuery({
    queryKey: listLicenseChanges.key({ query: view }),
    queryFn: ({ signal }) => listLicenseChanges({ query: view }, signal),
    // Only while a change waits for its outcome.
    refetchInterval: ({ state: { data } }) =>
      data?.licenseChanges.some(({ state }) => isOpen(state)) ? 4000 : false,
  })
  const rows = data?.licenseChanges ?? []
  return (
    <>
      <ActivityFilters view={requestedView} rows={rows} today={today} onChange={go} {...choices}>
        {tools}
      </ActivityFilters>
      {error ? <RefreshFailed label="changes" error={error} onRetry={refetch} /> : null}
      <ListCard
        count={data?.licenseChanges.length}
        pending={isWaiting}
        none={
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            rowLabels={['change', 'changes']}
            toFirst="Go to the newest"
            onNavigate={go}
          >
            <p>Who changes how many licenses, here or through the API, appears with its outcome.</p>
          </NoRows>
        }
      >
        <ChangeTable changes={rows} named pending={isWaiting} />
      </ListCard>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}

/** Filters by time and outcome. */
function ActivityFilters({
  view,
  rows,
  today,
  people,
  products,
  onChange,
  children,
}: Choices & {
  view: View
  /** Visible rows: they have the name of the filtered asset. */
  rows: readonly LicenseChange[]
  today: number
  onChange: (view: View) => void
  children: ReactNode
}) {
  return (
    <FilterBar
      view={view}
      isFiltered={isFiltered(view)}
      main={[
        dateFilter({
          label: 'When',
          range: rangeOf(view),
          today,
          onChange: (range) => onChange(withRange(view, range)),
        }),
        choiceFilter({
          label: 'Outcome',
          several: 'outcomes',
          options: OUTCOMES.map(({ name }) => name),
          selected: OUTCOMES.filter((outcome) => hasOutcome(view, outcome)).map(({ name }) => name),
          onToggle: (name) => {
            const outcome = OUTCOMES.find((one) => one.name === name)
            if (outcome) onChange(toggledOutcome(view, outcome))
          },
          onClear: () => onChange(withValues(view, 'state', [])),
        }),
      ]}
      quick={
        <>
          <LastWeek
            range={rangeOf(view)}
            today={today}
            onChange={(range) => onChange(withRange(view, range))}
          />
          <InlineSelect
            label="Person"
            all="Everyone"
            choices={people}
            value={valuesOf(view, 'actor')}
            onChange={(ids) => onChange(withValues(view, 'actor', ids))}
          />
          <InlineSelect
            label="Product"
            all="All products"
            choices={products}
            value={valuesOf(view, 'asset')}
            onChange={(ids) => onChange(withValues(view, 'asset', ids))}
          />
        </>
      }
      active={activeFilters(view, rows)}
      onChange={onChange}
    >
      <ViewMenu path="/activity" />
      {children}
    </FilterBar>
  )
}
