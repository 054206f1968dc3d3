import 'server-only'
import type { Observed, SubscriptionRef } from './vendor.ts'

/** Whether all that a decision on a quantity rests on is as it was. */
export function isSameBasis(before: Observed, after: Observed): boolean {
  const basis = ({ status, isCommitmentPlan, seats }: Observed) =>
    [status, isCommitmentPlan, seats.purchased].join()
  return basis(before) === basis(after)
}

/** Whether customer, subscription and SKU have the same ids. */
export function hasSameIds(one: SubscriptionRef, other: SubscriptionRef): boolean {
  const ids = ({ customerId, subscriptionId, skuId }: SubscriptionRef) =>
    JSON.stringify([customerId, subscriptionId, skuId])
  return ids(one) === ids(other)
}
