import 'server-only'
import type { Observed, SubscriptionRef } from '../vendor.ts'

// What names the same thing. Microsoft alone has several names for one SKU, and writes ids in small and in capital
// letters. Apart from subscription.ts, because the declaration needs it too, which leads to no network code.

/** Product and SKU of an offer: an offer's availability, its third part, is replaced while the SKU stays. */
export function skuOf(offerId: string): string {
  return offerId.split(':').slice(0, 2).join(':')
}

/** Whether an observation is of the subscription that a ref names, and its SKU as far as both of them say it. */
export function isSame(ref: SubscriptionRef, observed: Observed): boolean {
  const offered = observed.skuId.split(':')
  const isSku = skuOf(ref.skuId)
    .split(':')
    .every((part, at) => isSameId(part, offered[at] ?? ''))
  return hasSameName(ref, observed) && (isSku || observed.skuId === '')
}

/** Whether customer and subscription are the same: an upgrade and an Extended Service Term change the SKU alone. */
export function hasSameName(one: SubscriptionRef, other: SubscriptionRef): boolean {
  return isSameId(one.customerId, other.customerId) && isSameId(one.subscriptionId, other.subscriptionId)
}

export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
