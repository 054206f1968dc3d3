/** Size of the fake: each customer has five subscriptions, each of another SKU. */
export type Size = { subscriptions: number; customers: number }

const EACH = 5

export function sizeOf(subscriptions: number): Size {
  return { subscriptions, customers: Math.ceil(subscriptions / EACH) }
}

/**
 * Returns the n-th subscription, with the values that the vendor and the product start with; the first ones each belong
 * to another customer.
 */
export function subscriptionAt(n: number, { customers }: Size) {
  const guid = (kind: number, number: number) =>
    `${kind}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return {
    id: guid(1, n),
    customerId: guid(2, n % customers),
    skuId: `SKU-${Math.floor(n / customers)}`,
    total: 20,
    assigned: 3,
  }
}
