/** Largest quantity that a request may ask for. The vendor's own limit is usually lower. */
export const MAX_QUANTITY = 1_000_000

/**
 * State of a subscription that the quantity rule reads. Seats are whole licenses. The asset's type does not matter: each
 * asset with a subscription accepts a quantity, and one without has no such state.
 */
export type QuantityState = {
  status: string
  isCommitmentPlan: boolean
  purchased: number
  /** Epoch milliseconds; absent without a commitment, or where its end is unknown. */
  commitmentEnd?: number | undefined
}

/** The rule's answer; `minimum` is the lowest total that would be allowed now. */
export type QuantityDecision =
  | { allowed: true; change: number }
  | { allowed: false; reason: 'not_active'; status: string }
  | { allowed: false; reason: 'commitment'; current: number; minimum: number; until?: number }

/**
 * Decides whether the total may change to `quantity`: the one rule of spec 8.1, shared by the operation and the control
 * on screen. Increases are always allowed, decreases never on a commitment plan, whatever the plan's name. An unchanged
 * total is always allowed and changes nothing.
 * @param quantity total after the change, a whole number from 0 to MAX_QUANTITY
 */
export function decideQuantity(quantityState: QuantityState, quantity: number): QuantityDecision {
  const change = quantity - quantityState.purchased
  if (quantityState.status !== 'ACTIVE')
    return { allowed: false, reason: 'not_active', status: quantityState.status }
  if (change < 0 && quantityState.isCommitmentPlan) {
    const until = quantityState.commitmentEnd === undefined ? {} : { until: quantityState.commitmentEnd }
    return {
      allowed: false,
      reason: 'commitment',
      current: quantityState.purchased,
      minimum: quantityState.purchased,
      ...until,
    }
  }
  return { allowed: true, change }
}

/** Returns the lowest total that the rule allows now, at which the − button stops. */
export function minimumQuantity(quantityState: QuantityState): number {
  return quantityState.isCommitmentPlan ? quantityState.purchased : 0
}

/**
 * Returns whether an increase requires typing the new total again: an increase that can't be undone (commitment plan)
 * and is large (more than 20 % or more than 50 licenses).
 */
export function needsTypedTotal(quantityState: QuantityState, quantity: number): boolean {
  const growth = quantity - quantityState.purchased
  return quantityState.isCommitmentPlan && growth > 0 && (growth > 50 || growth * 5 > quantityState.purchased)
}
