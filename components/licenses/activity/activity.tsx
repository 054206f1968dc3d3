'use client'

import { useQuery } from '@tanstack/react-query'
import { ListCard } from '#components/lists/filters/list-card.tsx'
import { NoRows } from '#components/lists/filters/no-rows.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { listLicenseChanges } from '#lib/licenses/client.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { ActivityFilters } from './activity-filters.tsx'
import { ChangeTable } from './change-table.tsx'
import { hrefOf, isFiltered, pagesOf, type View } from './view.ts'

/**
 * The changes of licenses that a view selects. Whatever is changed here only leads to another address; the
 * page brings the answers along. `today` is the present time in epoch milliseconds.
 */
export function Activity({ view, today }: { view: View; today: number }) {
  const { wanted, isWaiting, go } = useView(view, hrefOf)
  const { data, error, refetch } = useQuery({
    queryKey: listLicenseChanges.key({ query: view }),
    queryFn: ({ signal }) => listLicenseChanges({ query: view }, signal),
    // While one of them waits for its outcome.
    refetchInterval: ({ state: { data } }) =>
      data?.licenseChanges.some(({ state }) => isOpen(state)) ? 4000 : false,
  })
  const rows = data?.licenseChanges ?? []
  return (
    <>
      <ActivityFilters view={wanted} rows={rows} today={today} onChange={go} />
      {error ? <RefreshFailed what="changes" error={error} onRetry={refetch} /> : null}
      <ListCard
        count={data?.licenseChanges.length}
        isWaiting={isWaiting}
        none={
          <NoRows
            view={view}
            isFiltered={isFiltered(view)}
            what={['change', 'changes']}
            toFirst="Go to the newest"
            onGo={go}
          >
            <p>Who changes how many licenses, here or through the API, appears with its outcome.</p>
          </NoRows>
        }
      >
        <ChangeTable changes={rows} named busy={isWaiting} />
      </ListCard>
      <Pager {...pagesOf(view, data)} />
    </>
  )
}
