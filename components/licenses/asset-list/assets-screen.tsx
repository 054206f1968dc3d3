'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AssetFilters } from '#components/licenses/asset-filters/filter-bar.tsx'
import type { FilterChoices } from '#components/licenses/asset-filters/labels.ts'
import { sortOptions } from '#components/licenses/asset-filters/sort.ts'
import { ColumnsMenu } from '#components/lists/columns/columns-menu.tsx'
import { useColumns } from '#components/lists/columns/use-columns.ts'
import { pagerLabels } from '#components/lists/filters/list-sort.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Card } from '#components/ui/card.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { Pager } from '#components/ui/pager.tsx'
import { SortMenu } from '#components/ui/select-menu.tsx'
import type { listAssets as contract } from '#lib/licenses/assets/contract.ts'
import { listAssets } from '#lib/licenses/client.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { AssetColumn } from '#lib/workspace/list-columns/rules.ts'
import { refetchInterval } from '../assets/one-asset.ts'
import { hrefOf, isFiltered, pagesOf, type View } from '../assets/view.ts'
import { AssetTable, type RowCosts } from './asset-table.tsx'

const NoRows = lazyWithPreload(() =>
  import('#components/lists/filters/no-rows.tsx').then(({ NoRows }) => NoRows<View>),
)

/** List of assets. The address holds the view; the page has put the rows into the query cache. */
export function AssetsScreen({
  query,
  counts,
  choices,
  today,
  customer,
  costs,
  columns: first,
  tools,
}: {
  query: Input<typeof contract>['query']
  counts: readonly { type: string; count: number }[]
  choices: FilterChoices
  /** Present time, in epoch milliseconds. */
  today: number
  customer: string
  costs: RowCosts
  /** Columns that the member has chosen. */
  columns: readonly AssetColumn[]
  /** Further tools: the export. */
  tools: ReactNode
}) {
  const { columns, show } = useColumns('assets', first)
  const { view: _, ...view } = query
  const { requestedView, isWaiting, go } = useView<View>(view, hrefOf)
  const isNarrowed = isFiltered(view)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: listAssets.key({ query }),
    queryFn: ({ signal }) => listAssets({ query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval,
  })
  return (
    <>
      {isNarrowed || counts.length > 0 ? (
        <AssetFilters view={requestedView} counts={counts} choices={choices} today={today} onChange={go}>
          <ViewMenu path="/assets" />
          <ColumnsMenu list="assets" columns={columns} onShow={show} />
          <SortMenu options={sortOptions(requestedView, go)} />
          {tools}
        </AssetFilters>
      ) : null}
      {error ? <RefreshFailed label="assets" error={error} onRetry={() => refetch()} /> : null}
      {data?.assets.length ? (
        <AssetTable
          assets={data.assets}
          view={requestedView}
          onNavigate={go}
          pending={isWaiting || isPlaceholderData}
          costs={costs}
          columns={columns}
        />
      ) : (
        <Card>
          <NoRows
            view={requestedView}
            isFiltered={isNarrowed}
            rowLabels={['asset', 'assets']}
            toFirst="Back to the first page"
            onNavigate={go}
          >
            {`What ${customer} buys appears here as soon as your reseller has set it up.`}
          </NoRows>
        </Card>
      )}
      <Pager {...pagesOf(view, data)} labels={pagerLabels(view.orderBy)} />
    </>
  )
}
