'use client'

import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent, ReactNode } from 'react'
import { factsOf, type Subscription } from '#components/licenses/assets/labels.ts'
import { ChangeNote } from '#components/licenses/license-changes/change-note.tsx'
import { useLicenseEdit } from '#components/licenses/license-changes/use-license-edit.ts'
import { useRefreshAfterChange } from '#components/licenses/license-changes/use-refresh-after-change.ts'
import { LicenseReview } from '#components/licenses/license-reviews/later-review.ts'
import { LicenseControl } from '#components/licenses/license-reviews/license-control.tsx'
import { MoreMenu } from '#components/ui/more-menu.tsx'
import { PageHead } from '#components/ui/page-head.tsx'
import { visible } from '#components/ui/visible.ts'
import { platformName } from '#lib/billing/invoices/rules.ts'
import type { Idle } from '#lib/costs/idle-licenses/rules.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { readAsset } from '#lib/licenses/client.ts'
import { AssetStatus } from '../assets/asset-status.tsx'
import { type List, oneAsset, refetchInterval } from '../assets/one-asset.ts'
import { IdleNote } from './idle-note.tsx'

type Given = {
  item: AssetListItem
  /** The list view that the breadcrumb leads back to. */
  back: string
  lastPrice: LastPrice | undefined
  idle: Idle | undefined
  /** A total that the address names, to begin its review with. */
  proposed: number | undefined
}

/** What an asset is, and the control of its licenses. The page has put the asset into the cache. */
export function AssetHead(given: Given) {
  const { item } = given
  const { data } = useQuery({
    queryKey: oneAsset.key(item.id),
    queryFn: ({ signal, client, queryKey }) =>
      oneAsset.read(client.getQueryData<List>(queryKey)?.assets[0] ?? item, signal),
    refetchInterval,
  })
  const present = data?.assets[0] ?? item
  const subscription = present.properties?.subscription
  return subscription ? (
    <Licensed {...given} item={present} subscription={subscription} />
  ) : (
    <Head {...given} />
  )
}

function Licensed({
  item,
  subscription,
  back,
  lastPrice,
  idle,
  proposed,
}: Given & { subscription: Subscription }) {
  const edit = useLicenseEdit(item, factsOf(subscription), proposed)
  useRefreshAfterChange(item.openChange?.id)
  const open = edit.open && !edit.isPending
  const isFree = !edit.open && !edit.isPending && edit.waitUntil === undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) edit.discard()
  }
  const control = (
    <div className="md:text-right">
      <LicenseControl item={item} subscription={subscription} edit={edit} isTold />
    </div>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape only repeats what the button Discard does
    <div onKeyDown={onKeyDown}>
      <Head item={item} back={back} controls={control} badge={<AssetStatus status={subscription.Status} />} />
      {open ? (
        <div className="-mt-1 mb-4 rounded-card bg-accent-tint p-3.5">
          <LicenseReview item={item} subscription={subscription} edit={edit} lastPrice={lastPrice} />
        </div>
      ) : null}
      <ChangeNote item={item} edit={edit} />
      <IdleNote item={item} idle={idle} onLower={isFree ? edit.edit : undefined} />
    </div>
  )
}

function Head({
  item,
  back,
  badge,
  controls,
}: Pick<Given, 'item' | 'back'> & { badge?: ReactNode; controls?: ReactNode }) {
  const domain = item.properties?.customerDomain
  return (
    <PageHead
      crumb={{ href: back, name: 'Assets' }}
      title={item.assetName}
      badge={badge}
      subtitle={
        <>
          {domain ? `${visible(domain)} · ` : ''}
          {platformName(item.type)} · <span className="font-mono text-sm wrap-anywhere">{item.id}</span>
        </>
      }
      actions={
        <>
          {controls}
          <MoreMenu path={readAsset.path({ params: { asset_id: item.id } })} />
        </>
      }
    />
  )
}
