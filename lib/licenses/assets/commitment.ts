/** What the rule needs to know of a subscription. Seats are whole licenses. */
export type QuantityFacts = {
  status: string
  isCommitmentPlan: boolean
  purchased: number
  /** Epoch milliseconds; absent where there is none, or it isn't known. */
  commitmentEnd?: number | undefined
}

/** The rule's answer; `minimum` is the lowest total that would be allowed now. */
export type QuantityDecision =
  | { allowed: true; change: number }
  | { allowed: false; reason: 'not_active'; status: string }
  | { allowed: false; reason: 'commitment'; current: number; minimum: number; until?: number }

/**
 * Whether the total may become `quantity`. The one rule of spec 8.1, asked by the operation and by the
 * control on screen: increases always, decreases never on a commitment plan, whatever the plan's name.
 * The same total is always allowed and changes nothing.
 * @param quantity total after the change, a whole number from 0 to MAX_QUANTITY
 */
export function decideQuantity(facts: QuantityFacts, quantity: number): QuantityDecision {
  const change = quantity - facts.purchased
  if (facts.status !== 'ACTIVE') return { allowed: false, reason: 'not_active', status: facts.status }
  if (change < 0 && facts.isCommitmentPlan) {
    const until = facts.commitmentEnd === undefined ? {} : { until: facts.commitmentEnd }
    return {
      allowed: false,
      reason: 'commitment',
      current: facts.purchased,
      minimum: facts.purchased,
      ...until,
    }
  }
  return { allowed: true, change }
}

/** The lowest total that the rule allows now: where − stops. */
export function minimumQuantity(facts: QuantityFacts): number {
  return facts.isCommitmentPlan ? facts.purchased : 0
}

/**
 * Whether an increase needs the new total typed again: it can't be undone on a commitment plan, and is
 * large (more than 20 % or more than 50 licenses).
 */
export function needsTypedTotal(facts: QuantityFacts, quantity: number): boolean {
  const growth = quantity - facts.purchased
  return facts.isCommitmentPlan && growth > 0 && (growth > 50 || growth * 5 > facts.purchased)
}
