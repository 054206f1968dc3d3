import { type Idle, idleOf, type Plan } from '#lib/costs/idle-licenses/rules.ts'
import type { Cost, LastPrice } from '#lib/costs/license-prices/rules.ts'
import { type Money, nextCostOf } from '#lib/costs/renewals/rules.ts'
import { decideBy } from '#lib/licenses/assets/rules.ts'
import { daysBetween, epochOfDay } from '#lib/platform/values/days.ts'

/** Kinds of needs, most urgent first. */
export const KINDS = ['past-due', 'change', 'renewal', 'idle', 'nearly-full', 'unmatched-lines'] as const
export type NeedKind = (typeof KINDS)[number]

/** Days before the end of a commitment from which the end is a need. */
const RENEWAL_DAYS = 90
/** Share of a plan up to which idle licenses are a reserve, and no need. */
const IDLE_SHARE = 0.05
/** Days until a plan is full, at the pace of past assignments, within which the plan is a need. */
const FULL_DAYS = 30
/** Least days of history for a pace. */
const MIN_HISTORY_DAYS = 14
/** Age in days up to which invoices are checked. */
export const CHECKED_DAYS = 90

/** Past due debt of a customer under one billing profile in one currency. The amount is exact text. */
export type PastDue = {
  billingProfile: { id: string; name: string }
  currency: string
  count: number
  amount: string
  /** The longest due one's, `YYYY-MM-DD`. */
  dueDate: string
}

/** A plan that is known by its asset. `commitmentEnd` in epoch milliseconds. */
export type AssetPlan = Plan & {
  asset: { id: string; name: string; type: string }
  price: LastPrice | undefined
  commitmentEnd: number | null
  renewalType: string | null
  scheduledTotal: number | null
  /** Number of licenses assigned a number of days ago; null without a reading. */
  pastAssignment: { assigned: number; days: number } | null
  /** Whether a change of the plan is open, or the vendor accepts none for now. */
  isBusy: boolean
}

/** License change that is refused, unclear or still open. Times in epoch milliseconds. */
export type WaitingChange = {
  id: string
  asset: { id: string; name: string; type: string }
  outcome: 'confirming' | 'unclear' | 'refused'
  from: number
  to: number
  reason: string | null
  at: number
}

/** Lines of an invoice that bill other licenses than are known. The amount is exact text, with its sign. */
export type UnmatchedLines = {
  invoice: { id: string; number: string; day: string }
  count: number
  amount: string
  currency: string
}

/** Checked data, as far as the reader may see it. */
export type NeedInputs = {
  /** Epoch milliseconds, and its day in UTC. */
  now: number
  today: string
  pastDue: readonly PastDue[]
  plans: readonly AssetPlan[]
  changes: readonly WaitingChange[]
  /** Surcharge of an Extended Service Term. */
  surchargePercent: number
  unmatched: readonly UnmatchedLines[]
}

type Asset = AssetPlan['asset']
export type Need =
  | { kind: 'past-due'; pastDue: PastDue & { days: number } }
  | { kind: 'change'; asset: Asset; change: Omit<WaitingChange, 'asset'> }
  | { kind: 'renewal'; asset: Asset; renewal: Renewal }
  | { kind: 'idle'; asset: Asset; idle: { purchased: number; count: number; lowerTo: number; cost?: Cost } }
  | { kind: 'nearly-full'; asset: Asset; full: { purchased: number; assigned: number; days: number } }
  | { kind: 'unmatched-lines'; unmatched: UnmatchedLines }

export type Renewal = {
  at: number
  /** Days from today. */
  days: number
  /** Last day on which it can be decided on, `YYYY-MM-DD`. */
  decideBy: string
  purchased: number
  idle: number
  /** Cost of the idle licenses. */
  cost?: Cost
  /** Cost after the end. */
  nextCost?: Money
  renewalType: string | null
  scheduledTotal: number | null
}

/** Returns the needs, unsorted. */
export function needsOf(inputs: NeedInputs): Need[] {
  const { today, changes, plans } = inputs
  return [
    ...inputs.pastDue.flatMap((one) => pastDueOf(one, today)),
    ...changes.map(({ asset, ...change }) => ({ kind: 'change' as const, asset, change })),
    ...plans.flatMap((plan) => [...renewalOf(plan, inputs), ...idleNeedOf(plan), ...nearlyFullOf(plan)]),
    ...inputs.unmatched.flatMap((one) => unmatchedOf(one, today)),
  ]
}

function pastDueOf(one: PastDue, today: string): Need[] {
  const days = daysBetween(one.dueDate, today)
  return days > 0 && one.count > 0 ? [{ kind: 'past-due', pastDue: { ...one, days } }] : []
}

