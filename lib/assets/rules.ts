/** The types whose assets carry licenses; the rest is billed by usage. */
export const LICENSE_TYPES = ['workspace-suite', 'office-suite'] as const

/**
 * The fate of a change of licenses. CLAIMED: nothing was sent. SENT: a call to the vendor may be under way.
 * UNKNOWN: it was sent, and only a read can tell. APPLIED, REJECTED (by the vendor), FAILED (not applied): settled.
 * DRIFT: the vendor's own change, which we found.
 */
export const OPEN_STATES = ['CLAIMED', 'SENT', 'UNKNOWN'] as const
export const CHANGE_STATES = [...OPEN_STATES, 'APPLIED', 'REJECTED', 'FAILED', 'DRIFT'] as const
export type ChangeState = (typeof CHANGE_STATES)[number]

/** Whether the outcome of a change is still to come. States that we do not know count as settled. */
export function isOpen(state: string): boolean {
  return (OPEN_STATES as readonly string[]).includes(state)
}

/** What is known of a change that was sent, when the vendor's count has been read. Times in milliseconds. */
export type Evidence = {
  /** The total that was asked for. */
  to: number
  /** What the vendor says that is purchased. */
  read: number
  /** Since the call. */
  age: number
  /** How late the vendor may still do what it was asked. */
  settleMs: number
  /** Whether the subscription had the asked total so lately that the read may be of that time. */
  hadBefore: boolean
}

/**
 * What a read proves of a change whose answer was lost. A read that shows the asked total proves it, unless it may
 * be an older one of the same total; another total disproves it only once no write can still be on its way.
 */
export function decideOutcome({
  to,
  read,
  age,
  settleMs,
  hadBefore,
}: Evidence): 'APPLIED' | 'FAILED' | 'UNKNOWN' {
  if (read !== to) return age > settleMs ? 'FAILED' : 'UNKNOWN'
  return hadBefore ? 'UNKNOWN' : 'APPLIED'
}

/** Largest quantity that a request may ask for. The vendor's own limit is usually lower. */
export const MAX_QUANTITY = 1_000_000

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
