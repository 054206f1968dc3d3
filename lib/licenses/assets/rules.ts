/** The types whose assets carry licenses; the rest is billed by usage. */
export const LICENSE_TYPES = ['workspace-suite', 'office-suite'] as const

/** Largest quantity that a request may ask for. The vendor's own limit is usually lower. */
export const MAX_QUANTITY = 1_000_000

/** State of a subscription that the quantity rule reads. Seats are whole licenses. */
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

type Versioned = {
  seatsPurchased: number | null
  seatsMaximum: number | null
  planName: string | null
  isCommitmentPlan: boolean | null
  status: string | null
}

/** Returns whether the seat version changes: with purchased seats, plan and status, never with assigned seats. */
export function movesVersion(stored: Versioned, values: Versioned): boolean {
  const fields = ['seatsPurchased', 'seatsMaximum', 'planName', 'isCommitmentPlan', 'status'] as const
  return fields.some((field) => stored[field] !== values[field])
}

/** Text of the vendor's action at the end of a commitment: "Renews", with details such as "with the licenses in use". */
export type AtItsEnd = { verb: 'Renews' | 'Becomes flexible' | 'Continues' | 'Ends'; how?: string }

const EXTENDED = 'as a paid Extended Service Term, at a surcharge'

/**
 * Returns the vendor's action at the end of a commitment.
 * @param renewalType the vendor's term for the action; not empty
 */
export function atItsEnd(renewalType: string): AtItsEnd {
  if (renewalType.startsWith('AUTO_RENEW')) return { verb: 'Renews' }
  if (renewalType.startsWith('RENEW_CURRENT_USERS'))
    return { verb: 'Renews', how: 'with the licenses in use' }
  if (renewalType === 'SWITCH_TO_PAY_AS_YOU_GO') return { verb: 'Becomes flexible' }
  if (renewalType === 'CANCEL') return { verb: 'Ends' }
  if (renewalType === 'EXTENDED_SERVICE_TERM') return { verb: 'Continues', how: EXTENDED }
  if (renewalType === 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED')
    return { verb: 'Continues', how: `${EXTENDED}, unless it is cancelled at the vendor` }
  return { verb: 'Renews', how: `(${renewalType})` }
}

/** Filter keys of assets. */
export const ASSET_FILTER_KEYS = ['type', 'status', 'plan', 'usage', 'domain'] as const
export type AssetFilterKey = (typeof ASSET_FILTER_KEYS)[number]

/** Sort keys of a list of assets. */
export const ASSET_ORDER_KEYS = ['created', 'name', 'renewal', 'idle'] as const
export type AssetSortKey = (typeof ASSET_ORDER_KEYS)[number]

/** Kinds of plans, for filters; vendors' own plan names are finer. */
export const PLAN_KINDS = ['commitment', 'flexible', 'trial', 'usage-based'] as const
export type PlanKind = (typeof PLAN_KINDS)[number]

/** Returns the kind of a plan; null for an asset without licenses. */
export function planKindOf({
  planName,
  isCommitmentPlan,
}: Pick<Versioned, 'planName' | 'isCommitmentPlan'>): PlanKind {
  if (isCommitmentPlan === null) return 'usage-based'
  if (isCommitmentPlan) return 'commitment'
  return planName === 'TRIAL' ? 'trial' : 'flexible'
}

/** Usage of licenses: below 80 %, below 100 %, or all in use. */
export const USAGES = ['idle', 'used', 'full'] as const
export type Usage = (typeof USAGES)[number]

/** @param seats whole purchased and assigned licenses, 0 or more */
export function usageOf({ purchased, assigned }: { purchased: number; assigned: number }): Usage {
  if (assigned >= purchased) return 'full'
  return assigned * 5 < purchased * 4 ? 'idle' : 'used'
}
