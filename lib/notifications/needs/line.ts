import type { Cost } from '#lib/costs/license-prices/rules.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { KINDS, type Need } from './rules.ts'

/** What a line is about, by which a person says that it is seen: no two of one customer have the same. */
export function nameOf(need: Need): string {
  if (need.kind === 'past-due') {
    const { billingProfile, currency } = need.pastDue
    return `past-due:${currency}:${billingProfile.id}`
  }
  if (need.kind === 'change') return `change:${need.change.id}`
  if (need.kind === 'unmatched-lines') return `unmatched-lines:${need.unmatched.invoice.id}`
  return `${need.kind}:${need.asset.id}`
}

/** What a line says, without what passes with the days alone: with other figures it is another line. */
export function figuresOf(need: Need): readonly unknown[] {
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

/** By kind, the most urgent kind first, and in each what presses most. */
export function inOrder(needs: readonly Need[]): Need[] {
  return needs
    .map((need) => ({ need, weight: weightOf(need), name: nameOf(need) }))
    .sort((a, b) => rankOf(a.need) - rankOf(b.need) || a.weight - b.weight || compare(a.name, b.name))
    .map(({ need }) => need)
}

function rankOf({ kind }: Need): number {
  return KINDS.indexOf(kind)
}

const OUTCOMES = ['unclear', 'refused', 'confirming']

/** Within a kind: what is longest due, soonest, or most, comes first. Amounts of two currencies are not compared. */
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
