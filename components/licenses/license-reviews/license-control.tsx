'use client'

import { useId } from 'react'
import { ClockTime } from '#components/platform/waits/clock-time.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { minimumQuantity } from '#lib/licenses/assets/quantity-rule.ts'
import { limitText, nextText, type Subscription, toQuantityState } from '../assets/labels.ts'
import { Applying } from '../license-changes/applying.tsx'
import { Confirming } from '../license-changes/confirming.tsx'
import { QuantityControl } from '../license-changes/quantity-control.tsx'
import type { LicenseEdit } from '../license-changes/use-license-edit.ts'
import { LicenseReview } from './lazy-review.ts'

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
  return (
    <>
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
        <p
          id={reasonId}
          ref={edit.statusNote}
          tabIndex={-1}
          className="mt-1 rounded-sm text-xs text-ink-3 max-md:max-w-36 max-md:text-left"
        >
          {item.vendor?.label ?? 'The vendor'} takes no change before <ClockTime at={waitUntil} />
        </p>
      )}
      {item.scheduled && !edit.isPending ? (
        <p className="mt-1 text-xs font-[550] text-ink-2 tabular-nums">{nextText(item.scheduled)}</p>
      ) : null}
      {reason ? (
        <p id={reasonId} className="mt-1 text-xs text-ink-3 max-md:max-w-30 max-md:text-left">
          {reason}
        </p>
      ) : null}
    </>
  )
}
