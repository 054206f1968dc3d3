'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { listKeys } from '#lib/identity/client.ts'
import type { listKeys as contract } from '#lib/identity/keys/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { Issuer } from './issuer.ts'
import { KeyTable } from './key-table.tsx'

const STATES = [
  { value: 'usable', name: 'Active' },
  { value: 'ended', name: 'Expired' },
]

/** Keys that the caller may see, with their actions. */
export function Keys({
  view,
  maySeeAll,
  issuer,
  tools,
}: {
  view: View
  maySeeAll: boolean
  issuer: Issuer
  tools: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const client = useQueryClient()
  const list = useRef<HTMLDivElement>(null)
  const { data, error, refetch } = useQuery({
    queryKey: listKeys.key({ query: view }),
    queryFn: ({ signal }) => listKeys({ query: view }, signal),
  })
  const onChanged = () => client.invalidateQueries({ queryKey: ['listKeys'] })
  const { whose, state } = requestedView
  const only = (selected: View['state']) =>
    go({ ...(whose ? { whose } : {}), ...(state === selected || !selected ? {} : { state: selected }) })
  const rows = data?.keys ?? []
  return (
    <>
      <FilterBar
        view={requestedView}
        isFiltered={state !== undefined}
        cleared={whose ? { whose } : {}}
        chips={[
          ...(maySeeAll
            ? [
                {
                  legend: 'Whose keys',
                  allName: 'Yours',
                  isAll: whose !== 'all',
                  choices: [{ value: 'all', name: 'All', selected: whose === 'all' }],
                  onAll: () => go(state ? { state } : {}),
                  onToggle: () => go({ whose: 'all', ...(state ? { state } : {}) }),
                },
              ]
            : []),
          {
            legend: 'State',
            allName: null,
            isAll: state === undefined,
            choices: STATES.map((one) => ({ ...one, selected: state === one.value })),
            onToggle: (value) => only(value as View['state']),
          },
        ]}
        onChange={go}
      >
        {tools}
      </FilterBar>
      {error ? <RefreshFailed label="keys" error={error} onRetry={refetch} /> : null}
      <Card className={staleClass(isWaiting)}>
        {/* Receives the focus when the focused element is gone. */}
        <div ref={list} tabIndex={-1} className="rounded-card outline-none">
          {data ? null : <SkeletonRows count={3} />}
          {data && rows.length === 0 ? <NoKeys view={view} /> : null}
          {rows.length > 0 ? (
            <KeyTable
              keys={rows}
              named={view.whose === 'all'}
              pending={isWaiting}
              issuer={issuer}
              onChanged={onChanged}
            />
          ) : null}
        </div>
      </Card>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}

function NoKeys({ view }: { view: View }) {
  const { whose, state, pageToken } = view
  if (pageToken) {
    const first = hrefOf({ ...(whose ? { whose } : {}), ...(state ? { state } : {}) })
    return (
      <EmptyState title="No more keys here" action={<ButtonLink href={first}>Go to the newest</ButtonLink>} />
    )
  }
  if (state === 'ended') return <EmptyState title="No expired keys" />
  return (
    <EmptyState title="No API keys yet">
      A key lets a program read invoices and change licenses through the API.
    </EmptyState>
  )
}

/** Decoded query of `listKeys`, which the screen shows. */
type View = Input<typeof contract>['query']

const { hrefOf, pagesOf } = listScreen<View>('/keys', listKeys.search)
