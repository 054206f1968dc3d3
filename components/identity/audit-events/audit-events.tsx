'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { filtersOf } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { ListCard } from '#components/lists/filters/list-card.tsx'
import { type Choice, logFilters } from '#components/lists/filters/log-filters.ts'
import { NoRows } from '#components/lists/filters/no-rows.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { valuesOf, withValues } from '#components/lists/filters/view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { whoText } from '#components/platform/values/who.ts'
import { Pager } from '#components/ui/pager.tsx'
import { KIND_NAMES } from '#lib/identity/audit-events/rules.ts'
import { listAuditEvents } from '#lib/identity/client.ts'
import { EventTable } from './event-table.tsx'
import { KIND_TEXTS } from './labels.ts'
import type { Names } from './sentences.ts'
import { activeFilters, hrefOf, isFiltered, pagesOf, rangeOf, type View, withRange } from './view.ts'

/**
 * Audit events that a view selects. Each change of the view navigates to another address; the page brings the answers.
 * `today` is the present time in epoch milliseconds.
 */
export function AuditEvents({
  view,
  today,
  names,
  people,
  products,
  tools,
}: {
  view: View
  today: number
  /** Names of the events' subjects. */
  names: Names
  /** Actors of the newest events, and assets of the newest license changes. */
  people: readonly Choice[]
  products: readonly Choice[]
  tools: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const { data, error, refetch } = useQuery({
    queryKey: listAuditEvents.key({ query: view }),
    queryFn: ({ signal }) => listAuditEvents({ query: view }, signal),
  })
  const rows = data?.auditEvents ?? []
  const { week, when, person, product } = logFilters(requestedView, {
    range: rangeOf(requestedView),
    today,
    people: [...people, ...rows.map(({ actor }) => ({ id: actor.id, name: whoText(actor) }))],
    products: [...products, ...valuesOf(requestedView, 'asset').map((id) => ({ id, name: names[id] ?? id }))],
    onRange: (range) => go(withRange(requestedView, range)),
    onChange: go,
  })
  return (
    <>
      <FilterBar
        view={requestedView}
        isFiltered={isFiltered(requestedView)}
        chips={[week]}
        main={[
          when,
          filtersOf(requestedView, go)('kind', {
            label: 'About',
            several: 'kinds',
            options: KIND_NAMES,
            nameOf: (kind) => KIND_TEXTS[kind as keyof typeof KIND_TEXTS] ?? kind,
          }),
          person,
          product,
        ]}
        active={activeFilters(requestedView)}
        onChange={go}
      >
        <ViewMenu path="/activity/events" />
        {tools}
      </FilterBar>
      {error ? <RefreshFailed label="events" error={error} onRetry={refetch} /> : null}
      <ListCard
        count={data?.auditEvents.length}
        pending={isWaiting}
        none={
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            rowLabels={['event', 'events']}
            toFirst="Go to the newest"
            onNavigate={go}
          >
            <p>
              Sign-ins, exports, and changes to licenses, keys and members appear here, with person and
              source.
            </p>
          </NoRows>
        }
      >
        <EventTable
          events={rows}
          names={names}
          pending={isWaiting}
          selected={valuesOf(requestedView, 'actor')}
          onActor={(id) => go(withValues(requestedView, 'actor', [id]))}
        />
      </ListCard>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}
