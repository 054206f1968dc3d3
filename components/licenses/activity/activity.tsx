'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { choiceFilter } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { ListCard } from '#components/lists/filters/list-card.tsx'
import { type Choice, logFilters } from '#components/lists/filters/log-filters.ts'
import { NoRows } from '#components/lists/filters/no-rows.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { whoText } from '#components/platform/values/who.ts'
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
            <p>License changes appear here with their outcome, whether made here or through the API.</p>
          </NoRows>
        }
      >
        <ChangeTable changes={rows} named pending={isWaiting} />
      </ListCard>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}

/** Filters by time, outcome, person and product. */
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
  /** Visible rows, whose persons and products can be chosen, too. */
  rows: readonly LicenseChange[]
  today: number
  onChange: (view: View) => void
  children: ReactNode
}) {
  const { week, when, person, product } = logFilters(view, {
    range: rangeOf(view),
    today,
    people: [...people, ...rows.map(({ actor }) => ({ id: actor.id, name: whoText(actor) }))],
    products: [...products, ...rows.map(({ assetId, assetName }) => ({ id: assetId, name: assetName }))],
    onRange: (range) => onChange(withRange(view, range)),
    onChange,
  })
  return (
    <FilterBar
      view={view}
      isFiltered={isFiltered(view)}
      chips={[week]}
      main={[
        when,
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
        person,
        product,
      ]}
      active={activeFilters(view)}
      onChange={onChange}
    >
      <ViewMenu path="/activity" />
      {children}
    </FilterBar>
  )
}
