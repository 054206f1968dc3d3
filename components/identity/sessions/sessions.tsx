'use client'

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import { listSessions } from '#lib/identity/client.ts'
import type { listSessions as contract } from '#lib/identity/sessions/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { SessionTable } from './session-table.tsx'

/** Sessions of the caller and, for callers who may see them, of all members. */
export function Sessions({ view, maySeeAll, tools }: { view: View; maySeeAll: boolean; tools: ReactNode }) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const list = useRef<HTMLDivElement>(null)
  const { data, error, refetch } = useQuery({
    queryKey: listSessions.key({ query: view }),
    queryFn: ({ signal }) => listSessions({ query: view }, signal),
  })
  const isAll = requestedView.whose === 'all'
  const rows = data?.sessions ?? []
  return (
    <>
      <div className="mb-3 flex items-center justify-between gap-2">
        {maySeeAll ? (
          <fieldset className="flex flex-wrap gap-2">
            <legend className="sr-only">Whose sessions</legend>
            <ToggleChip selected={!isAll} onToggle={() => go({})}>
              Yours
            </ToggleChip>
            <ToggleChip selected={isAll} onToggle={() => go({ whose: 'all' })}>
              All
            </ToggleChip>
          </fieldset>
        ) : (
          <span />
        )}
        <div className="flex print:hidden">{tools}</div>
      </div>
      {error ? <RefreshFailed label="sessions" error={error} onRetry={refetch} /> : null}
      <Card className={staleClass(isWaiting)}>
        {/* Receives the focus when the focused row is gone. */}
        <div ref={list} tabIndex={-1} className="rounded-card outline-none">
          {data ? null : <SkeletonRows count={3} />}
          {data && rows.length === 0 ? (
            <EmptyState
              title="No more sessions here"
              action={<ButtonLink href={hrefOf({ whose: view.whose })}>Go to the newest</ButtonLink>}
            />
          ) : null}
          {rows.length > 0 ? (
            <SessionTable
              sessions={rows}
              named={view.whose === 'all'}
              pending={isWaiting}
              onEnded={() => list.current?.focus({ preventScroll: true })}
            />
          ) : null}
        </div>
      </Card>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}

/** Decoded query of `listSessions`, which the screen shows. */
type View = Input<typeof contract>['query']

const { hrefOf, pagesOf } = listScreen<View>('/sessions', listSessions.search)
