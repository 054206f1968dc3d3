'use client'

import { type FormEvent, type RefObject, useId, useState } from 'react'
import {
  differenceText,
  licensesText,
  type Subscription,
  toQuantityState,
} from '#components/licenses/assets/labels.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { needsTypedTotal } from '#lib/licenses/assets/quantity-rule.ts'
import { holdBack, ReviewBox } from '../license-changes/review-box.tsx'
import { ChangeMeaning } from './change-meaning.tsx'

type ConfirmChangeProps = {
  item: AssetListItem
  subscription: Subscription
  quantity: number
  /** Difference in licenses; negative for a decrease. */
  change: number
  lastPrice: LastPrice | undefined
  /** First control: Enter in the quantity moves the focus here. */
  first: RefObject<HTMLElement | null>
  onSubmit: (quantity: number) => void
  onDiscard: () => void
}

/**
 * Form of a possible change: its consequences, and the button that requests it; where it can't be undone, the total has
 * to be typed as a confirmation.
 */
export function ConfirmChange(props: ConfirmChangeProps) {
  const { item, subscription, quantity, change, lastPrice, first, onSubmit, onDiscard } = props
  const id = useId()
  // A different total has to be typed again.
  const [confirmed, setConfirmed] = useState({ quantity, typed: '' })
  const typed = confirmed.quantity === quantity ? confirmed.typed : ''
  const quantityState = toQuantityState(subscription)
  const mustType = needsTypedTotal(quantityState, quantity)
  const fits = !mustType || typed.replace(/[\s,.]/g, '') === String(quantity)
  const isFinal = quantityState.isCommitmentPlan
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fits) onSubmit(quantity)
  }
  const badge = (
    <Badge tone={isFinal || change < 0 ? 'warn' : 'ok'}>
      {differenceText(change)}
      {isFinal ? ', can’t be undone' : ''}
    </Badge>
  )
  return (
    <form onSubmit={submit}>
      {/* A native submit before hydration opens the same review. */}
      <input type="hidden" name="set" value={quantity} />
      <ReviewBox
        id={id}
        live="polite"
        title={`${escapeInvisible(item.assetName)}: ${quantityState.purchased.toLocaleString('en')} → ${licensesText(quantity)}`}
        badge={badge}
        actions={
          <>
            {mustType ? (
              <label className="flex items-center gap-2 text-sm max-md:justify-between">
                Type {quantity.toLocaleString('en')} to confirm
                <input
                  ref={first as RefObject<HTMLInputElement>}
                  inputMode="numeric"
                  autoComplete="off"
                  value={typed}
                  onChange={(event) => setConfirmed({ quantity, typed: event.target.value })}
                  className="h-8.5 w-20 rounded-control border border-line-2 bg-surface px-2 text-center tabular-nums max-md:h-10 max-md:text-lg"
                />
              </label>
            ) : null}
            <Button variant="quiet" onClick={onDiscard}>
              Discard
            </Button>
            <Button
              {...(mustType ? {} : { ref: first as RefObject<HTMLButtonElement> })}
              type="submit"
              variant="primary"
              disabled={!fits}
              aria-describedby={id}
              onClick={holdBack}
              onKeyDown={holdBack}
            >
              Set to {licensesText(quantity)}
            </Button>
          </>
        }
      >
        <ChangeMeaning item={item} subscription={subscription} quantity={quantity} lastPrice={lastPrice} />
      </ReviewBox>
    </form>
  )
}