function renewalOf(plan: AssetPlan, { now, surchargePercent }: NeedInputs): Need[] {
  const { commitmentEnd: at, isCommitmentPlan, status, asset, price, purchased } = plan
  if (!isCommitmentPlan || status !== 'ACTIVE' || at === null) return []
  const days = daysBetween(now, at)
  if (at < now || days > RENEWAL_DAYS) return []
  const { now: idle, cost } = idleOf({ ...plan, leastIdle: null }, price)
  const { renewalType, scheduledTotal } = plan
  const nextCost = price && nextCostOf(plan, price, surchargePercent)
  const costs = { ...(cost ? { cost } : {}), ...(nextCost ? { nextCost } : {}) }
  const ending = { at, days, decideBy: decideBy(at), purchased, idle }
  const renewal = { ...ending, ...costs, renewalType, scheduledTotal }
  return [{ kind: 'renewal', asset, renewal }]
}

/** Returns the need to lower idle licenses: only licenses that can be lowered now, and more than the plan's reserve. */
function idleNeedOf(plan: AssetPlan): Need[] {
  const { asset, price, purchased, isBusy } = plan
  const { longIdle, lowerTo, cost }: Idle = idleOf(plan, price)
  if (isBusy || longIdle === null || longIdle < 1 || lowerTo === null || longIdle < purchased * IDLE_SHARE)
    return []
  return [{ kind: 'idle', asset, idle: { purchased, count: longIdle, lowerTo, ...(cost ? { cost } : {}) } }]
}

/** Returns the need to add licenses to a plan that is filling up. A plan that is full and stays full is no need. */
function nearlyFullOf(plan: AssetPlan): Need[] {
  const { asset, status, purchased, assigned, pastAssignment, isBusy } = plan
  if (isBusy || status !== 'ACTIVE' || pastAssignment === null || pastAssignment.days < MIN_HISTORY_DAYS)
    return []
  const [free, grown] = [Math.max(0, purchased - assigned), assigned - pastAssignment.assigned]
  if (grown <= 0) return []
  const days = Math.floor((free * pastAssignment.days) / grown)
  return days <= FULL_DAYS ? [{ kind: 'nearly-full', asset, full: { purchased, assigned, days } }] : []
}

function unmatchedOf(one: UnmatchedLines, today: string): Need[] {
  const isChecked = daysBetween(one.invoice.day, today) <= CHECKED_DAYS
  return one.count > 0 && isChecked ? [{ kind: 'unmatched-lines', unmatched: one }] : []
}

/** Returns the name of a need, which a dismissal refers to; unique within a customer. */
export function nameOf(need: Need): string {
  if (need.kind === 'past-due') {
    const { billingProfile, currency } = need.pastDue
    return `past-due:${currency}:${billingProfile.id}`
  }
  if (need.kind === 'change') return `change:${need.change.id}`
  if (need.kind === 'unmatched-lines') return `unmatched-lines:${need.unmatched.invoice.id}`
  return `${need.kind}:${need.asset.id}`
}

/** Returns the values that a dismissal covers, without those that change daily: with other figures the need returns. */
export function comparableValues(need: Need): readonly unknown[] {
  const costs = (cost: Cost | undefined) => [cost?.amount, cost?.currency]
  if (need.kind === 'past-due') {
    const { count, amount, dueDate } = need.pastDue
    return [count, amount, dueDate]
  }
  if (need.kind === 'change') return [need.change.outcome, need.change.to]
  if (need.kind === 'renewal') {
    const { at, purchased, idle, cost, renewalType, scheduledTotal } = need.renewal
    return [at, purchased, idle, ...costs(cost), renewalType, scheduledTotal]
  }
  if (need.kind === 'idle') return [need.idle.purchased, need.idle.count, ...costs(need.idle.cost)]
  if (need.kind === 'nearly-full') return [need.full.purchased, need.full.assigned]
  return [need.unmatched.count, need.unmatched.amount, need.unmatched.currency]
}

/** Sorts by kind, most urgent kind first, then by weight within the kind. */
export function sortNeeds(needs: readonly Need[]): Need[] {
  return needs
    .map((need) => ({ need, weight: weightOf(need), name: nameOf(need) }))
    .sort((a, b) => rankOf(a.need) - rankOf(b.need) || a.weight - b.weight || compare(a.name, b.name))
    .map(({ need }) => need)
}

function rankOf({ kind }: Need): number {
  return KINDS.indexOf(kind)
}

const OUTCOMES = ['unclear', 'refused', 'confirming']

/**
 * Returns the weight within a kind, smallest first: longest past due, soonest, or largest. Amounts of different
 * currencies are not compared.
 */
function weightOf(need: Need): number {
  if (need.kind === 'past-due') return -need.pastDue.days
  if (need.kind === 'change') return OUTCOMES.indexOf(need.change.outcome) * 1e15 - need.change.at
  if (need.kind === 'renewal') return need.renewal.at
  if (need.kind === 'idle') return -need.idle.count
  if (need.kind === 'nearly-full') return need.full.days
  return -epochOfDay(need.unmatched.invoice.day)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
