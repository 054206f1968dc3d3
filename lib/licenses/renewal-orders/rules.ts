import {
  atItsEnd,
  CANCEL,
  EXTENDED_BY_DEFAULT,
  EXTENDED_TERM,
  outcomeOf,
} from '#lib/licenses/assets/rules.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'

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

/** Orders of an end instead of a next term, and the type of renewal that each one sets. */
export const END_ACTIONS = { cancel: CANCEL, 'extended-term': EXTENDED_TERM } as const
export type EndAction = keyof typeof END_ACTIONS

/** Returns the end that a type of renewal orders; undefined where it orders a next term. */
export function endActionOf(renewalType: string | null): EndAction | undefined {
  if (renewalType === CANCEL) return 'cancel'
  return renewalType === EXTENDED_TERM ? 'extended-term' : undefined
}

/**
 * Describes an order: `96 licenses from 3 Dec 2026`, `Ends on 3 Dec 2026`, `Renews with the same licenses`.
 * @param day of the term's end
 */
export function orderText(
  { quantity, renewalType }: { quantity?: number | null; renewalType?: string | null },
  day?: string,
): string {
  if (typeof quantity === 'number') {
    const total = `${quantity.toLocaleString('en')} ${quantity === 1 ? 'license' : 'licenses'}`
    return day === undefined ? total : `${total} from ${day}`
  }
  const { outcome, verb, how } = atItsEnd(renewalType ?? '')
  const same = outcome === 'renews' ? 'with the same licenses' : undefined
  return [verb, day && `on ${day}`, how ?? same].filter(Boolean).join(' ')
}

/** Facts about a subscription for the rule. Times in epoch milliseconds. */
export type RenewalFacts = {
  status: string
  isCommitmentPlan: boolean
  commitmentEnd: number | undefined
  renewalType: string | undefined
  /** Settings that an order can name. */
  choice: 'total' | { renewalTypes: readonly string[] } | undefined
  /** Ends that an order can name instead. */
  endActions: readonly EndAction[]
  /** Whether an order of the customer is active, which may be the reason for the plan's end. */
  hasOrder: boolean
  /** Whether a next term is known: the books are at a vendor, or its length is known. */
  hasNextTerm: boolean
}

/** Why nothing can be ordered for the next term. */
export type NoOrder = 'not_active' | 'no_commitment' | 'not_offered' | 'no_end' | 'ended' | 'ends'

/** @param now epoch milliseconds */
export function whyNoOrder(facts: RenewalFacts, now: number): NoOrder | undefined {
  const { status, isCommitmentPlan, commitmentEnd, renewalType, choice, hasNextTerm, hasOrder } = facts
  if (status !== 'ACTIVE') return 'not_active'
  if (!isCommitmentPlan) return 'no_commitment'
  if (choice === undefined) return 'not_offered'
  if (commitmentEnd === undefined || !hasNextTerm) return 'no_end'
  if (commitmentEnd <= now) return 'ended'
  // A plan that another party ends, or makes flexible, is a decision against a next term.
  const isOpen = isRenewed(renewalType) || outcomeOf(renewalType) === 'extended-term'
  return isOpen || hasOrder ? undefined : 'ends'
}

/** Returns whether a vendor takes this order, where it takes any. An end can be ordered as an action only. */
export function isOffered(
  { choice, endActions }: Pick<RenewalFacts, 'choice' | 'endActions'>,
  { quantity, renewalType }: Setting,
  action?: EndAction,
): boolean {
  if (action) return endActions.includes(action)
  if (choice === 'total') return quantity !== null
  return renewalType !== null && (choice?.renewalTypes.includes(renewalType) ?? false)
}

type Term = {
  isCommitmentPlan: boolean
  commitmentStart?: number | undefined
  commitmentEnd: number | undefined
}

/**
 * State of an order's term: it runs, until the known end or another one (moved); it is over, without a known next one
 * (due) or with one that has begun (over); or the plan has no term any more (none).
 */
export type Phase = { kind: 'running' | 'due' | 'over' | 'none' } | { kind: 'moved'; termEnd: number }

/**
 * An order is for the end of one term: nothing of it happens within a term, this one or the next.
 * @param now epoch milliseconds, like all times here
 */
export function phaseOf(termEnd: number, term: Term, now: number): Phase {
  if (!term.isCommitmentPlan) return { kind: 'none' }
  const { commitmentStart: start, commitmentEnd: end = termEnd } = term
  const isNext =
    (start !== undefined && start > termEnd - NEAR_MS) || (end > termEnd + NEAR_MS && now > termEnd - NEAR_MS)
  if (isNext && end > termEnd) return { kind: 'over' }
  if (now < termEnd) return end === termEnd ? { kind: 'running' } : { kind: 'moved', termEnd: end }
  return end <= termEnd ? { kind: 'due' } : { kind: 'over' }
}

/** `endActions`: ends that the vendor knows; `renewalType`: the ordered one. */
type Ordered = { termEnd: number; renewalType: string | null } & Pick<RenewalFacts, 'endActions'>

/**
 * Returns the successor of a term: another one, an Extended Service Term, or the end of the plan; undefined where the
 * vendor shows none of these.
 * @param after the subscription as its vendor shows it
 * @param now epoch milliseconds, like `termEnd`
 */
export function whatBegan(
  { termEnd, renewalType, endActions }: Ordered,
  after: Term & { status: string },
  now: number,
): 'term' | EndAction | undefined {
  const { kind } = phaseOf(termEnd, after, now)
  if (kind === 'over') return 'term'
  if (kind === 'none' && endActions.includes('extended-term') && after.status === 'ACTIVE')
    return now > termEnd - NEAR_MS ? 'extended-term' : undefined
  const hasEnded = /^(CANCELLED|EXPIRED)$/.test(after.status)
  if (hasEnded) return now >= termEnd - DAY_MS ? 'cancel' : undefined
  // A plan can be suspended for other reasons, too.
  const isSuspended = !/^(ACTIVE|PENDING)$/.test(after.status) && now >= termEnd
  return isSuspended && renewalType === CANCEL ? 'cancel' : undefined
}

/** Returns whether a plan is renewed when its commitment ends, as far as the vendor states that. */
export function isRenewed(renewalType: string | null | undefined): boolean {
  return (outcomeOf(renewalType) ?? 'renews') === 'renews'
}

/**
 * Returns whether a setting can be the rest of an end that one of these settings ordered: a change of the licenses
 * deletes the ordered action at its vendor, and the plan continues as an Extended Service Term by default.
 */
export function isRestOf(sent: readonly Setting[], { renewalType }: Setting): boolean {
  return renewalType === EXTENDED_BY_DEFAULT && sent.some((one) => endActionOf(one.renewalType))
}

/** Clocks differ by minutes, and books may be written so long before or after the end of a term. */
export const NEAR_MS = 7 * DAY_MS
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
