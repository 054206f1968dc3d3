import { type Cost, costOf, type LastPrice } from '#lib/costs/license-prices/rules.ts'
import { decideQuantity } from '#lib/licenses/assets/quantity-rule.ts'

/** Days after which unassigned licenses count as idle: licenses for new hires are kept for some weeks. */
export const IDLE_DAYS = 60

/** Licenses of a plan. */
export type Plan = {
  status: string
  isCommitmentPlan: boolean
  planName: string
  purchased: number
  assigned: number
  /** Whether the purchased total is only a cap, and usage is billed. */
  isBilledByUse: boolean
  /** Minimum of unassigned licenses within `IDLE_DAYS`; null where the history is shorter. */
  leastIdle: number | null
}

/** Unused licenses. */
export type Idle = {
  /** Number that is idle now. */
  now: number
  /** Number that was idle for all of `IDLE_DAYS`; null where the history is shorter. */
  longIdle: number | null
  /**
   * Cost of the long idle licenses, or of those idle now where `longIdle` is null; absent without a known or paid
   * price.
   */
  cost?: Cost
  /** Total to which the plan can be lowered now without taking away an assigned license; null: it can't be lowered. */
  lowerTo: number | null
}

/** Last billed price of a license, and idle licenses, each by asset id. */
export type LicenseCosts = { prices: Record<string, LastPrice>; idle: Record<string, Idle> }

/** Returns the idle licenses, their cost, and whether they can be removed now. */
export function idleOf(plan: Plan, price: LastPrice | undefined): Idle {
  const now = Math.max(0, plan.purchased - plan.assigned)
  const longIdle = plan.leastIdle === null ? null : Math.min(now, Math.max(0, plan.leastIdle))
  const count = longIdle ?? now
  const isPaid = !plan.isBilledByUse && plan.planName !== 'TRIAL'
  const target = plan.purchased - count
  const mayLower = count > 0 && isPaid && decideQuantity(plan, target).allowed
  return {
    now,
    longIdle,
    ...(price && isPaid && count > 0 ? { cost: costOf(count, price) } : {}),
    lowerTo: mayLower ? target : null,
  }
}
