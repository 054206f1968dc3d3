'use client'

import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent, ReactNode } from 'react'
import { ChangeNote } from '#components/licenses/license-changes/change-note.tsx'
import { useLicenseEdit } from '#components/licenses/license-changes/use-license-edit.ts'
import { useRefreshAfterChange } from '#components/licenses/license-changes/use-refresh-after-change.ts'
import { LicenseReview } from '#components/licenses/license-reviews/lazy-review.ts'
import { LicenseControl } from '#components/licenses/license-reviews/license-control.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyRequest } from '#components/ui/copy-request.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { PageHeader } from '#components/ui/page-header.tsx'
import type { Idle } from '#lib/costs/idle-licenses/rules.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { readAsset } from '#lib/licenses/client.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { AssetStatus } from '../assets/asset-status.tsx'
import { idleCost, idleText } from '../assets/idle.ts'
import { type Subscription, toQuantityState } from '../assets/labels.ts'
import { type List, oneAsset, refetchInterval } from '../assets/one-asset.ts'

type AssetHeaderProps = {
  item: AssetListItem
  /** Address of the list view for the breadcrumb. */
  back: string
  lastPrice: LastPrice | undefined
  idle: Idle | undefined
  /** Total from the address, to begin with its review. */
  proposed: number | undefined
}

/** Header of an asset's page with its license control. The page has put the asset into the query cache. */
export function AssetHeader(props: AssetHeaderProps) {
  const { item } = props
  const { data } = useQuery({
    queryKey: oneAsset.key(item.id),
    queryFn: ({ signal, client, queryKey }) =>
      oneAsset.read(client.getQueryData<List>(queryKey)?.assets[0] ?? item, signal),
    refetchInterval,
  })
  const present = data?.assets[0] ?? item
  const subscription = present.properties?.subscription
  return subscription ? (
    <Licensed {...props} item={present} subscription={subscription} />
  ) : (
    <AssetTitle {...props} />
  )
}

function Licensed({
  item,
  subscription,
  back,
  lastPrice,
  idle,
  proposed,
}: AssetHeaderProps & { subscription: Subscription }) {
  const edit = useLicenseEdit(item, toQuantityState(subscription), proposed)
  useRefreshAfterChange(item.openChange?.id)
  const open = edit.open && !edit.isPending
  const isFree = !edit.open && !edit.isPending && edit.waitUntil === undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) edit.discard()
  }
  const control = (
    <div className="md:text-right">
      <LicenseControl item={item} subscription={subscription} edit={edit} isStated />
    </div>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape only repeats what the button Discard does
    <div onKeyDown={onKeyDown}>
      <AssetTitle
        item={item}
        back={back}
        controls={control}
        badge={<AssetStatus status={subscription.Status} />}
      />
      {open ? (
        <div className="-mt-1 mb-4 rounded-card bg-accent-tint p-3.5">
          <LicenseReview item={item} subscription={subscription} edit={edit} lastPrice={lastPrice} />
        </div>
      ) : null}
      <ChangeNote item={item} edit={edit} />
      <IdleNote item={item} idle={idle} onLower={isFree ? edit.setQuantity : undefined} />
    </div>
  )
}

function AssetTitle({
  item,
  back,
  badge,
  controls,
}: Pick<AssetHeaderProps, 'item' | 'back'> & { badge?: ReactNode; controls?: ReactNode }) {
  const domain = item.properties?.customerDomain
  return (
    <PageHeader
      breadcrumb={{ href: back, name: 'Assets' }}
      title={item.assetName}
      badge={badge}
      actionsBelow
      subtitle={
        <>
          {domain ? `${escapeInvisible(domain)} · ` : ''}
          {platformName(item.type)} · <span className="font-mono text-sm wrap-anywhere">{item.id}</span>
        </>
      }
      actions={
        <>
          {controls}
          <CopyRequest path={readAsset.path({ params: { asset_id: item.id } })} />
        </>
      }
    />
  )
}

/**
 * Costs of an asset's idle licenses, and whether its plan can be lowered now. Renders nothing where no license is idle.
 * @param onLower begins the review of a total; absent where the control takes none now
 */
function IdleNote({
  item,
  idle,
  onLower,
}: {
  item: AssetListItem
  idle: Idle | undefined
  onLower?: ((total: number) => void) | undefined
}) {
  const text = idle && idleText(idle)
  if (!idle || !text) return null
  const cost = idleCost(idle)
  return (
    <section aria-label="Unused licenses" className="mb-4">
      <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 px-4 py-3">
        <p className="tabular-nums">
          <span className="font-[550]">
            {text}
            {cost ? `, ${cost} at the last price.` : '.'}
          </span>{' '}
          <span className="text-ink-2">{adviceOf(item, idle)}</span>
        </p>
        <LowerButton idle={idle} onLower={onLower} />
      </Card>
    </section>
  )
}

/** Offered only for licenses that have been idle for long, to keep licenses that were free for a day. */
function LowerButton({
  idle: { lowerTo, longIdle },
  onLower,
}: {
  idle: Idle
  onLower: ((total: number) => void) | undefined
}) {
  if (lowerTo === null || longIdle === null || !onLower) return null
  return <Button onClick={() => onLower(lowerTo)}>Lower to {lowerTo.toLocaleString('en')}</Button>
}

function adviceOf({ properties, openChange, vendor }: AssetListItem, { lowerTo, longIdle }: Idle): string {
  const { Plan, Status } = properties?.subscription ?? {}
  if (openChange) return 'A change of this plan is under way.'
  if (lowerTo !== null)
    return longIdle === null
      ? 'It’s not known yet since when. You can lower this plan now.'
      : 'You can lower this plan now.'
  if (Status !== 'ACTIVE') return 'The subscription is not active.'
  if (Plan?.IsCommitmentPlan) {
    const until = Plan.CommitmentEndTime
    return until === undefined
      ? 'This plan can’t be lowered during its commitment.'
      : `This plan can’t be lowered before ${dayText(until)}.`
  }
  if (vendor?.quantityIsCap) return 'They cost nothing: what is used is billed.'
  return 'Nothing is billed for a trial.'
}
