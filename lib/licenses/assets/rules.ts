import { DAY_MS, dayBegin, dayOf } from '#lib/platform/values/days.ts'
import type { Platform } from '#lib/platform/values/platforms.ts'

/**
 * The types whose assets carry licenses; the rest is billed by usage. The id of an asset starts with its type: a check
 * of the table holds that.
 */
export const LICENSE_TYPES = ['workspace-suite', 'office-suite'] as const satisfies readonly Platform[]

/** Outcomes of a commitment's end. Only `ends` ends the charges. */
export const OUTCOMES = ['renews', 'extended-term', 'flexible', 'ends'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Vendor's action at the end of a commitment, in words: "Renews", and how, as in "with the licenses in use". */
export type AtItsEnd = {
  outcome: Outcome
  verb: 'Renews' | 'Switches to flexible' | 'Continues' | 'Ends'
  how?: string
}

/** Type of renewal of a plan that ends, and of one that continues as an Extended Service Term. */
export const CANCEL = 'CANCEL'
export const EXTENDED_TERM = 'EXTENDED_SERVICE_TERM'
/** Type of renewal of a plan that continues as an Extended Service Term because nothing else is scheduled. */
export const EXTENDED_BY_DEFAULT = 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED'

const EXTENDED = 'as a paid Extended Service Term, at a surcharge'

/**
 * Describes the end of a commitment.
 * @param renewalType as the vendor calls it, and not empty
 */
export function atItsEnd(renewalType: string): AtItsEnd {
  const renews = { outcome: 'renews', verb: 'Renews' } as const
  const continues = { outcome: 'extended-term', verb: 'Continues' } as const
  if (renewalType.startsWith('AUTO_RENEW')) return renews
  if (renewalType.startsWith('RENEW_CURRENT_USERS')) return { ...renews, how: 'with the licenses in use' }
  if (renewalType === 'SWITCH_TO_PAY_AS_YOU_GO') return { outcome: 'flexible', verb: 'Switches to flexible' }
  if (renewalType === CANCEL) return { outcome: 'ends', verb: 'Ends' }
  if (renewalType === EXTENDED_TERM) return { ...continues, how: EXTENDED }
  if (renewalType === EXTENDED_BY_DEFAULT) return { ...continues, how: `${EXTENDED}, unless cancelled` }
  return { ...renews, how: `(${renewalType})` }
}

/** Returns the outcome of a commitment's end; undefined where the vendor does not state it. */
export function outcomeOf(renewalType: string | null | undefined): Outcome | undefined {
  return renewalType ? atItsEnd(renewalType).outcome : undefined
}

/** Describes the end of a commitment: `Renews with the licenses in use`; `Commitment ends` where nothing is stated. */
export function atEndText(renewalType: string | null | undefined): string {
  if (!renewalType) return 'Commitment ends'
  const { verb, how } = atItsEnd(renewalType)
  return how ? `${verb} ${how}` : verb
}

/**
 * Returns the last whole day in UTC before the end of a commitment. Vendors and our own records accept a change of the
 * renewal up to that moment, which may be in the middle of a day.
 * @param at in epoch milliseconds
 */
export function decideBy(at: number): string {
  return dayOf(dayBegin(at) - DAY_MS)
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
export function planKindOf(plan: { planName: string | null; isCommitmentPlan: boolean | null }): PlanKind {
  const { planName, isCommitmentPlan } = plan
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
