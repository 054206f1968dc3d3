'use client'

import type { RefObject } from 'react'
import {
  licensesText,
  type Subscription,
  toQuantityState,
  untilText,
} from '#components/licenses/assets/labels.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { decideQuantity, MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import { Impossible } from '../license-changes/review-box.tsx'
import { BelowAssignedReview } from './below-assigned-review.tsx'
import { isBelowAssigned } from './change-meaning.tsx'
import { ConfirmChange } from './confirm-change.tsx'

const LowerAtRenewal = lazyWithPreload(() =>
  import('#components/licenses/renewal-orders/order-lower.tsx').then(({ OrderLower }) => OrderLower),
)

type ChangeReviewProps = {
  item: AssetListItem
  subscription: Subscription
  quantity: number | null
  lastPrice: LastPrice | undefined
  /** First control: Enter in the quantity moves the focus here. */
  first: RefObject<HTMLElement | null>
  onSubmit: (quantity: number) => void
  /** Reviews another total. */
  onTry: (quantity: number) => void
  onDiscard: () => void
}

/** Review of a new total, before any request to the vendor. */
export function ChangeReview(props: ChangeReviewProps) {
  const { item, subscription, quantity, onDiscard } = props
  const name = item.assetName
  const quantityState = toQuantityState(subscription)
  const isNumber =
    quantity !== null && Number.isInteger(quantity) && quantity >= 0 && quantity <= MAX_QUANTITY
  if (!isNumber) {
    const text = `Type a whole number from 0 to ${MAX_QUANTITY.toLocaleString('en')}.`
    return <Impossible {...props} title={`${name}: how many licenses?`} text={text} />
  }
  const decision = decideQuantity(quantityState, quantity)
  if (decision.allowed) {
    const reviewProps = { ...props, quantity, change: decision.change }
    return isBelowAssigned(item, subscription, quantity) ? (
      <BelowAssignedReview {...reviewProps} />
    ) : (
      <ConfirmChange {...reviewProps} />
    )
  }
  if (decision.reason === 'not_active') {
    return (
      <Impossible {...props} title={`${name} can’t be changed`} text={`Its status is ${decision.status}.`} />
    )
  }
  const title = `${name} can’t go below ${licensesText(decision.minimum)} ${untilText(decision.until)}`
  const { until } = decision
  // An existing order is changed on the asset's page, where it can be seen.
  const isOrderable =
    item.vendor?.ordersTotals && !item.scheduled && until !== undefined && renewsAtEnd(subscription)
  const below = isOrderable ? subscription.Seats.LicensedNumberOfSeats - quantity : 0
  const suggestion =
    below > 0
      ? `${below.toLocaleString('en')} fewer than assigned now: licenses have to be taken away from users before.`
      : 'Choose the present total or more.'
  const text = `You can add licenses now, or reduce them at renewal. ${suggestion}`
  return (
    <Impossible {...props} title={title} text={text}>
      {isOrderable ? (
        <LowerAtRenewal id={item.id} quantity={quantity} end={until} first={props.first} onDone={onDiscard} />
      ) : null}
    </Impossible>
  )
}

/** Returns whether the plan renews: a plan that ends has no next term to order for. */
function renewsAtEnd({ RenewalSettings }: Subscription): boolean {
  const type = RenewalSettings?.renewalType
  return !type || atItsEnd(type).verb === 'Renews'
}
