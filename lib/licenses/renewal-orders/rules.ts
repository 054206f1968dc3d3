import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import { DAY_MS, dayBegin } from '#lib/platform/values/days.ts'

/** The states of an order for the next term, as its contract describes them. */
export type OrderState = 'STANDING' | 'APPLIED' | 'REJECTED' | 'WITHDRAWN' | 'REPLACED' | 'LOST' | 'UNCLEAR'

/** Setting for the next term at a vendor: a total, a way to renew, or (both null) nothing. */
export type Setting = { quantity: number | null; renewalType: string | null }

export function isSameSetting(one: Setting, other: Setting): boolean {
  return one.quantity === other.quantity && one.renewalType === other.renewalType
}

/**
 * Returns the next term that a vendor shows.
 * @param takesTotal whether the vendor takes a total; else it takes ways to renew
 */
export function shownSetting(
  takesTotal: boolean,
  { renewalType, scheduledTotal }: { renewalType: string | null; scheduledTotal: number | null },
): Setting {
  return takesTotal && isRenewed(renewalType)
    ? { quantity: scheduledTotal, renewalType: null }
    : { quantity: null, renewalType }
}

/** Facts about a subscription for the rule. Times in epoch milliseconds. */
export type RenewalFacts = {
  status: string
  isCommitmentPlan: boolean
  commitmentEnd: number | undefined
  renewalType: string | undefined
  /** Settings that an order can name. */
  choice: 'total' | { renewalTypes: readonly string[] } | undefined
  /** Whether a next term is known: the books are at a vendor, or its length is known. */
  hasNextTerm: boolean
}

/** Why nothing can be ordered for the next term. */
export type NoOrder = 'not_active' | 'no_commitment' | 'not_offered' | 'no_end' | 'ended' | 'ends'

/** @param now epoch milliseconds */
export function whyNoOrder(facts: RenewalFacts, now: number): NoOrder | undefined {
  const { status, isCommitmentPlan, commitmentEnd, renewalType, choice, hasNextTerm } = facts
  if (status !== 'ACTIVE') return 'not_active'
  if (!isCommitmentPlan) return 'no_commitment'
  if (choice === undefined) return 'not_offered'
  if (commitmentEnd === undefined || !hasNextTerm) return 'no_end'
  if (commitmentEnd <= now) return 'ended'
  // A plan that ends, or becomes flexible, is a decision against a next term.
  return isRenewed(renewalType) ? undefined : 'ends'
}

/**
 * Returns the last whole day in UTC before the end of a commitment, at its midnight; both in epoch milliseconds. Vendors
 * and our own records accept an order up to the end, which may be in the middle of a day.
 */
export function lastRenewalDay(commitmentEnd: number): number {
  return dayBegin(commitmentEnd) - DAY_MS
}

/** Returns whether a vendor takes this order, where it takes any. */
export function isOffered({ choice }: Pick<RenewalFacts, 'choice'>, { quantity, renewalType }: Setting) {
  if (choice === 'total') return quantity !== null
  return renewalType !== null && (choice?.renewalTypes.includes(renewalType) ?? false)
}

type Times = { commitmentStart?: number | undefined; commitmentEnd: number | undefined }

/**
 * State of an order's term: it runs, until the known end or another one (moved); it is over, without a known next one
 * (due) or with one that has begun (over); or the plan has no term any more (none).
 */
export type Phase = { kind: 'running' | 'due' | 'over' | 'none' } | { kind: 'moved'; termEnd: number }

/**
 * An order is for the end of one term: nothing of it happens within a term, this one or the next.
 * @param now epoch milliseconds, like all times here
 */
export function phaseOf(
  termEnd: number,
  {
    isCommitmentPlan,
    commitmentStart: start,
    commitmentEnd: end = termEnd,
  }: Times & { isCommitmentPlan: boolean },
  now: number,
): Phase {
  if (!isCommitmentPlan) return { kind: 'none' }
  // Clocks differ by minutes, and books may be written some days before.
  const isNext =
    (start !== undefined && start > termEnd - NEAR_MS) || (end > termEnd + NEAR_MS && now > termEnd - NEAR_MS)
  if (isNext && end > termEnd) return { kind: 'over' }
  if (now < termEnd) return end === termEnd ? { kind: 'running' } : { kind: 'moved', termEnd: end }
  return end <= termEnd ? { kind: 'due' } : { kind: 'over' }
}

/** Returns whether a plan is renewed when its commitment ends, as far as the vendor states that. */
export function isRenewed(renewalType: string | null | undefined): boolean {
  return !renewalType || atItsEnd(renewalType).verb === 'Renews'
}

/** About the end of a term. */
const NEAR_MS = 7 * DAY_MS
const MONTH_DAYS = 365.2425 / 12

type Length = { start: number | undefined; end: number; planName: string }

/**
 * Returns the end of the next term, of the same length in whole months, in epoch milliseconds, or undefined where the
 * length is unknown. The day of the month stays, or is the last one of a shorter month.
 */
export function nextTermEnd({ start, end, planName }: Length): number | undefined {
  const months =
    start === undefined
      ? planName.startsWith('ANNUAL') && 12
      : Math.round((end - start) / DAY_MS / MONTH_DAYS)
  if (!months || months < 1) return undefined
  const next = new Date(end)
  const day = next.getUTCDate()
  next.setUTCDate(1)
  next.setUTCMonth(next.getUTCMonth() + months)
  const last = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  next.setUTCDate(Math.min(day, last))
  return next.getTime()
}

/** Longest time after the end of a term in which its vendor may show no next one. */
const MAX_RENEWAL_DELAY_MS = 7 * DAY_MS

/** Returns whether a term ended so long ago that its vendor will show no next one. Times in epoch milliseconds. */
export function isOverdue(termEnd: number, now: number): boolean {
  return now - termEnd > MAX_RENEWAL_DELAY_MS
}
