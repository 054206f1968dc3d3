'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { RefreshFailed } from '#components/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Pager } from '#components/ui/pager.tsx'
import type { Input } from '#lib/api/contract.ts'
import type { listAssets as contract } from '#lib/assets/contract.ts'
import { listAssets } from '#lib/assets/queries.ts'
import { AssetFilters, type Narrowing } from './asset-filters.tsx'
import { AssetTable } from './asset-table.tsx'
import type { LastPrice } from './cost.ts'
import { refetchInterval } from './one-asset.ts'

type Query = Input<typeof contract>['query']

/** The list of assets. The address holds what it shows; the page has put the rows into the cache. */
export function AssetsScreen({
  query,
  counts,
  customer,
  lastPrices,
}: {
  query: Query
  counts: readonly { type: string; count: number }[]
  customer: string
  lastPrices: Record<string, LastPrice>
}) {
  const router = useRouter()
  const [isGoing, startTransition] = useTransition()
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: listAssets.key({ query }),
    queryFn: ({ signal }) => listAssets({ query }, signal),
    placeholderData: keepPreviousData,
    refetchInterval,
  })
  const { view: _view, pageToken, ...rest } = query
  const address = (next: Query) => {
    const search = listAssets.search(next)
    return search ? `/assets?${search}` : '/assets'
  }
  const narrow = ({ types, search }: Narrowing) =>
    startTransition(() =>
      router.replace(address({ ...rest, filter: { type: [...types] }, search }), { scroll: false }),
    )
  const narrowing = { types: query.filter?.type ?? [], search: query.search ?? '' }
  const isNarrowed = narrowing.types.length > 0 || narrowing.search !== ''
  const page = (token: string | undefined) => token && address({ ...rest, pageToken: token })

  return (
    <>
      {isNarrowed || counts.length > 0 ? (
        <AssetFilters narrowing={narrowing} counts={counts} onNarrow={narrow} />
      ) : null}
      {error ? <RefreshFailed what="assets" error={error} onRetry={() => refetch()} /> : null}
      {data?.assets.length ? (
        <AssetTable
          assets={data.assets}
          search={listAssets.search({ ...rest, pageToken })}
          busy={isGoing || isPlaceholderData}
          lastPrices={lastPrices}
        />
      ) : (
        <Card>
          <EmptyState
            title={isNarrowed ? 'Nothing matches' : 'No assets yet'}
            action={
              isNarrowed ? (
                <Button onClick={() => narrow({ types: [], search: '' })}>Clear filters</Button>
              ) : null
            }
          >
            {isNarrowed
              ? 'No asset has this name, domain or ID and one of these types.'
              : `What ${customer} buys appears here as soon as your reseller has set it up.`}
          </EmptyState>
        </Card>
      )}
      <Pager newer={page(data?.previousPageToken)} older={page(data?.pageToken)} />
    </>
  )
}
