'use client'

import { useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useOptimistic, useTransition } from 'react'
import { RefreshFailed } from '#components/problem/refresh-failed.tsx'
import { ActiveFilters } from '#components/ui/active-filters.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { listLicenseChanges } from '#lib/license-changes/queries.ts'
import { isOpen } from '#lib/license-changes/rules.ts'
import { ActivityFilters } from './activity-filters.tsx'
import { activeFilters, changed, cleared, hrefOf, isFiltered, type View } from './activity-view.ts'
import { ChangeTable } from './change-table.tsx'

/**
 * The changes of licenses that a view selects. Whatever is changed here only leads to another address; the
 * page brings the answers along. `today` is the present time in epoch milliseconds.
 */
export function Activity({ view, today }: { view: View; today: number }) {
  const router = useRouter()
  const [isWaiting, startTransition] = useTransition()
  // The controls show at once what was pressed; the old rows stay until the new ones are there.
  const [wanted, setWanted] = useOptimistic(view)
  const { data, error, refetch } = useQuery({
    queryKey: listLicenseChanges.key({ query: view }),
    queryFn: ({ signal }) => listLicenseChanges({ query: view }, signal),
    // While one of them waits for its outcome.
    refetchInterval: ({ state: { data } }) =>
      data?.licenseChanges.some(({ state }) => isOpen(state)) ? 4000 : false,
  })
  const go = (next: View) =>
    startTransition(() => {
      setWanted(next)
      router.push(hrefOf(next), { scroll: false })
    })
  const page = (pageToken: string | undefined) => pageToken && hrefOf({ ...view, pageToken })
  const rows = data?.licenseChanges ?? []
  return (
    <>
      <ActivityFilters view={wanted} today={today} onChange={go} />
      <ActiveFilters active={activeFilters(wanted, rows, today)} cleared={cleared(wanted)} onChange={go} />
      {error ? <RefreshFailed what="changes" error={error} onRetry={refetch} /> : null}
      <Card className={`transition-opacity delay-150 duration-120 ${isWaiting ? 'opacity-60' : ''}`}>
        {data ? null : <SkeletonRows count={8} />}
        {data && rows.length === 0 ? <NoChanges view={view} onGo={go} /> : null}
        {rows.length > 0 ? <ChangeTable changes={rows} named busy={isWaiting} /> : null}
      </Card>
      <Pager newer={page(data?.previousPageToken)} older={page(data?.pageToken)} />
    </>
  )
}

function NoChanges({ view, onGo }: { view: View; onGo: (view: View) => void }) {
  if (view.pageToken) {
    const action = <Button onClick={() => onGo(changed(view, {}))}>Go to the newest</Button>
    return <EmptyState title="No more changes here" action={action} />
  }
  if (isFiltered(view)) {
    const action = <Button onClick={() => onGo(cleared(view))}>Clear filters</Button>
    return (
      <EmptyState title="Nothing matches" action={action}>
        <p>No change fits all of the filters. Take one away, or choose a longer time.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No changes yet">
      <p>Who changes how many licenses, here or through the API, appears with its outcome.</p>
    </EmptyState>
  )
}
