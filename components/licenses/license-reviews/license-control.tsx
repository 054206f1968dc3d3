'use client'

import { useEffect, useId } from 'react'
import { ClockTime } from '#components/platform/waits/clock-time.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { minimumQuantity } from '#lib/licenses/assets/quantity-rule.ts'
import { limitText, nextText, type Subscription, toQuantityState } from '../assets/labels.ts'
import { Applying } from '../license-changes/applying.tsx'
import { QuantityControl } from '../license-changes/quantity-control.tsx'
import type { LicenseEdit } from '../license-changes/use-license-edit.ts'
import { LicenseReview } from './lazy-review.ts'

const Confirming = lazyWithPreload(() =>
  import('../license-changes/confirming.tsx').then(({ Confirming }) => Confirming),
)

const NOTE = 'mt-1 text-xs leading-tight text-ink-3 max-md:text-left xl:mt-0'

type LicenseControlProps = {
  item: AssetListItem
  subscription: Subscription
  edit: LicenseEdit
}

/**
 * Control, or its replacement while a request is pending; below it the reason of its limits. `isStated`: the page shows
 * the actions of an open change elsewhere.
 */
export function LicenseControl({
  item,
  subscription,
  edit,
  isStated = false,
}: LicenseControlProps & { isStated?: boolean }) {
  const reasonId = useId()
  const quantityState = toQuantityState(subscription)
  const { openChange, waitUntil } = edit
  const isOff = openChange !== undefined || waitUntil !== undefined
  const reason = isOff ? undefined : limitText(quantityState)
  // A request may become an open change, whose note takes the focus.
  useEffect(() => {
    if (edit.isPending) Confirming.preload()
  }, [edit.isPending])
  return (
    // Next to the control where there is room, so that a reason makes no row higher.
    <div className={isStated ? '' : 'xl:flex xl:flex-row-reverse xl:items-center xl:gap-x-2.5'}>
      {edit.isPending ? (
        <Applying />
      ) : (
        <QuantityControl
          label={`Licenses of ${escapeInvisible(item.assetName)}`}
          value={edit.value}
          purchased={quantityState.purchased}
          minimum={minimumQuantity(quantityState)}
          disabled={quantityState.status !== 'ACTIVE' || isOff}
          reasonId={reason || isOff ? reasonId : undefined}
          input={edit.input}
          onChange={edit.setQuantity}
          onApproach={LicenseReview.preload}
          onEnter={edit.focusReview}
        />
      )}
      {openChange ? (
        <Confirming
          id={reasonId}
          item={item}
          from={quantityState.purchased}
          openChange={openChange}
          edit={edit}
          isStated={isStated}
        />
      ) : null}
      {waitUntil === undefined ? null : (
        <p id={reasonId} ref={edit.statusNote} tabIndex={-1} className={`rounded-sm max-md:max-w-36 ${NOTE}`}>
          {item.vendor?.label ?? 'The vendor'} takes no change before <ClockTime at={waitUntil} />
        </p>
      )}
      {item.scheduled && !edit.isPending ? (
        <p className={`font-[550] tabular-nums ${NOTE}`}>{nextText(item.scheduled)}</p>
      ) : null}
      {reason ? (
        <p id={reasonId} className={`max-md:max-w-30 ${NOTE}`}>
          {reason}
        </p>
      ) : null}
    </div>
  )
}
