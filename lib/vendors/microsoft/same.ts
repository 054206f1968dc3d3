import 'server-only'
import type { Observed, SubscriptionRef } from '../vendor.ts'

// Comparison of names. Microsoft has several names for one SKU, and varies the case of ids. Separate from
// subscription.ts, because the declaration, which must not import network code, needs it too.

/** Returns product and SKU of an offer: its third part, the availability, is replaced while the SKU stays. */
export function skuOf(offerId: string): string {
  return offerId.split(':').slice(0, 2).join(':')
}

/** Returns whether an observed subscription is the referenced one, with the same SKU as far as both name one. */
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
