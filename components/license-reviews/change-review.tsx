'use client'

import { type FormEvent, type RefObject, useId, useState } from 'react'
import {
  differenceText,
  factsOf,
  licensesText,
  type Subscription,
  untilText,
} from '#components/license-changes/words.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { later } from '#components/ui/later.tsx'
import { visible } from '#components/ui/visible.ts'
import { decideQuantity, needsTypedTotal } from '#lib/assets/commitment.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { atItsEnd, MAX_QUANTITY } from '#lib/assets/rules.ts'
import type { LastPrice } from '#lib/license-prices/rules.ts'
import { ChangeMeaning, isRefused } from './change-meaning.tsx'
import { RefusedDraft } from './refused-draft.tsx'
import { holdBack, Impossible, ReviewBox } from './review-box.tsx'

const OrderLower = later(() =>
  import('#components/renewal-orders/order-lower.tsx').then(({ OrderLower }) => OrderLower),
)

type Given = {
  item: AssetListItem
  subscription: Subscription
  quantity: number | null
  lastPrice: LastPrice | undefined
  /** The first thing to do here: where Enter in the quantity leads. */
  first: RefObject<HTMLElement | null>
  onSubmit: (quantity: number) => void
  /** Takes another total into the review. */
  onTry: (quantity: number) => void
  onDiscard: () => void
}

/** What a new total would mean, before anything is asked of the vendor. */
export function ChangeReview(given: Given) {
  const { item, subscription, quantity, onDiscard } = given
  const name = item.assetName
  const facts = factsOf(subscription)
  const isNumber =
    quantity !== null && Number.isInteger(quantity) && quantity >= 0 && quantity <= MAX_QUANTITY
  if (!isNumber) {
    const text = `Type a whole number from 0 to ${MAX_QUANTITY.toLocaleString('en')}.`
    return <Impossible {...given} title={`${name}: how many licenses?`} text={text} />
  }
  const decision = decideQuantity(facts, quantity)
  if (decision.allowed) {
    const shown = { ...given, quantity, change: decision.change }
    return isRefused(item, subscription, quantity) ? <RefusedDraft {...shown} /> : <Possible {...shown} />
  }
  if (decision.reason === 'not_active') {
    return (
      <Impossible {...given} title={`${name} can’t be changed`} text={`Its status is ${decision.status}.`} />
    )
  }
  const title = `${name} can’t go below ${licensesText(decision.minimum)} ${untilText(decision.until)}`
  const { until } = decision
  // What is ordered already is changed on the asset's page, where it can be seen.
  const isOrderable =
    item.vendor?.ordersTotals && !item.scheduled && until !== undefined && mayOrder(subscription)
  const below = isOrderable ? subscription.Seats.LicensedNumberOfSeats - quantity : 0
  const way =
    below > 0
      ? `${below.toLocaleString('en')} fewer than assigned now: licenses have to be taken away from users before.`
      : 'Choose the present total or more.'
  const text = `This commitment plan can only grow until then. ${way}`
  return (
    <Impossible {...given} title={title} text={text}>
      {isOrderable ? (
        <OrderLower id={item.id} quantity={quantity} end={until} first={given.first} onDone={onDiscard} />
      ) : null}
    </Impossible>
  )
}

/** Where a plan ends by itself, there is no next term to order. */
function mayOrder({ RenewalSettings }: Subscription): boolean {
  const type = RenewalSettings?.renewalType
  return !type || atItsEnd(type).verb === 'Renews'
}

function Possible(given: Given & { quantity: number; change: number }) {
  const { item, subscription, quantity, change, lastPrice, first, onSubmit, onDiscard } = given
  const id = useId()
  // Another total has to be typed anew.
  const [confirmed, setConfirmed] = useState({ quantity, typed: '' })
  const typed = confirmed.quantity === quantity ? confirmed.typed : ''
  const facts = factsOf(subscription)
  const mustType = needsTypedTotal(facts, quantity)
  const fits = !mustType || typed.replace(/[\s,.]/g, '') === String(quantity)
  const isFinal = facts.isCommitmentPlan
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
      {/* Sent before the page is alive, it leads to the same review. */}
      <input type="hidden" name="set" value={quantity} />
      <ReviewBox
        id={id}
        live="polite"
        title={`${visible(item.assetName)}: ${facts.purchased.toLocaleString('en')} → ${licensesText(quantity)}`}
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
            <Button look="quiet" onClick={onDiscard}>
              Discard
            </Button>
            <Button
              {...(mustType ? {} : { ref: first as RefObject<HTMLButtonElement> })}
              type="submit"
              look="primary"
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
