import { type Cost, costOf, type LastPrice } from '#lib/costs/license-prices/rules.ts'
import { decideQuantity } from '#lib/licenses/assets/rules.ts'

/** So long licenses have to be idle before they count as such, in days: a starter's are kept for some weeks. */
export const IDLE_DAYS = 60

/** What is known of a plan's licenses. */
export type Plan = {
  status: string
  isCommitmentPlan: boolean
  planName: string
  purchased: number
  assigned: number
  /** Whether the purchased total is only a cap, and what is used is billed. */
  isBilledByUse: boolean
  /** The fewest that were not assigned at once within `IDLE_DAYS`; null where less than that is known. */
  leastIdle: number | null
}

/** Licenses that nobody uses. */
export type Idle = {
  /** At this moment. */
  now: number
  /** Those of them that were idle for all of `IDLE_DAYS`; null where less than that is known. */
  longIdle: number | null
  /** What these cost, or those of this moment where that is not known; absent where no price is known, or none is paid. */
  cost?: Cost
  /** The total to which the plan can be lowered now without taking a license from anybody who had one; null: it can't. */
  lowerTo: number | null
}

/** What a license cost when last billed, and what stands idle, each by asset id. */
export type LicenseCosts = { prices: Record<string, LastPrice>; idle: Record<string, Idle> }

/** What stands idle, what it costs, and whether that can be changed now. */
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
