import { atItsEnd } from '#lib/licenses/assets/rules.ts'

/**
 * The states of an order for the next term. STANDING: it is to be carried out when the term ends. APPLIED: the next term
 * began as ordered. REJECTED: who keeps the books refused it. WITHDRAWN: somebody took it back. REPLACED: another order
 * took its place. LOST: the vendor does not show it any more, or began the next term otherwise.
 */
export const ORDER_STATES = ['STANDING', 'APPLIED', 'REJECTED', 'WITHDRAWN', 'REPLACED', 'LOST'] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** What is ordered for the next term: its total, in whole licenses, or one of the vendor's own ways to renew. */
export type Wanted = { quantity: number } | { renewalType: string }

/** What the rule needs to know of a subscription. Times in epoch milliseconds. */
export type RenewalFacts = {
  status: string
  isCommitmentPlan: boolean
  commitmentEnd: number | undefined
  renewalType: string | undefined
  /** What whoever keeps the books takes an order of. */
  choice: 'total' | { renewalTypes: readonly string[] } | undefined
  /** Whether a next term can be reckoned: the books are elsewhere, or its length is known. */
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
  // Where a plan ends by itself, or becomes flexible, somebody has decided against a next term.
  return isRenewed(renewalType) ? undefined : 'ends'
}

/** Whether that is something which can be ordered here, where anything can. */
export function isOffered({ choice }: Pick<RenewalFacts, 'choice'>, wanted: Wanted): boolean {
  if (choice === 'total') return 'quantity' in wanted
  return 'renewalType' in wanted && (choice?.renewalTypes.includes(wanted.renewalType) ?? false)
}

/** What becomes of an order by what is known of its subscription now. */
export type Fate =
  | { kind: 'waits' }
  /** The term ends at another time than was known: the order waits for that. */
  | { kind: 'moved'; termEnd: number }
  /** The term is over, and no next one is known yet. */
  | { kind: 'due' }
  /** The next term has begun. */
  | { kind: 'over'; isAsOrdered: boolean }
  /** There is no term any more. */
  | { kind: 'pointless' }

/**
 * An order is for the end of one term: nothing of it happens within a term, this one or the next.
 * @param now epoch milliseconds, like all times here
 */
export function fateOf(
  { termEnd, wanted }: { termEnd: number; wanted: Wanted },
  plan: {
    isCommitmentPlan: boolean
    commitmentStart?: number | undefined
    commitmentEnd: number | undefined
    purchased: number
  },
  now: number,
): Fate {
  if (!plan.isCommitmentPlan) return { kind: 'pointless' }
  const { commitmentStart: start, commitmentEnd: end = termEnd } = plan
  const isAsOrdered = 'renewalType' in wanted || plan.purchased === wanted.quantity
  // Vendors and clocks are not of one mind on the minute, and books may be written some days before.
  const isNext =
    (start !== undefined && start > termEnd - NEAR) || (end > termEnd + NEAR && now > termEnd - NEAR)
  if (isNext && end > termEnd) return { kind: 'over', isAsOrdered }
  if (now < termEnd) return end === termEnd ? { kind: 'waits' } : { kind: 'moved', termEnd: end }
  return end <= termEnd ? { kind: 'due' } : { kind: 'over', isAsOrdered }
}

/** Whether a plan is renewed when its commitment ends, as far as it is said. */
export function isRenewed(renewalType: string | null | undefined): boolean {
  return !renewalType || atItsEnd(renewalType).verb === 'Renews'
}

const DAY_MS = 86_400_000
/** About the end of a term, in milliseconds. */
const NEAR = 7 * DAY_MS
const MONTH_DAYS = 365.2425 / 12

/**
 * When the term after one ends that is as long, in whole months: epoch milliseconds, or undefined where the length is
 * not known. The day of the month stays, or is the last one of a shorter month.
 */
export function nextTermEnd({
  start,
  end,
  planName,
}: {
  start: number | undefined
  end: number
  planName: string
}): number | undefined {
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

/** Whether its vendor shows an order as it was placed, by what its subscription tells of the next term. */
export function isShown(
  wanted: Wanted,
  shown: { scheduledTotal: number | undefined; renewalType: string | undefined },
): boolean {
  return 'quantity' in wanted
    ? shown.scheduledTotal === wanted.quantity
    : shown.renewalType === wanted.renewalType
}
